import ConnectionService
import Diagnostics
import NatterCore
import RoomService
import Storage
import ViewModels
import XMPP

/// What became of a message or a file, for the program that sent it and for the one that sends it in its place.
nonisolated enum SendOutcome: Sendable {
  case accepted
  case failed(String)
  /// It has more bytes than the server takes, and was not sent.
  case oversized(String)
  /// The file is not on the web; nothing was sent.
  case notShared(String)
  case notConnected(ConnectionProblem)
  /// The person ended the command, by a signal of that number.
  case interrupted(Int32)
  case timedOut

  /// How long the server may take to say that it refuses what it has acknowledged.
  static let refusalLimit = Duration.seconds(10)

  /// Asks what is at an address (XEP-0030), which rooms answer in the order of what they get.
  static func question(to jid: JID) -> Element {
    Element(
      "iq", Namespace.client, ["type": "get", "to": jid.description],
      [Element("query", Namespace.discoInfo)])
  }

  /// What becomes of something for `conversation` where that is a room that does not let the person in; `nil`: nothing yet. One
  /// that is tried again by itself may take it later.
  init?(of conversation: JID, in rooms: [Room], _ format: ItemFormat) {
    guard let room = rooms.first(where: { $0.jid == conversation.bare }), room.phase == .outside,
      room.exit?.mayPass != true,
      let standing = TimelineIncident.standing(in: room, format: format)
    else { return nil }
    self = .failed(standing)
  }
}

nonisolated extension AccountServices {
  /// Whom something for `address` is sent to.
  /// - Throws: `StorageError`.
  func recipient(_ address: JID) async throws -> JID {
    try await AddressBook(
      of: account.jid, rooms: rooms, conversations: database.conversations,
      roster: database.roster
    ).meant(by: address)
  }

  /// Why nothing can be sent to a room that the person is not in, as a sentence; `nil`: it is none.
  func refusal(outside recipient: JID) async -> String? {
    let room = await rooms.rooms().first { $0.jid == recipient.bare }
    // Of a person who is known here only the bare address is left.
    guard room.map({ $0.phase == .outside }) ?? !recipient.isBare else { return nil }
    return localizer("cli.send-outside", ["room": recipient.bare.description])
  }

  /// What has become of messages that the server has acknowledged, once all is read that it sent meanwhile: that it has them
  /// does not mean that it takes them.
  func verdict(on ids: [Message.ID]) async -> SendOutcome {
    do {
      // Rooms are apart from the server that has acknowledged it: what one refuses it has refused once it answers again.
      var rooms: Set<JID> = []
      for id in ids {
        let conversation = try await database.messages.storedMessage(id)?.conversation
        if let conversation, !conversation.isBare { rooms.insert(conversation.bare) }
      }
      for room in rooms {
        _ = try? await connection.request(
          SendOutcome.question(to: room), timeout: SendOutcome.refusalLimit)
      }
      // Without an answer the acknowledgement is all that there is.
      try? await connection.settle(timeout: SendOutcome.refusalLimit)
      for id in ids {
        let delivery = try await database.messages.storedMessage(id)?.delivery
        if case .failed(let reason) = delivery { return .failed(reason) }
      }
    } catch {
      // It was stored a moment ago that the server has it: nothing else is known.
      log.warning("a message that was sent could not be read again: \(error)")
    }
    return .accepted
  }
}
