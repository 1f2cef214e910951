import NatterCore
import SQLite

/// Removes what an import added, the newest first.
struct ImportRemoval {
  let batch: Int64
  let db: DatabaseConnection

  init(of batch: Int64, in db: DatabaseConnection) { (self.batch, self.db) = (batch, db) }

  /// Removes some of the messages. Once none is left, the empty conversations that the import
  /// created and the import itself go, too.
  /// - Returns: the number of messages and corrections among them; `nil`: none was left.
  func step() throws -> Int? {
    let rows = try db.rows(
      """
      SELECT id, conversation, corrects, effect IS NOT NULL FROM message
      WHERE import_batch = ? ORDER BY id DESC LIMIT ?
      """, batch, ImportStore.step
    ) { (id: $0.int64(0), conversation: $0.int64(1), target: $0.int64(2), isEffect: $0.bool(3)) }
    guard let first = rows.last?.id else {
      try finish()
      return nil
    }
    // Changes that came later, and not with the import, wait for their message again.
    try db.run(
      """
      UPDATE message SET corrects = CASE WHEN effect IS NULL THEN NULL ELSE 0 END,
        body = CASE WHEN effect IS NULL THEN COALESCE(first_body, body) ELSE body END,
        first_body = CASE WHEN effect IS NULL THEN NULL ELSE first_body END
      WHERE import_batch IS NOT ?1 AND corrects IN (
        SELECT id FROM message WHERE import_batch = ?1 AND id >= ?2)
      """, batch, first)
    try db.run("DELETE FROM message WHERE import_batch = ? AND id >= ?", batch, first)
    for target in Set(rows.filter { !$0.isEffect && $0.target > 0 }.map(\.target)) {
      try CorrectionRecord.settle(target, in: db)
    }
    for target in Set(rows.filter { $0.isEffect && $0.target > 0 }.map(\.target)) {
      guard try exists(target) else { continue }
      try ReactionRecord.settle(target, in: db)
    }
    for conversation in Set(rows.map(\.conversation)) {
      try db.run(
        """
        UPDATE conversation SET last_activity =
          (SELECT MAX(position) FROM message
            WHERE message.conversation = conversation.id AND corrects IS NULL)
        WHERE id = ?
        """, conversation)
    }
    return rows.count { !$0.isEffect }
  }

  private func exists(_ row: Int64) throws -> Bool {
    try db.firstRow("SELECT 1 FROM message WHERE id = ?", row) { _ in true } ?? false
  }

  private func finish() throws {
    try db.run(
      """
      DELETE FROM conversation WHERE import_batch = ? AND draft = '' AND name IS NULL
        AND NOT EXISTS (SELECT 1 FROM message WHERE message.conversation = conversation.id)
        AND NOT EXISTS (
          SELECT 1 FROM input_history WHERE input_history.conversation = conversation.id)
      """, batch)
    // The others go with the next import that has messages in them.
    try db.run(
      """
      UPDATE conversation SET import_batch =
        (SELECT import_batch FROM message
          WHERE message.conversation = conversation.id AND import_batch IS NOT NULL LIMIT 1)
      WHERE import_batch = ?
      """, batch)
    try db.run("DELETE FROM import_batch WHERE id = ?", batch)
  }
}
