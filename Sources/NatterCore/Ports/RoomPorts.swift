import FoundationEssentials
import XMPP

/// The rooms and bookmarks as the database holds them.
package protocol BookmarkStoring: Sendable {
  func bookmarks() async throws -> [Bookmark]
  func save(_ bookmark: Bookmark) async throws
  func removeBookmark(of room: JID) async throws
  /// Opens the room's conversation, or makes one of a conversation that was taken for somebody's.
  func openConversation(of room: JID, name: String?) async throws -> Conversation
  /// Takes over what is known of the room into its conversation, which is made where there is none.
  /// - Returns: the conversation; `nil` for one that the person has hidden: it stays so.
  func learnConversation(of room: JID, name: String?) async throws -> Conversation?
  /// The newest message of the room that came from it; `nil` when there is none.
  /// - Returns: when it was sent, whether that is the room's own word (what came at once has this machine's time), and what the
  ///   room's archive calls it.
  func newestMessage(in room: JID) async throws -> (at: Date, isRoomsWord: Bool, id: String?)?
}

/// Who belongs to rooms and who asks into them, as the database holds it.
package protocol RoomPeopleStoring: Sendable {
  /// Those that were not answered, with the password that came with each.
  func invitations() async throws -> [(invitation: RoomInvitation, password: String?)]
  /// Keeps one; it takes the place of an earlier one to the same room.
  func save(_ invitation: RoomInvitation, password: String?) async throws
  func removeInvitation(to room: JID) async throws
  /// Who belongs to `room`, as it was told last.
  func members(of room: JID) async throws -> [RoomMember]
  func replaceMembers(of room: JID, with members: [RoomMember]) async throws
}

/// Going in and out of rooms (XEP-0045 §7).
package protocol RoomEntering: Sendable {
  /// Enters a room, or will when there is a connection. What became of it is told as `.roomsChanged`.
  /// - Parameters:
  ///   - nick: what to be called there; `nil`: as before, or the account's own name.
  ///   - password: what the room asks for; `nil`: the one that is known.
  /// - Throws: `NatterError` when it could not be stored, when nobody can have that nick, or when it is a person's address:
  ///   then nothing has changed.
  func join(_ room: JID, nick: String?, password: String?) async throws
  /// Leaves it, and does not come back by itself.
  func leave(_ room: JID) async throws
  /// The address of the room called `name` at the rooms of the own server, or of the room that is known by that name.
  /// - Throws: `NatterError` when the server has no rooms.
  func address(ofRoom name: String) async throws -> JID
  /// Whether `address` is a room's: a known one's, or else as its server says. Without an answer it is not taken for one.
  func isRoom(_ address: JID) async -> Bool
  /// Takes another nick.
  /// - Throws: `NatterError` when the room does not let one.
  func changeNick(_ nick: String, in room: JID) async throws
}

/// What those inside may do to a room and its people (XEP-0045 §8-10). Everything throws `NatterError`.
package protocol RoomModerating: Sendable {
  /// Returns once the room has taken it.
  func setSubject(_ subject: String, of room: JID) async throws
  /// Has the room invite `guest`; members-only rooms let him in by it. That he is not invited after all is told in the room
  /// (`RoomIncident.Kind.notInvited`).
  func invite(_ guest: JID, to room: JID, reason: String?) async throws
  /// Changes what somebody inside may do; `.none` throws him out.
  func setRole(_ role: Occupant.Role, of nick: String, in room: JID, reason: String?) async throws
  /// Changes what somebody is to the room; `.outcast` bans him.
  /// - Parameter person: the nick of somebody inside whose address is known, or an address.
  func setAffiliation(
    _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
  ) async throws
  /// Everybody who has this affiliation, be he inside or not.
  func people(with affiliation: Occupant.Affiliation, in room: JID) async throws -> [Occupant]
}

/// What an owner may do (XEP-0045 §10).
package protocol RoomOwning: Sendable {
  /// The form of the room's configuration.
  func configuration(of room: JID) async throws -> DataForm
  /// Changes the settings that `answers` names; the others stay as the form had them.
  func configure(_ room: JID, with answers: [String: [String]]) async throws
  func destroy(_ room: JID, reason: String?) async throws
}

/// What of a room is told, kept at the server for all clients of the account (XEP-0492).
package protocol RoomNotifying: Sendable {
  /// Has the room's bookmark say so, as soon as there is a connection; a room without one is left alone.
  func keepNotification(_ setting: XEP0492Notification?, of room: JID) async
}

/// Invitations to rooms that wait for an answer.
package protocol RoomInviting: Sendable {
  func invitations() async -> [RoomInvitation]
  func accept(_ invitation: RoomInvitation) async throws
  func decline(_ invitation: RoomInvitation) async throws
}

/// Asking to speak where one may only listen, and answering those who ask (XEP-0045 §7.13, §8.6). Everything throws
/// `NatterError`.
package protocol VoiceAsking: Sendable {
  /// Has the room ask its moderators.
  func askForVoice(in room: JID) async throws
  /// Those who wait for an answer of the person's, or of another moderator's.
  func voiceRequests() async -> [VoiceRequest]
  func answer(_ request: VoiceRequest, isAllowed: Bool) async throws
}

/// The rooms at this moment, for a view that has just been made.
package protocol RoomReading: Sendable {
  func rooms() async -> [Room]
  /// Everybody who is in `room` now.
  func occupants(of room: JID) async -> [Occupant]
}

/// Where a message has to go, and whether it can now.
package enum MessageRoute: Hashable, Sendable {
  /// To a person.
  case direct
  /// To everybody in a room; what the room sends back is the acknowledgement.
  case room
  /// To one person in a room (XEP-0045 §7.5).
  case occupant
  /// To a room that is not entered yet, and that is tried by itself: it waits.
  case held
  /// To a room that the person is not in.
  case outside
}

/// Knows which addresses are rooms.
package protocol MessageRouting: Sendable {
  func route(to conversation: JID) async -> MessageRoute
}

/// What a room told of its past when it was entered: one piece that ends where what comes live begins. By its archive's ids.
package struct JoinHistory: Hashable, Sendable {
  package let first: String
  package var last: String
  /// The newest message that was known before, where it is part of what was told.
  package var known: String?

  package init(first: String, last: String, known: String? = nil) {
    self.first = first
    self.last = last
    self.known = known
  }
}

/// What is needed to understand a message from a room.
package struct RoomMembership: Hashable, Sendable {
  package let nick: String
  /// The own id in the room (XEP-0421), where it gives one.
  package let occupantID: String?
  /// Whether the room was known before it was entered: then what comes late is news too.
  package let hasPast: Bool
  /// Which visit to the room this is: another one each time that it was entered, for whatever reason. `nil` until the room
  /// has told what it tells on entering.
  package let visit: Int?
  /// Who is there, by nick, and since when without leaving.
  package let present: [String: Date]
  /// What the room told of its past when it was entered; `nil`: nothing that its archive has ids for.
  package let told: JoinHistory?

  package init(
    nick: String, occupantID: String? = nil, hasPast: Bool = false, visit: Int? = nil,
    present: [String: Date] = [:], told: JoinHistory? = nil
  ) {
    self.present = present
    self.told = told
    self.nick = nick
    self.occupantID = occupantID
    self.hasPast = hasPast
    self.visit = visit
  }

  /// Whether what an occupant says is said by the person: the lasting id tells (XEP-0421), as a nick may have been another's
  /// before; without one the nick does.
  /// - Parameters:
  ///   - nick: the occupant's; `nil`: the room itself.
  ///   - occupantID: the occupant's lasting id, where the stanza has one.
  package func isOwn(nick: String?, occupantID: String?) -> Bool {
    guard let nick else { return false }
    if let own = self.occupantID, let occupantID { return own == occupantID }
    return nick == self.nick
  }
}

/// Tells messages of rooms from those of people.
package protocol RoomViewing: Sendable {
  /// The rooms that the person is in or entering.
  func views() async -> [JID: RoomMembership]
  /// Whether it is a room that the person is or was in.
  func knows(_ room: JID) async -> Bool
  /// Whether it is such a room, or an address at a service that has such a room: another client may be in rooms that this one
  /// does not know.
  func hosts(_ address: JID) async -> Bool
  /// The room does not let its archive be read: when it is entered the next time, it is to tell its past itself.
  func archiveRefused(of room: JID) async
}

extension RoomViewing {
  /// No room is remembered.
  package func knows(_ room: JID) async -> Bool { await views()[room] != nil }
  /// No service is remembered.
  package func hosts(_ address: JID) async -> Bool { await knows(address) }
  /// The rooms among whoever `addresses` are of, each asked for once. What somebody in one says to one person alone need not be
  /// marked as such, by no client and no room (XEP-0045 §7.5).
  package func rooms(of addresses: some Sequence<JID>) async -> Set<JID> {
    var found: Set<JID> = []
    for jid in Set(addresses.lazy.filter { !$0.isBare }.map(\.bare)) where await hosts(jid) {
      found.insert(jid)
    }
    return found
  }

  /// Nobody enters rooms.
  package func archiveRefused(of room: JID) async {}
}
