import SQLite

/// The full-text index of the texts of messages (`message_text`).
///
/// FTS5 flushes its memory to the disk before each statement that may have to be rolled back by
/// itself, such as an insertion with a trigger, and at the end of each transaction: each time as a
/// segment of its own, and merging them costs more than all else that storing a message takes. So
/// messages are indexed in batches, or when the user searches.
enum SearchIndex {
  /// The number of messages that may wait: indexing them takes no longer than a frame.
  static let limit: Int64 = 1000

  /// Indexes waiting messages if there are many. To be called at the end of each transaction that
  /// inserts messages.
  static func takeUpMany(in db: DatabaseConnection) throws {
    if try waiting(in: db) >= limit { try takeUp(in: db) }
  }

  /// Indexes all waiting messages. To be called before a search.
  static func takeUp(in db: DatabaseConnection) throws {
    // Ids are never used again, so every row newer than the newest in the index is not in it.
    try db.run(
      """
      INSERT INTO message_text (rowid, body) SELECT id, body FROM message
      WHERE id > (SELECT COALESCE(MAX(id), 0) FROM message_text_docsize)
      """)
  }

  /// Returns the largest possible number of waiting messages: some of them may be gone.
  static func waiting(in db: DatabaseConnection) throws -> Int64 {
    try db.firstRow(
      """
      SELECT COALESCE((SELECT MAX(id) FROM message), 0)
        - COALESCE((SELECT MAX(id) FROM message_text_docsize), 0)
      """
    ) { $0.int64(0) } ?? 0
  }
}
