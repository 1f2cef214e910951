import NatterCore
import ViewModels
import XMPP

// Addresses of occupants. Never reduced to the room's: a private message would go to everyone.
extension PlainSession {
  var addresses: AddressBook {
    AddressBook(
      of: account.jid, rooms: ports.rooms, conversations: ports.conversations, roster: ports.roster)
  }

  /// Returns whether a bare address is known to be a room.
  func isRoom(_ jid: JID) async throws -> Bool {
    if rooms[jid] != nil { return true }
    return try await addresses.isRoom(jid)
  }

  /// The contact, room or occupant of `jid`.
  func meant(by jid: JID) async throws -> JID { try await addresses.meant(by: jid) }

  /// The same for the recipient of a message.
  /// - Throws: `NatterError` for an occupant who cannot be sent messages.
  func partner(_ jid: JID) async throws -> JID {
    let jid = try await meant(by: jid)
    guard let nick = jid.resource else { return jid }
    let arguments = ["name": People.nick(nick), "room": jid.bare.description]
    guard try await isRoom(jid.bare) else {
      throw NatterError(.refused, "error.room.unknownForOne", arguments)
    }
    guard let room = rooms[jid.bare], room.phase != .outside else {
      throw NatterError(.refused, "error.room.outsideForOne", arguments)
    }
    guard room.nick != nick else {
      throw NatterError(.invalidInput, "error.ownAddress", ["text": jid.description])
    }
    if room.phase == .inside {
      let isThere = await ports.rooms.occupants(of: jid.bare).contains { $0.nick == nick }
      if !isThere { throw NatterError(.refused, "error.room.absent", arguments) }
    } else if try await ports.conversations.conversation(jid) == nil {
      // Who is there is not known; to whom one talked before one can go on talking.
      throw NatterError(.refused, "error.room.notYetInside", arguments)
    }
    return jid
  }

  /// The account of `jid`: an occupant's as far as the room reveals it.
  /// - Throws: `NatterError` where it does not.
  func contact(_ jid: JID) async throws -> JID {
    let jid = try await meant(by: jid)
    guard let nick = jid.resource else { return jid }
    guard try await isRoom(jid.bare) else { return jid.bare }
    let occupant = await ports.rooms.occupants(of: jid.bare).first { $0.nick == nick }
    if let account = occupant?.jid?.bare { return account }
    throw NatterError(.invalidInput, "error.room.hidesAddress", ["name": People.nick(nick)])
  }

  /// All of texts of which events have the beginning.
  var wholeEvents: WholeEvents {
    WholeEvents(timeline: ports.timeline) { self.report($0) }
  }
}
