import FoundationEssentials
import NatterCore
import SQLite
import XMPP

// Corrections of local messages, and removals from the outbox.
extension MessageStore {
  package func enqueueCorrection(
    of id: Message.ID, body: String, from sender: JID, originID: String, at date: Date
  ) async throws -> Message? {
    try await database.storing { database in
      try await database.write { db in
        guard
          let target = try db.firstRow(OutboxQuery.byID, id.rawValue, map: MessageRecord.message),
          target.direction == .outgoing, target.file == nil, !target.isRetracted,
          let replaced = target.originID,
          let record = try ConversationRecord.find(target.conversation, in: db)
        else { return nil }
        if case .failed = target.delivery { return nil }
        var typed = IncomingMessage(
          conversation: target.conversation, sender: sender, direction: .outgoing, body: body,
          sentAt: date, originID: originID)
        (typed.replaces, typed.reply) = (replaced, target.reply)
        let corrected = try CorrectionRecord.insert(
          typed, delivery: .queued, correcting: target.id.rawValue, conversation: record.rowID,
          in: db)
        try SearchIndex.takeUpMany(in: db)
        return corrected
      }
    }
  }

  package func remove(_ id: Message.ID) async throws -> OutboxRemoval? {
    try await database.storing { database in
      try await database.write { db in try Self.remove(id, in: db) }
    }
  }

  static func remove(_ id: Message.ID, in db: DatabaseConnection) throws -> OutboxRemoval? {
    let conversation = try db.firstRow(
      """
      DELETE FROM message WHERE id = ? AND delivery IN ('queued', 'failed') RETURNING conversation
      """, id.rawValue, map: { $0.int64(0) })
    if let conversation {
      try db.run("DELETE FROM message WHERE corrects = ?", id.rawValue)
      try db.run(
        """
        UPDATE conversation SET last_activity =
          (SELECT MAX(sent_at) FROM message
            WHERE message.conversation = conversation.id AND corrects IS NULL)
        WHERE id = ?
        """, conversation)
      return .gone
    }
    try db.run(
      """
      DELETE FROM message WHERE corrects = ? AND effect IS NULL
        AND delivery IN ('queued', 'failed')
      """, id.rawValue)
    guard db.changes > 0 else { return nil }
    try CorrectionRecord.settle(id.rawValue, in: db)
    return try db.firstRow(OutboxQuery.byID, id.rawValue, map: MessageRecord.message)
      .map { .restored($0) }
  }
}
