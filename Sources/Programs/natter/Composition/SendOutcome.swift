import ConnectionService
import Diagnostics
import NatterCore
import RoomService
import Storage
import Text
import ViewModels
import XML
import XMPP

/// The result of sending a message or a file, for the program that sent it and for the instance
/// that sends it on behalf of another.
nonisolated enum SendOutcome: Sendable {
  case accepted
  case failed(String)
  /// It has more bytes than the server takes, and was not sent.
  case oversized(String)
  /// The file could not be uploaded; nothing was sent.
  case notShared(String)
  case notConnected(ConnectionProblem)
  /// The user ended the command by a signal of that number.
  case interrupted(Int32)
  case timedOut

  /// `true` if the message stays unsent: the server refused it, or would refuse it for its size.
  var isRefusal: Bool {
    switch self {
    case .failed, .oversized: true
    case .accepted, .notShared, .notConnected, .interrupted, .timedOut: false
    }
  }

  /// The time within which the server may refuse a message that it has acknowledged. A query for
  /// the features of a room (XEP-0030) shows it earlier: rooms process it in order with the
  /// messages before it.
  static let refusalLimit = Duration.seconds(10)

  /// The failure of sending to `conversation` if that is a room that the user cannot join; `nil`:
  /// undecided yet. A room that is joined again automatically may take the message later.
  init?(of conversation: JID, in rooms: [Room], _ format: ItemFormat) {
    guard let room = rooms.first(where: { $0.jid == conversation.bare }), room.phase == .outside,
      room.exit?.mayPass != true,
      let absence = TimelineIncident.absence(in: room, format: format)
    else { return nil }
    self = .failed(absence)
  }
}

nonisolated extension AccountServices {
  /// The recipient of something for `address`.
  /// - Throws: `StorageError`.
  func recipient(_ address: JID) async throws -> JID {
    try await addresses.meant(by: address)
  }

  private var addresses: AddressBook {
    AddressBook(
      of: account.jid, rooms: rooms, conversations: database.conversations,
      roster: database.roster)
  }

  /// Returns `true` if `recipient` is on no list of the account and may be a room's address.
  /// - Throws: `StorageError`.
  func mayBeRoom(_ recipient: JID) async throws -> Bool {
    try await addresses.mayBeRoom(recipient)
  }

  /// Returns `true` if the service of an address that is on no list calls it a room; without a
  /// connection, nothing is known.
  private func isUnknownRoom(_ recipient: JID) async -> Bool {
    do {
      guard try await mayBeRoom(recipient) else { return false }
    } catch {
      log.warning("looking for the owner of an address failed: \(error)")
      return false
    }
    return await rooms.isRoom(recipient)
  }

  /// Why nothing can be sent to a room that the user has not joined, as a sentence; `nil`: it is no
  /// such room.
  func refusal(outside recipient: JID) async -> String? {
    let room = await rooms.rooms().first { $0.jid == recipient.bare }
    let isOutside: Bool
    if let room {
      isOutside = room.phase == .outside
    } else if recipient.isBare {
      isOutside = await isUnknownRoom(recipient)
    } else {
      // The recipient of a known contact is only the bare address.
      isOutside = true
    }
    guard isOutside else { return nil }
    return localizer("cli.send-outside", ["room": recipient.bare.description])
  }

  /// The result of messages that the server has acknowledged, once all stanzas that it sent
  /// meanwhile are read: an acknowledged message can still be refused.
  func verdict(on ids: [Message.ID]) async -> SendOutcome {
    do {
      // A room is separate from the server that sent the acknowledgement: when it answers a query,
      // it has processed the message before.
      var rooms: Set<JID> = []
      for id in ids {
        let conversation = try await database.timeline.storedMessage(id)?.conversation
        if let conversation, !conversation.isBare { rooms.insert(conversation.bare) }
      }
      for room in rooms {
        _ = try? await connection.request(
          XEP0030Discovery.question(to: room), timeout: SendOutcome.refusalLimit)
      }
      // Without an answer, the acknowledgement has to do.
      try? await connection.settle(timeout: SendOutcome.refusalLimit)
      for id in ids {
        let delivery = try await database.timeline.storedMessage(id)?.delivery
        if case .failed(let reason) = delivery { return .failed(reason) }
      }
    } catch {
      // The acknowledgement was stored a moment ago; nothing else is known.
      log.warning("a message that was sent could not be read again: \(error)")
    }
    return .accepted
  }
}
