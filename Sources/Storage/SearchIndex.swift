import SQLite

/// The full-text index of what messages say (`message_text`).
///
/// FTS5 writes what it holds in memory to the disk before each statement that may have to be undone by itself, as an insertion
/// with a trigger is, and at the end of each transaction: each time as a segment of its own, and merging them costs more than all
/// else that is done to store a message. So messages are taken up many at once, or when somebody looks for words.
enum SearchIndex {
  /// How many messages may wait: they are taken up in the time of a frame.
  static let limit: Int64 = 1000

  /// Takes up what waits, where that is much. To be called at the end of each transaction that inserts messages.
  static func takeUpMany(in db: DatabaseConnection) throws {
    if try waiting(in: db) >= limit { try takeUp(in: db) }
  }

  /// Takes up all that was inserted since. To be called before words are looked for.
  static func takeUp(in db: DatabaseConnection) throws {
    // Ids are never used again, so whatever is newer than the newest in the index is not in it.
    try db.run(
      """
      INSERT INTO message_text (rowid, body) SELECT id, body FROM message
      WHERE id > (SELECT COALESCE(MAX(id), 0) FROM message_text_docsize)
      """)
  }

  /// How many messages wait at most: some of them may be gone.
  static func waiting(in db: DatabaseConnection) throws -> Int64 {
    try db.firstRow(
      """
      SELECT COALESCE((SELECT MAX(id) FROM message), 0)
        - COALESCE((SELECT MAX(id) FROM message_text_docsize), 0)
      """
    ) { $0.int64(0) } ?? 0
  }
}
