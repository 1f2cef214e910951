import FoundationEssentials
import NatterCore
import SQLite
import XMPP

extension OutboxStore: DeliveryStoring {
  package func setDelivery(_ delivery: Delivery, ofOriginID originID: String) async throws
    -> Message?
  {
    try await setDelivery(delivery, ofOriginID: originID, onlyIn: nil)
  }

  package func setDelivery(_ delivery: Delivery, ofOriginID originID: String, sentTo peer: JID)
    async throws -> Message?
  {
    try await setDelivery(delivery, ofOriginID: originID, onlyIn: peer)
  }

  package func giveUp(_ originID: String, reason: String) async throws -> Message? {
    try await database.storing { database in
      try await database.write { db in
        guard try Self.outgoing(originID, in: db)?.delivery == .queued else { return nil }
        return try Self.setDelivery(
          .failed(reason: reason), ofOriginID: originID, onlyIn: nil, isRefused: false, in: db)
      }
    }
  }

  private func setDelivery(_ delivery: Delivery, ofOriginID originID: String, onlyIn peer: JID?)
    async throws -> Message?
  {
    try await database.storing { database in
      try await database.write { db in
        try Self.setDelivery(delivery, ofOriginID: originID, onlyIn: peer, in: db)
      }
    }
  }

  static func setDelivery(
    _ delivery: Delivery, ofOriginID originID: String, onlyIn peer: JID?, isRefused: Bool = true,
    in db: DatabaseConnection
  ) throws -> Message? {
    guard let message = try outgoing(originID, sentTo: peer, in: db),
      message.delivery?.mayBecome(delivery) == true
    else { return nil }
    // A refused message that is sent again is new: its copy in an archive does not count.
    if delivery.failure != nil, isRefused {
      try RefusedCopyRecord.open(message.id.rawValue, in: db)
    }
    try db.run(
      "UPDATE message SET delivery = ?, failure = ? WHERE id = ?",
      ColumnCoding.name(of: delivery), delivery.failure, message.id.rawValue)
    if delivery == .queued || delivery.failure != nil && isRefused {
      try db.run("UPDATE message SET attempted_at = NULL WHERE id = ?", message.id.rawValue)
    }
    // A reaction that has no recipient does not count.
    if message.effect == .reaction, let target = try target(of: message.id, in: db) {
      try ReactionRecord.settle(target, in: db)
    }
    return try db.firstRow(OutboxQuery.byID, message.id.rawValue, map: MessageRecord.message)
  }

  private static func target(of id: Message.ID, in db: DatabaseConnection) throws -> Int64? {
    // 0: the message is not here, and nothing of it has to be counted.
    try db.firstRow("SELECT corrects FROM message WHERE id = ? AND corrects > 0", id.rawValue) {
      $0.int64(0)
    }
  }

  /// The newest outgoing message with `originID`: other clients may reuse ids.
  static func outgoing(
    _ originID: String, sentTo peer: JID? = nil, in db: DatabaseConnection
  ) throws -> Message? {
    let messages = try db.rows(OutboxQuery.byOriginID, originID, map: MessageRecord.message)
    guard let peer else { return messages.first }
    return try messages.first { message in
      if message.conversation == peer { return true }
      guard message.conversation == peer.bare else { return false }
      // Elsewhere a resource is one of the user's clients; in a room it is any occupant.
      return try ConversationRecord.find(message.conversation, in: db)?.conversation.kind != .room
    }
  }
}
