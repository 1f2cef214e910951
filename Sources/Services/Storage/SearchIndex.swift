import NatterCore
import SQLite

/// The full-text index of the texts of messages and of the names of their files (`message_text`).
///
/// FTS5 flushes its memory to the disk before each statement that may have to be rolled back by
/// itself, such as an insertion with a trigger, and at the end of each transaction: each time as a
/// segment of its own, and merging them costs more than all else that storing a message takes. So
/// messages are indexed in batches.
///
/// After a change of the tokenizer the index is empty, and is filled newest first. It then has all
/// messages between two ids: older ones are missing, newer ones wait.
enum SearchIndex {
  /// The number of messages that may wait: indexing them takes no longer than a frame.
  static let limit: Int64 = 1000
  /// The number of missing messages that are indexed in one transaction, which writers wait for.
  static let batch = 2000
  /// The pages that one transaction merges.
  private static let mergedPages = 200

  /// The ids of messages that the index has.
  struct Extent {
    /// Messages up to this id are missing.
    var missingUpTo: Int64
    /// Later messages wait.
    var newest: Int64
  }

  static func extent(in db: DatabaseConnection) throws -> Extent {
    // Ids are never used again, so every row newer than the newest in the index is not in it.
    try db.firstRow(
      """
      SELECT missing_up_to, MAX(missing_up_to,
        COALESCE((SELECT MAX(id) FROM message_text_docsize), 0)) FROM search_progress
      """
    ) { Extent(missingUpTo: $0.int64(0), newest: $0.int64(1)) }
      ?? Extent(missingUpTo: 0, newest: 0)
  }

  /// Indicates whether so many messages match a MATCH expression that reading all messages, newest
  /// first, finds the newest matches sooner than looking up each match.
  static func hasMany(_ match: String, in db: DatabaseConnection) throws -> Bool {
    let count = try db.firstRow(
      """
      SELECT COUNT(*) FROM (
        SELECT rowid FROM message_text WHERE message_text MATCH ? LIMIT ?)
      """, match, SearchMatches.countLimit
    ) { $0.int(0) }
    return count == SearchMatches.countLimit
  }

  /// Indexes waiting messages if there are many. To be called at the end of each transaction that
  /// inserts messages.
  static func takeUpMany(in db: DatabaseConnection) throws {
    if try waiting(in: db) >= limit { try takeUp(in: db) }
  }

  /// Indexes all waiting messages.
  static func takeUp(in db: DatabaseConnection) throws {
    try add("message.id > ?", [try extent(in: db).newest], in: db)
  }

  /// Returns the largest possible number of waiting messages: some of them may be gone.
  static func waiting(in db: DatabaseConnection) throws -> Int64 {
    let newest = try db.firstRow("SELECT COALESCE(MAX(id), 0) FROM message") { $0.int64(0) } ?? 0
    return newest - (try extent(in: db).newest)
  }

  /// Indexes the newest of the messages that are missing.
  /// - Returns: `false` if none was.
  static func fill(in db: DatabaseConnection, batch: Int = Self.batch) throws -> Bool {
    let missing = try extent(in: db).missingUpTo
    guard missing > 0 else { return false }
    let last = try db.firstRow(
      """
      SELECT MIN(id), COUNT(*) FROM (
        SELECT id FROM message WHERE id <= ? ORDER BY id DESC LIMIT ?)
      """, missing, batch
    ) { (id: $0.int64(0), isFirst: $0.int(1) < batch) }
    if let last {
      // In the order of their ids: for each step back FTS5 would begin another segment.
      try add("message.id BETWEEN ? AND ?", [last.id, missing], in: db)
    }
    let rest = last.map { $0.isFirst ? 0 : $0.id - 1 } ?? 0
    try db.run("UPDATE search_progress SET missing_up_to = ?", rest)
    return true
  }

  /// Merges a part of the index after a deletion: versions of SQLite before 3.42 keep its tokens
  /// in old parts until these are merged.
  /// - Returns: `false` if there is nothing to merge.
  static func merge(in db: DatabaseConnection) throws -> Bool {
    let isNeeded = try db.firstRow("SELECT needs_merge FROM search_progress") { $0.bool(0) }
    guard isNeeded == true else { return false }
    let before = try changes(in: db)
    try db.run(
      "INSERT INTO message_text (message_text, rank) VALUES ('merge', ?)", -mergedPages)
    // SQLite, FTS5 §6.8: the statement itself counts as one change.
    if try changes(in: db) - before < 2 {
      try db.run("UPDATE search_progress SET needs_merge = 0")
    }
    return true
  }

  private static func changes(in db: DatabaseConnection) throws -> Int64 {
    try db.firstRow("SELECT total_changes()") { $0.int64(0) } ?? 0
  }

  private static func add(
    _ condition: String, _ arguments: [any SQLConvertible], in db: DatabaseConnection
  ) throws {
    try db.run(
      """
      INSERT INTO message_text (rowid, body, file_name)
        SELECT id, body, file_name FROM message WHERE \(condition) ORDER BY message.id
      """, arguments: arguments)
  }
}
