import FoundationEssentials
import XMPP

/// Stores rooms and bookmarks.
package protocol BookmarkStoring: UnreadableChangeReading {
  func bookmarks() async throws -> [Bookmark]
  func save(_ bookmark: Bookmark) async throws
  /// Opens the room's conversation, or converts a direct conversation with that address.
  func openConversation(of room: JID, name: String?) async throws -> Conversation
  /// Copies the known data of the room to its conversation, which is created if necessary.
  /// - Returns: the conversation; `nil` for one that the user has hidden: it remains hidden.
  func learnConversation(of room: JID, name: String?) async throws -> Conversation?
  /// Returns the newest message of the room that was received from it; `nil` if there is none.
  /// - Returns: its time of sending (of a local message: the time of the attempt), whether that
  ///   time is the room's (a live message has the local time), and its id in the room's archive.
  func newestMessage(in room: JID) async throws -> (at: Date, isRoomsWord: Bool, id: String?)?
}

/// Stores the members of rooms, and invitations to rooms.
package protocol RoomPeopleStoring: Sendable {
  /// Returns the unanswered invitations, with the password of each.
  func invitations() async throws -> [(invitation: RoomInvitation, password: String?)]
  /// Stores an invitation; it replaces an earlier one to the same room.
  func save(_ invitation: RoomInvitation, password: String?) async throws
  func removeInvitation(to room: JID) async throws
  /// Returns the last known members of `room`.
  func members(of room: JID) async throws -> [RoomMember]
  func replaceMembers(of room: JID, with members: [RoomMember]) async throws
  /// Stores whether `account` owns `room`, in one step; the other members stay. An account that
  /// does not own it stays a member of another affiliation.
  func setOwnership(of room: JID, by account: JID, _ isOwner: Bool) async throws
}

/// Joins and leaves rooms (XEP-0045 §7).
package protocol RoomEntering: Sendable {
  /// Joins a room, at once or when there is a connection. The result is published as
  /// `.roomsChanged`.
  /// - Parameters:
  ///   - nick: the nick to use; `nil`: the previous one, or the account's own name.
  ///   - password: the password of the room; `nil`: the stored one.
  /// - Throws: `NatterError` if it could not be stored, if the nick is invalid, or if the address
  ///   is a user's: then nothing has changed.
  func join(_ room: JID, nick: String?, password: String?) async throws
  /// Leaves the room; it is not rejoined automatically.
  func leave(_ room: JID) async throws
  /// Returns the address of the room `name` at the chat service of the own server, or of the known
  /// room with that name.
  /// - Throws: `NatterError` if the server has no chat service.
  func address(ofRoom name: String) async throws -> JID
  /// Returns whether `address` is a room's: a known one, or else according to its server. Without a
  /// response, it returns `false`.
  func isRoom(_ address: JID) async -> Bool
  /// Changes the nick.
  /// - Throws: `NatterError` if the room refuses.
  func changeNick(_ nick: String, in room: JID) async throws
}

/// Moderates a room and its occupants (XEP-0045 §8-10, XEP-0425). All methods throw `NatterError`.
package protocol RoomModerating: Sendable {
  /// Changes the subject; returns once the room has accepted it.
  func setSubject(_ subject: String, of room: JID) async throws
  /// Asks the room to invite `guest`, which admits them to a members-only room. A later failure of
  /// the invitation is reported in the room (`RoomIncident.IncidentKind.notInvited`).
  func invite(_ guest: JID, to room: JID, reason: String?) async throws
  /// Changes the role of an occupant; `.none` kicks them.
  func setRole(_ role: Occupant.Role, of nick: String, in room: JID, reason: String?) async throws
  /// Changes the affiliation of a user; `.outcast` bans them.
  /// - Parameter person: the nick of an occupant whose address is known, or an address.
  func setAffiliation(
    _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
  ) async throws
  /// Has the room retract a message of any occupant; all occupants get it, this one as well.
  /// - Parameter id: the room's id of the message (`Message.stanzaID`).
  func retract(_ id: String, in room: JID, reason: String?) async throws
  /// Returns all users with this affiliation, present or not.
  func people(with affiliation: Occupant.Affiliation, in room: JID) async throws -> [Occupant]
}

/// Configures and destroys a room as its owner (XEP-0045 §10).
package protocol RoomOwning: Sendable {
  /// Requests the form of the room's configuration.
  func configuration(of room: JID) async throws -> DataForm
  /// Changes the settings that `answers` names; the others keep the form's values.
  func configure(_ room: JID, with answers: [String: [String]]) async throws
  /// Destroys the room for all occupants (XEP-0045 §10.9).
  func destroy(_ room: JID, reason: String?) async throws
}

/// Answers pending invitations to rooms.
package protocol RoomInviting: Sendable {
  func invitations() async -> [RoomInvitation]
  func accept(_ invitation: RoomInvitation) async throws
  func decline(_ invitation: RoomInvitation) async throws
}

/// Requests voice in moderated rooms, and answers such requests (XEP-0045 §7.13, §8.6). All methods
/// throw `NatterError`.
package protocol VoiceAsking: Sendable {
  /// Asks the room's moderators for voice.
  func askForVoice(in room: JID) async throws
  /// Returns the requests that the user, or another moderator, has not answered yet.
  func voiceRequests() async -> [VoiceRequest]
  /// Grants or denies voice.
  func answer(_ request: VoiceRequest, isAllowed: Bool) async throws
}

/// Provides the present state of the rooms, for a newly created view.
package protocol RoomReading: Sendable {
  func rooms() async -> [Room]
  /// Returns all present occupants of `room`.
  func occupants(of room: JID) async -> [Occupant]
}

/// The route of a message, and whether it is open.
package enum MessageRoute: Hashable, Sendable {
  /// To a contact.
  case direct
  /// To all occupants of a room; the room's reflection is the acknowledgement.
  case room
  /// To one occupant of a room (XEP-0045 §7.5).
  case occupant
  /// To a room that is not joined yet, and that is retried automatically: the message is pending.
  case held
  /// To a room that the user has not joined.
  case outside
}

/// Determines the route of messages.
package protocol MessageRouting: Sendable {
  /// Returns the route to a contact, a room or an occupant.
  func route(to conversation: JID) async -> MessageRoute
}

/// The history that a room sent on joining, as archive ids: one contiguous part that ends where
/// live messages begin.
package struct JoinHistory: Hashable, Sendable {
  package let first: String
  package var last: String
  /// The newest previously known message, if it is part of the history.
  package var known: String?

  package init(first: String, last: String, known: String? = nil) {
    self.first = first
    self.last = last
    self.known = known
  }
}

/// The account's membership in a room, as required to interpret the room's messages.
package struct RoomMembership: Hashable, Sendable {
  package let nick: String
  /// The account's own occupant id (XEP-0421), if the room assigns one.
  package let occupantID: String?
  /// Indicates whether the room was known before this join: then late messages are new, too.
  package let hasPast: Bool
  /// The number of this visit to the room, different for each join for whatever reason. `nil` until
  /// the room has sent what it sends on joining.
  package let visit: Int?
  /// The times since when the present occupants have been in the room without leaving, by nick.
  package let present: [String: Date]
  /// The history that the room sent on joining; `nil`: none with archive ids.
  package let sent: JoinHistory?

  package init(
    nick: String, occupantID: String? = nil, hasPast: Bool = false, visit: Int? = nil,
    present: [String: Date] = [:], sent: JoinHistory? = nil
  ) {
    self.present = present
    self.sent = sent
    self.nick = nick
    self.occupantID = occupantID
    self.hasPast = hasPast
    self.visit = visit
  }

  /// Returns whether an occupant's message is the user's own: by the occupant id (XEP-0421), as a
  /// nick may have belonged to another occupant before; without one, by the nick.
  /// - Parameters:
  ///   - nick: the occupant's nick; `nil`: the room itself.
  ///   - occupantID: the occupant id, if the stanza has one.
  package func isOwn(nick: String?, occupantID: String?) -> Bool {
    guard let nick else { return false }
    if let own = self.occupantID, let occupantID { return own == occupantID }
    return nick == self.nick
  }
}

/// Distinguishes messages of rooms from those of contacts.
package protocol RoomViewing: Sendable {
  /// Returns the rooms that the user has joined or is joining.
  func views() async -> [JID: RoomMembership]
  /// Returns whether it is a room that the user is or was in.
  func knows(_ room: JID) async -> Bool
  /// Returns whether it is such a room, or an address at a service that has such a room: another
  /// client may have joined rooms that this one does not know.
  func hosts(_ address: JID) async -> Bool
  /// Handles a refusal of the room's archive: at the next join, the history is requested from the
  /// room itself.
  func archiveRefused(of room: JID) async
  /// The same rooms once the bookmarks are known, which its methods may wait for: another client
  /// may have joined rooms that are not known before.
  var bookmarked: any RoomViewing { get }
}

extension RoomViewing {
  /// Returns whether it is a joined room: this default implementation keeps no history of rooms.
  package func knows(_ room: JID) async -> Bool { await views()[room] != nil }
  /// Returns whether it is a known room: this default implementation keeps no list of services.
  package func hosts(_ address: JID) async -> Bool { await knows(address) }
  /// Returns the rooms among the bare addresses of `addresses`, each looked up once. An occupant's
  /// private message need not be marked as such, by any client or room (XEP-0045 §7.5).
  package func rooms(of addresses: some Sequence<JID>) async -> Set<JID> {
    var found: Set<JID> = []
    for jid in Set(addresses.lazy.filter { !$0.isBare }.map(\.bare)) where await hosts(jid) {
      found.insert(jid)
    }
    return found
  }

  /// Does nothing: this default implementation joins no rooms.
  package func archiveRefused(of room: JID) async {}
  /// This default implementation waits for nothing.
  package var bookmarked: any RoomViewing { self }
}
