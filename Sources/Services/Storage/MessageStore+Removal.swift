import FoundationEssentials
import NatterCore
import SQLite
import XMPP

// Removals from the outbox.
extension MessageStore {
  package var relations: any RelationStoring { RelationStore(database) }

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
