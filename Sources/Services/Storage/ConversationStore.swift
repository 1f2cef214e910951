import NatterCore
import SQLite
import XMPP

/// The conversations of an account, with drafts and input histories.
package struct ConversationStore: Sendable {
  /// The number of entries in a conversation's input history.
  package static let historyLimit = 500

  let database: Database
  init(_ database: Database) { self.database = database }

  /// Changes the row of `jid` if it exists.
  private func update(
    _ jid: JID, _ change: @Sendable (inout ConversationRecord) -> Void
  ) async throws -> Conversation? {
    try await database.storing { database in
      try await database.write { db in
        guard var record = try ConversationRecord.find(jid, in: db) else { return nil }
        change(&record)
        try record.save(in: db)
        return record.conversation
      }
    }
  }
}

extension ConversationStore: ConversationStoring {
  package func conversations() async throws -> [Conversation] {
    try await conversations(hidden: false)
  }

  package func hiddenConversations() async throws -> [Conversation] {
    try await conversations(hidden: true)
  }

  private func conversations(hidden: Bool) async throws -> [Conversation] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          "SELECT \(ConversationRecord.columns) FROM conversation WHERE is_hidden = ?", hidden
        ) { ConversationRecord($0).conversation }
      }
    }
  }

  package func conversation(_ jid: JID) async throws -> Conversation? {
    try await database.storing { database in
      try await database.read { db in try ConversationRecord.find(jid, in: db)?.conversation }
    }
  }

  package func open(_ jid: JID, kind: Conversation.ConversationKind) async throws -> Conversation {
    try await database.storing { database in
      try await database.write { db in
        var record = try ConversationRecord.findOrCreate(jid, kind: kind, in: db)
        // A room stays a room: otherwise an occupant's JID would be reduced to the room's, and a
        // private message would go to everyone.
        let kind = record.conversation.kind == .room ? .room : kind
        guard record.isHidden || record.conversation.kind != kind else {
          return record.conversation
        }
        record.isHidden = false
        record.conversation.kind = kind
        try record.save(in: db)
        return record.conversation
      }
    }
  }

  package func hide(_ jid: JID) async throws {
    _ = try await update(jid) { record in
      record.isHidden = true
      record.markRead()
    }
  }

  package func markRead(_ jid: JID) async throws -> Conversation? {
    try await update(jid) { $0.markRead() }
  }

  package func markUnread(_ jid: JID) async throws -> Conversation? {
    try await database.storing { database in
      try await database.write { try ConversationRecord.markUnread(jid, in: $0) }
    }
  }

  /// Stores the draft, and creates the conversation if it does not exist, so that the text is not
  /// lost.
  package func setDraft(_ text: String, of jid: JID) async throws {
    try await database.storing { database in
      try await database.write { db in
        if text.isEmpty, try ConversationRecord.find(jid, in: db) == nil { return }
        var record = try ConversationRecord.findOrCreate(jid, in: db)
        record.conversation.draft = text
        try record.save(in: db)
      }
    }
  }
}

extension ConversationStore: InputHistoryStoring {
  package func inputHistory(of jid: JID, limit: Int) async throws -> [String] {
    try await database.storing { database in
      try await database.read { db in
        let jid = try ConversationRecord.key(of: jid, in: db)
        return try db.rows(
          """
          SELECT text FROM conversation CROSS JOIN input_history
            ON input_history.conversation = conversation.id WHERE jid = ?
            ORDER BY input_history.id DESC LIMIT ?
          """, jid.description, max(0, limit)
        ) { $0.string(0) }.reversed()
      }
    }
  }

  /// Appends an entry. A repetition of the last one adds nothing; the oldest beyond `historyLimit`
  /// are removed.
  package func appendToInputHistory(_ text: String, of jid: JID) async throws {
    guard !text.isEmpty else { return }
    try await database.storing { database in
      try await database.write { db in
        let conversation = try ConversationRecord.findOrCreate(jid, in: db).rowID
        let last = try db.firstRow(
          "SELECT text FROM input_history WHERE conversation = ? ORDER BY id DESC", conversation
        ) { $0.string(0) }
        guard text != last else { return }
        try db.run(
          "INSERT INTO input_history (conversation, text) VALUES (?, ?)", conversation, text)
        try db.run(
          """
          DELETE FROM input_history WHERE conversation = ? AND id <= (
            SELECT id FROM input_history WHERE conversation = ? ORDER BY id DESC LIMIT 1 OFFSET ?)
          """, conversation, conversation, Self.historyLimit)
      }
    }
  }
}
