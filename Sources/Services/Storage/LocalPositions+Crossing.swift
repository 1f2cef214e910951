import FoundationEssentials
import NatterCore
import SQLite
import XMPP

extension LocalPositions {
  /// Examines messages that the server has by now. Messages behind them that were received before
  /// the server acknowledged them crossed them in transit: only the archive knows which came first.
  /// - Parameters:
  ///   - messages: `nil`: all that were not examined yet.
  ///   - date: the earliest time of sending.
  /// - Returns: the archive positions of the last messages before those that something has crossed.
  static func crossed(
    _ messages: [Message.ID]?, since date: Date, in db: DatabaseConnection
  ) throws -> [ArchivePosition] {
    var positions = LocalPositions(in: db)
    var found: Set<ArchivePosition> = []
    for row in try positions.unplaced(messages?.map(\.rawValue), since: date) {
      guard let entry = try positions.entry(row.id) else { continue }
      let last = try positions.anchor(in: row.conversation, before: nil)
      guard let last, last.position > entry.position else {
        try positions.write(entry, from: entry, after: last?.row ?? 0)
        continue
      }
      let before = try db.firstRow(
        """
        SELECT stanza_id, position FROM message INDEXED BY message_page
        WHERE conversation = ? AND position < ? AND is_outgoing = 0 AND stanza_id IS NOT NULL
        ORDER BY position DESC, id DESC LIMIT 1
        """, row.conversation, entry.position.time
      ) { ArchivePosition(id: $0.string(0), at: ColumnCoding.date($0.int64(1))) }
      found.insert(before ?? ArchivePosition(id: "", at: .distantPast))
    }
    return found.sorted { $0.at < $1.at }
  }

  /// Those of `rows` that the server has and whose position is not known. A room reflects its own.
  private func unplaced(_ rows: [Int64]?, since date: Date) throws -> [(
    id: Int64, conversation: Int64
  )] {
    let among = rows.map { "[\($0.map(String.init).joined(separator: ","))]" }
    let source = among == nil ? "message" : "json_each(?2) CROSS JOIN message ON message.id = value"
    return try db.rows(
      """
      SELECT message.id, conversation FROM \(source) JOIN conversation
        ON conversation.id = message.conversation
      WHERE follows IS NULL AND corrects IS NULL AND kind <> 'room' AND attempted_at >= ?1
        AND delivery IN ('sent', 'delivered', 'read') ORDER BY message.id
      """, arguments: [ColumnCoding.microseconds(date)] + (among.map { [$0] } ?? [])
    ) { (id: $0.int64(0), conversation: $0.int64(1)) }
  }
}
