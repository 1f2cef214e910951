import XMPP

/// The present state of a room of the account (XEP-0045).
package struct Room: Identifiable, Hashable, Sendable {
  /// The state of joining the room.
  package enum Phase: Hashable, Sendable {
    /// Not joined, and not joining.
    case outside
    /// Joining, or waiting for a connection to join.
    case entering
    case inside
  }

  /// The room types and features that it declares (XEP-0045 §6.4).
  package enum Trait: String, Hashable, Sendable, CaseIterable {
    case membersOnly, passwordProtected, moderated, nonAnonymous, hidden, temporary
    /// An archive that can be queried (XEP-0313).
    case archive
    /// Stable occupant ids (XEP-0421).
    case occupantIDs
  }

  package let jid: JID
  /// The name of the bookmark or the room.
  package var name: String?
  /// The user's nick in it, present or requested.
  package var nick: String
  package var subject: String
  /// The description that its owner wrote; may be empty. Untrusted.
  package var about: String
  /// The SHA-1 of its avatar (XEP-0486), in hexadecimal; `nil` if none is known.
  package var pictureID: String?
  package var phase: Phase
  /// The reason why the user is outside, if they did not choose to leave.
  package var exit: RoomExit?
  /// The number of occupants; 0 if not known.
  package var people: Int
  package var role: Occupant.Role
  package var affiliation: Occupant.Affiliation
  package var traits: Set<Trait>
  /// Indicates whether Natter joins it automatically after signing in.
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

  /// The user's own occupant JID.
  package var occupant: JID { JID(local: jid.local, domain: jid.domain, resource: nick) }
}

/// The reason why an occupant left or could not join a room.
package struct RoomExit: Hashable, Sendable {
  /// The event that removed the user, or the error that prevented the join.
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    // Removal of an occupant (XEP-0045 §8.2, §9.1, §9.4, §9.7, §10.9, §17.3).
    case kicked, banned, membershipLost, membersOnlyNow, destroyed, shutdown, connectionLost
    // Failure to join (§7.2).
    case nickTaken, nickRefused, passwordNeeded, passwordWrong, notMember, isBanned, full
    case notFound, locked, creationRefused, unreachable, refused
  }

  package let cause: Cause
  /// The moderator or admin who did it, by nick or address.
  package let actor: String?
  /// The text that came with it. Untrusted.
  package let reason: String?
  /// The room that replaces a destroyed one.
  package let alternative: JID?

  package init(
    _ cause: Cause, actor: String? = nil, reason: String? = nil, alternative: JID? = nil
  ) {
    self.cause = cause
    self.actor = actor
    self.reason = reason
    self.alternative = alternative
  }

  /// Indicates whether rejoining automatically could succeed later: the cause was not a decision of
  /// the room.
  package var mayPass: Bool {
    switch cause {
    case .shutdown, .connectionLost, .unreachable, .full, .notFound, .locked: true
    default: false
    }
  }

  /// Indicates whether joining is retried silently with each session: an owner can grant membership
  /// without notifying an absent user.
  package var mayBeUndone: Bool { cause == .notMember }
}

/// An occupant of a room (XEP-0045 §4).
package struct Occupant: Identifiable, Hashable, Sendable {
  /// The permissions while in the room, highest first.
  package enum Role: String, Hashable, Sendable, CaseIterable {
    case moderator, participant, visitor, none
  }

  /// The lasting relation to the room, highest first.
  package enum Affiliation: String, Hashable, Sendable, CaseIterable {
    case owner, admin, member, none, outcast
  }

  package let nick: String
  package var role: Role
  package var affiliation: Affiliation
  package var availability: Availability
  package var status: String?
  /// The real bare address, if the room discloses it.
  package var jid: JID?
  /// The stable id that is independent of the nick (XEP-0421).
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

/// A user with a lasting affiliation to a room, present or not (XEP-0045 §5.2).
package struct RoomMember: Hashable, Sendable {
  /// The bare address.
  package let jid: JID
  package let affiliation: Occupant.Affiliation
  /// The nick that the room reserves for them.
  package let nick: String?

  package init(jid: JID, affiliation: Occupant.Affiliation, nick: String? = nil) {
    self.jid = jid.bare
    self.affiliation = affiliation
    self.nick = nick
  }
}

/// The changes of a room's occupants in a burst of presences.
package struct OccupantChanges: Hashable, Sendable {
  package let room: JID
  /// Indicates whether all previously known occupants are removed.
  package var isReset: Bool
  /// Indicates whether the user was entering: the changed ones were in the room before.
  package var isEntering = false
  /// The occupants that are new or changed, by nick.
  package var changed: [Occupant]
  /// The nicks of those that left or changed their nick.
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

/// An event in a room that is shown among its messages, at its time.
package struct RoomIncident: Hashable, Sendable {
  /// The type of an incident, which selects its text.
  package enum IncidentKind: String, Hashable, Sendable, CaseIterable {
    case subjectChanged, subjectRemoved, renamed, youRenamed, kicked, banned, created
    case configured, nowLogged, nowNonAnonymous, nowSemiAnonymous, affiliationChanged, declined,
      notInvited
    case youVoiceGained, youVoiceLost, youGotOtherNick = "youStandIn", youNamed, showsAddresses
  }

  package let room: JID
  package let kind: IncidentKind
  /// Values for the text's `{name}` placeholders, without the end of long ones. Untrusted.
  package let arguments: [String: String]

  /// The most bytes of a value. Hundreds of incidents of each room are kept, and a subject may be
  /// as long as a stanza.
  private static let argumentBytes = 4096

  package init(room: JID, _ kind: IncidentKind, _ arguments: [String: String] = [:]) {
    self.room = room
    self.kind = kind
    self.arguments = arguments.mapValues { $0.beginning(bytes: Self.argumentBytes) }
  }
}

/// A visitor's request for voice to the moderators of a room (XEP-0045 §8.6).
package struct VoiceRequest: Identifiable, Hashable, Sendable {
  package let room: JID
  package let nick: String
  /// The real address of the requesting client, if the room discloses it.
  package let jid: JID?

  package init(room: JID, nick: String, jid: JID? = nil) {
    (self.room, self.nick, self.jid) = (room, nick, jid)
  }

  /// The occupant JID of the visitor.
  package var id: JID { JID(local: room.local, domain: room.domain, resource: nick) }
}

/// An unanswered invitation to a room.
package struct RoomInvitation: Identifiable, Hashable, Sendable {
  package let room: JID
  /// The inviter: the bare address, or the occupant JID if the room hides that.
  package let inviter: JID
  package let reason: String?
  /// Indicates whether the room forwarded it, so that a decline can be sent to the room.
  package let isMediated: Bool

  package var id: JID { room }

  package init(room: JID, inviter: JID, reason: String? = nil, isMediated: Bool = true) {
    self.room = room
    self.inviter = inviter
    self.reason = reason
    self.isMediated = isMediated
  }
}
