import NatterCore
import SQLite
import XMPP

/// Rows of `refused_copy`.
enum RefusedCopyRecord {
  /// Records that the message of the row `id` is refused, for the first time or again: a copy that
  /// an archive has by now is no evidence that it arrived. A message that never left this machine
  /// has no copy; a message that the server has by its state was sent, perhaps by another instance.
  /// To be called before the state says that it is refused.
  static func open(_ id: Int64, in db: DatabaseConnection) throws {
    try db.run(
      """
      INSERT INTO refused_copy (message)
        SELECT id FROM message WHERE id = ?1 AND (attempted_at IS NOT NULL OR delivery IN ('sent', 'delivered', 'read'))
          AND NOT EXISTS (SELECT 1 FROM refused_copy WHERE message = ?1 AND stanza_id IS NULL)
      """, id)
  }

  /// Returns `true` if the archive's copy `stanzaID` of the message is evidence that it arrived.
  static func counts(_ stanzaID: String?, of id: Int64, in db: DatabaseConnection) throws -> Bool {
    let copies = try db.rows("SELECT stanza_id FROM refused_copy WHERE message = ?", id) {
      $0.optionalString(0)
    }
    guard !copies.isEmpty else { return true }
    guard let stanzaID else { return !copies.contains(nil) }
    if copies.contains(nil) {
      try db.run("INSERT OR IGNORE INTO refused_copy VALUES (?, ?)", id, stanzaID)
      return false
    }
    return !copies.contains(stanzaID)
  }
}
