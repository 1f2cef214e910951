import FoundationEssentials
import NatterCore
import SQLite
import XMPP

// The position of messages that had waited at a server: after those that had arrived, and before
// live ones.
extension MessageRecord {
  /// Returns the stored time of the message that a delayed message follows; `nil`: none precedes
  /// it.
  ///
  /// Messages that an archive has returned since the connection precede it as far as they continue
  /// what was known then. A page further up does not count: the messages in between are not known
  /// yet, and this one is among them.
  /// - Parameter last: the previous delayed message, if it came in the same batch.
  static func time(
    followedBy follows: IncomingMessage.Following, last: Message.ID?, in record: ConversationRecord,
    _ db: DatabaseConnection
  ) throws -> Date? {
    guard let arrived = follows.arrived else {
      return try lastIncoming(before: follows.before, in: record, db)
    }
    var times: [Date] = []
    if let last = last ?? follows.last {
      times += try db.rows(
        "SELECT position FROM message WHERE id = ? AND conversation = ?", last.rawValue,
        record.rowID
      ) { ColumnCoding.date($0.int64(0)) }
    }
    if times.isEmpty {
      // Once for each conversation and connection: it may have to skip what an archive has returned
      // since.
      times += try db.rows(
        """
        SELECT position FROM message INDEXED BY message_page WHERE conversation = ? AND position < ?
          AND is_outgoing = 0 AND id <= ? ORDER BY position DESC LIMIT 1
        """, record.rowID, ColumnCoding.microseconds(follows.before), arrived.newest.rawValue
      ) { ColumnCoding.date($0.int64(0)) }
    }
    if let stretch = arrived.stretch, let end = try end(of: stretch, db) {
      // Up to its end, inclusive: two of the column's units.
      let limit = min(follows.before, end + 0.000_002)
      times += try lastIncoming(before: limit, in: record, db).map { [$0] } ?? []
    }
    return times.max()
  }

  /// Returns the position of the last message that the server has and that is slightly ahead of the
  /// clock: an archive's page may have moved messages there to keep its order, and local messages
  /// behind them. A live message at `time` comes after it.
  static func ahead(of time: Date, in record: ConversationRecord, _ db: DatabaseConnection) throws
    -> Int64?
  {
    try db.firstRow(
      """
      SELECT position FROM message INDEXED BY message_page WHERE conversation = ? AND position > ?
        AND position <= ? AND (is_outgoing = 0 OR delivery IN ('sent', 'delivered', 'read'))
        ORDER BY position DESC LIMIT 1
      """, record.rowID, ColumnCoding.microseconds(time), ColumnCoding.microseconds(time + 0.05)
    ) { $0.int64(0) }
  }

  /// Returns the present end of the stretch.
  private static func end(of stretch: IncomingMessage.Arrived.Stretch, _ db: DatabaseConnection)
    throws -> Date?
  {
    try db.firstRow(
      """
      SELECT end_at FROM archive_range WHERE archive = ? AND peer = '' AND end_at >= ?
        ORDER BY end_at LIMIT 1
      """, stretch.archive.description, ColumnCoding.microseconds(stretch.start)
    ) { ColumnCoding.date($0.int64(0)) }
  }

  /// Returns the time of the last incoming message before `limit`.
  private static func lastIncoming(
    before limit: Date, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Date? {
    try db.firstRow(
      """
      SELECT position FROM message INDEXED BY message_page WHERE conversation = ? AND position < ?
        AND is_outgoing = 0 ORDER BY position DESC LIMIT 1
      """, record.rowID, ColumnCoding.microseconds(limit), map: { ColumnCoding.date($0.int64(0)) })
  }
}

extension IncomingMessage {
  /// `true` if it arrives when it is sent: its time is that of its arrival.
  var comesLive: Bool {
    direction == .incoming && follows == nil && !isDelayed && !isArchived && effect == nil
  }
}
