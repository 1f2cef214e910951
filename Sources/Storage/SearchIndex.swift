import SQLite

/// The full-text index of what messages say (`message_text`).
///
/// FTS5 writes what it holds in memory to the disk before each statement that may have to be undone by itself, as an insertion
/// with a trigger is: then each message becomes a segment of its own, and merging them costs more than all else that is done to
/// store it. So messages are taken up together, by one statement at the end of the transaction that brought them.
enum SearchIndex {
  /// Takes up the messages that were inserted since it was called last. To be called at the end of each transaction that
  /// inserts messages; what one should have left out comes with the next.
  static func takeUp(in db: DatabaseConnection) throws {
    // Ids are never used again, so whatever is newer than the newest in the index is not in it.
    try db.run(
      """
      INSERT INTO message_text (rowid, body) SELECT id, body FROM message
      WHERE id > (SELECT COALESCE(MAX(id), 0) FROM message_text_docsize)
      """)
  }
}
