import XMPP

/// A room of the account (XEP-0045) as it stands now.
package struct Room: Identifiable, Hashable, Sendable {
  /// Whether the person is in it.
  package enum Phase: Hashable, Sendable {
    /// Not in it, and not about to be.
    case outside
    /// Wanted: on the way in, or waiting for a connection.
    case entering
    case inside
  }

  /// What kind of room it is, as it says itself (XEP-0045 §6.4).
  package enum Trait: String, Hashable, Sendable, CaseIterable {
    case membersOnly, passwordProtected, moderated, nonAnonymous, hidden, temporary
    /// It keeps an archive that can be read (XEP-0313).
    case archive
    /// It names its occupants by lasting ids (XEP-0421).
    case occupantIDs
  }

  package let jid: JID
  /// What the bookmark or the room calls it.
  package var name: String?
  /// What the person is called in it, or wants to be.
  package var nick: String
  package var subject: String
  /// What its owner wrote about it; empty: nothing. From outside.
  package var about: String
  /// The SHA-1 of its picture (XEP-0486), in hexadecimal; `nil`: it has none, as far as anybody knows.
  package var pictureID: String?
  package var phase: Phase
  /// Why the person is outside, where it was not his own wish.
  package var exit: RoomExit?
  /// How many people are in it; 0 when it is not known.
  package var people: Int
  package var role: Occupant.Role
  package var affiliation: Occupant.Affiliation
  package var traits: Set<Trait>
  /// Whether Natter enters it by itself after signing in.
  package var autojoins: Bool

  package var id: JID { jid }

  package init(
    jid: JID, name: String? = nil, nick: String, subject: String = "", phase: Phase = .outside,
    exit: RoomExit? = nil, people: Int = 0, role: Occupant.Role = .none,
    affiliation: Occupant.Affiliation = .none, traits: Set<Trait> = [], autojoins: Bool = false,
    about: String = "", pictureID: String? = nil
  ) {
    self.jid = jid.bare
    self.name = name
    self.nick = nick
    self.subject = subject
    self.phase = phase
    self.exit = exit
    self.people = people
    self.role = role
    self.affiliation = affiliation
    self.traits = traits
    self.autojoins = autojoins
    self.about = about
    self.pictureID = pictureID
  }

  /// The person's own address in it.
  package var seat: JID { JID(local: jid.local, domain: jid.domain, resource: nick) }
}

/// Why somebody is not in a room.
package struct RoomExit: Hashable, Sendable {
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    // What happened to somebody who was inside (XEP-0045 §8.2, §9.1, §9.4, §9.7, §10.9, §17.3).
    case kicked, banned, membershipLost, membersOnlyNow, destroyed, shutdown, connectionLost
    // What kept him from coming in (§7.2).
    case nickTaken, nickRefused, passwordNeeded, passwordWrong, notMember, isBanned, full
    case notFound, locked, creationRefused, unreachable, refused
  }

  package let cause: Cause
  /// Who did it, by nick or address.
  package let actor: String?
  /// The words that came with it. From outside.
  package let reason: String?
  /// Where the people went (a destroyed room).
  package let alternative: JID?

  package init(
    _ cause: Cause, actor: String? = nil, reason: String? = nil, alternative: JID? = nil
  ) {
    self.cause = cause
    self.actor = actor
    self.reason = reason
    self.alternative = alternative
  }

  /// Whether entering again by itself could help later: nobody decided anything.
  package var mayPass: Bool {
    switch cause {
    case .shutdown, .connectionLost, .unreachable, .full, .notFound, .locked: true
    default: false
    }
  }

  /// Whether it is tried again with each session, without a word: an owner makes somebody a member without telling him who
  /// is not there.
  package var mayBeUndone: Bool { cause == .notMember }
}

/// Somebody in a room (XEP-0045 §4).
package struct Occupant: Identifiable, Hashable, Sendable {
  /// What one may do while inside, the most first.
  package enum Role: String, Hashable, Sendable, CaseIterable {
    case moderator, participant, visitor, none
  }

  /// What one is to the room for good, the most first.
  package enum Affiliation: String, Hashable, Sendable, CaseIterable {
    case owner, admin, member, none, outcast
  }

  package let nick: String
  package var role: Role
  package var affiliation: Affiliation
  package var availability: Availability
  package var status: String?
  /// The real bare address, where the room tells it.
  package var jid: JID?
  /// The id that stays the same under every nick (XEP-0421).
  package var occupantID: String?

  package var id: String { nick }

  package init(
    nick: String, role: Role = .participant, affiliation: Affiliation = .none,
    availability: Availability = .online, status: String? = nil, jid: JID? = nil,
    occupantID: String? = nil
  ) {
    self.nick = nick
    self.role = role
    self.affiliation = affiliation
    self.availability = availability
    self.status = status
    self.jid = jid
    self.occupantID = occupantID
  }
}

/// Somebody who belongs to a room for good, be he inside or not (XEP-0045 §5.2).
package struct RoomMember: Hashable, Sendable {
  /// The bare address.
  package let jid: JID
  package let affiliation: Occupant.Affiliation
  /// The nick that the room keeps for him.
  package let nick: String?

  package init(jid: JID, affiliation: Occupant.Affiliation, nick: String? = nil) {
    self.jid = jid.bare
    self.affiliation = affiliation
    self.nick = nick
  }
}

/// What a burst of presences changed among the people of a room.
package struct OccupantChanges: Hashable, Sendable {
  package let room: JID
  /// Whether everybody who was known before has gone.
  package var isReset: Bool
  /// Those who are new or changed, by nick.
  package var changed: [Occupant]
  /// The nicks of those who left or go by another nick now.
  package var removed: [String]

  package init(
    room: JID, isReset: Bool = false, changed: [Occupant] = [], removed: [String] = []
  ) {
    self.room = room
    self.isReset = isReset
    self.changed = changed
    self.removed = removed
  }
}

/// Something that happened in a room and belongs among its messages: told where it happened, at its time.
package struct RoomIncident: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case subjectChanged, subjectRemoved, renamed, youRenamed, kicked, banned, created
    case configured, nowLogged, nowNonAnonymous, nowSemiAnonymous, affiliationChanged, declined,
      notInvited
    case youVoiceGained, youVoiceLost, youStandIn, youNamed, showsAddresses
  }

  package let room: JID
  package let kind: Kind
  /// Values for the text's `{name}` placeholders. From outside.
  package let arguments: [String: String]

  package init(room: JID, _ kind: Kind, _ arguments: [String: String] = [:]) {
    self.room = room
    self.kind = kind
    self.arguments = arguments
  }
}

/// Somebody in a room who may only listen, and asks its moderators to let him speak (XEP-0045 §8.6).
package struct VoiceRequest: Identifiable, Hashable, Sendable {
  package let room: JID
  package let nick: String
  /// The real address of the device that asks, where the room tells it.
  package let jid: JID?

  package init(room: JID, nick: String, jid: JID? = nil) {
    (self.room, self.nick, self.jid) = (room, nick, jid)
  }

  /// The address that he has in the room.
  package var id: JID { JID(local: room.local, domain: room.domain, resource: nick) }
}

/// An invitation to a room that waits for an answer.
package struct RoomInvitation: Identifiable, Hashable, Sendable {
  package let room: JID
  /// Who invites: the bare address, or the occupant's where the room hides that.
  package let inviter: JID
  package let reason: String?
  /// Whether the room passed it on, so that it can be told that it is declined.
  package let isMediated: Bool

  package var id: JID { room }

  package init(room: JID, inviter: JID, reason: String? = nil, isMediated: Bool = true) {
    self.room = room
    self.inviter = inviter
    self.reason = reason
    self.isMediated = isMediated
  }
}
