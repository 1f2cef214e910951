import SQLite
import XMPP

extension ConversationStore {
  /// Removes a conversation in which nothing was ever said or typed.
  package func removeUnused(_ jid: JID) async throws {
    try await database.storing { database in
      try await database.write { db in try ConversationRecord.removeUnused(jid, in: db) }
    }
  }
}

extension ConversationRecord {
  fileprivate static func removeUnused(_ jid: JID, in db: DatabaseConnection) throws {
    try db.run(
      """
      DELETE FROM conversation WHERE jid = ? AND kind = 'direct' AND draft = ''
        AND NOT EXISTS (SELECT 1 FROM message WHERE conversation = conversation.id)
      """, jid.description)
  }
}
