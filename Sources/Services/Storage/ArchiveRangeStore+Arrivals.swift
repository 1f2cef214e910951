import FoundationEssentials
import NatterCore
import SQLite
import XMPP

// Messages of imports say nothing of what was received before or after them.
extension ArchiveRangeStore: ArrivalReading {
  package func newestOutgoing(in conversation: JID, after date: Date) async throws -> Date? {
    let jid = conversation.description
    let time = ColumnCoding.microseconds(date)
    return try await database.storing { database in
      try await database.read { db in
        try db.firstRow(
          """
          SELECT position FROM conversation CROSS JOIN message INDEXED BY message_page
            ON message.conversation = conversation.id
            WHERE conversation.jid = ? AND position > ? AND is_outgoing = 1
              AND attempted_at IS NULL AND delivery NOT IN ('queued', 'failed')
              AND NOT (kind = 'room' AND occupant_id IS NULL AND is_delayed = 1)
            ORDER BY position DESC LIMIT 1
          """, jid, time
        ) { ColumnCoding.date($0.int64(0)) }
      }
    }
  }

  package func newestReceived(in conversation: JID, between gaps: [(after: Date, before: Date)])
    async throws -> [ArchivePosition?]
  {
    try await database.storing { database in
      try await database.read { db in
        guard let record = try ConversationRecord.find(conversation, in: db) else {
          return gaps.map { _ in nil }
        }
        return try gaps.map { gap in
          try db.firstRow(
            """
            SELECT stanza_id, position FROM message INDEXED BY message_page
            WHERE conversation = ? AND position > ? AND position < ? AND is_outgoing = 0
              AND import_batch IS NULL ORDER BY position DESC, id DESC LIMIT 1
            """, record.rowID, ColumnCoding.microseconds(gap.after),
            ColumnCoding.microseconds(gap.before)
          ) { ArchivePosition(id: $0.optionalString(0) ?? "", at: ColumnCoding.date($0.int64(1))) }
        }
      }
    }
  }

  package func conversations(receivedBefore date: Date) async throws -> [JID] {
    let time = ColumnCoding.microseconds(date)
    return try await database.storing { database in
      try await database.read { db in
        try db.rows(
          """
          SELECT jid FROM conversation WHERE EXISTS (
            SELECT 1 FROM message INDEXED BY message_page
            WHERE message.conversation = conversation.id AND position < ? AND is_outgoing = 0
              AND import_batch IS NULL)
          """, time
        ) { ColumnCoding.jid($0.string(0)) }
      }
    }
  }

  package func kept(in conversation: JID, after: Date, before: Date) async throws
    -> ClosedRange<Date>?
  {
    try await database.storing { database in
      try await database.read { db in
        guard let record = try ConversationRecord.find(conversation, in: db) else { return nil }
        func end(_ direction: String) throws -> Date? {
          try db.firstRow(
            """
            SELECT position FROM message INDEXED BY message_page
            WHERE conversation = ? AND position > ? AND position < ? AND is_outgoing = 0
              AND is_delayed = 1 AND stanza_id IS NOT NULL AND import_batch IS NULL
            ORDER BY position \(direction) LIMIT 1
            """, record.rowID, ColumnCoding.microseconds(after), ColumnCoding.microseconds(before)
          ) { ColumnCoding.date($0.int64(0)) }
        }
        guard let first = try end("ASC"), let last = try end("DESC") else { return nil }
        return first...last
      }
    }
  }

  package func localIDs(among originIDs: [String]) async throws -> Set<String> {
    guard !originIDs.isEmpty else { return [] }
    return try await database.storing { database in
      try await database.read { db in
        var found: Set<String> = []
        for id in originIDs {
          let isHere = try db.firstRow(
            """
            SELECT 1 FROM message WHERE is_outgoing = 1 AND origin_id = ?
              AND (attempted_at IS NOT NULL OR delivery IN ('queued', 'failed'))
            """, id
          ) { _ in true }
          if isHere != nil { found.insert(id) }
        }
        return found
      }
    }
  }
}
