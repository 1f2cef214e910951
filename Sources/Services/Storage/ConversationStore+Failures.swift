import NatterCore
import SQLite
import XMPP

// Messages that could not be sent and that the user has not seen since.
extension ConversationStore {
  package func unseenFailures() async throws -> [JID: Set<Message.ID>] {
    let rows = try await database.storing { database in
      try await database.read { db in
        try db.rows(FailureQuery.unseen) {
          (ColumnCoding.jid($0.string(0)), Message.ID($0.int64(1)))
        }
      }
    }
    return rows.reduce(into: [:]) { $0[$1.0, default: []].insert($1.1) }
  }

  package func markFailuresSeen(_ ids: Set<Message.ID>) async throws {
    try await database.storing { database in
      try await database.write { db in
        for id in ids { try db.run(FailureQuery.markSeen, id.rawValue) }
      }
    }
  }
}

/// The statements about messages that could not be sent.
package enum FailureQuery {
  /// The failures by the displayed message: a failed correction counts for the message that it
  /// corrects; reactions and retractions are not displayed.
  package static let unseen = """
    SELECT conversation.jid, COALESCE(target.id, failed.id)
    FROM message AS failed INDEXED BY message_failed
      CROSS JOIN conversation ON conversation.id = failed.conversation
      LEFT JOIN message AS target ON target.id = failed.corrects AND target.edit = failed.id
        AND target.retraction IS NULL
    WHERE failed.delivery = 'failed' AND failed.is_failure_seen = 0 AND failed.effect IS NULL
      AND failed.retraction IS NULL
      AND (target.id IS NOT NULL OR failed.corrects IS NULL AND failed.edit IS NULL)
    """
  /// Marks the failure of a message, and of its last correction, as seen.
  package static let markSeen = """
    UPDATE message SET is_failure_seen = 1 WHERE delivery = 'failed'
      AND (id = ?1 OR id = (SELECT edit FROM message WHERE id = ?1))
    """
}
