import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Where what had waited at a server has its place: after what had arrived, and before what comes live.
extension MessageRecord {
  /// When what a message follows was sent, as it is stored; `nil`: there is nothing before it.
  ///
  /// What an archive has told since the connection came about is before it as far as it goes on from what was known then. A page
  /// further up says nothing: what lies between is not known yet, and the message is a part of that.
  /// - Parameter last: the one that came in the same way before it, if it came in the same batch.
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
        "SELECT sent_at FROM message WHERE id = ? AND conversation = ?", last.rawValue, record.rowID
      ) { ColumnCoding.date($0.int64(0)) }
    }
    if times.isEmpty {
      // Once for each conversation and connection: it may have to pass what an archive has told since.
      times += try db.rows(
        """
        SELECT sent_at FROM message INDEXED BY message_page WHERE conversation = ? AND sent_at < ?
          AND is_outgoing = 0 AND id <= ? ORDER BY sent_at DESC LIMIT 1
        """, record.rowID, ColumnCoding.microseconds(follows.before), arrived.newest.rawValue
      ) { ColumnCoding.date($0.int64(0)) }
    }
    if let stretch = arrived.stretch, let end = try end(of: stretch, db) {
      // Up to its end, and with it: two of the column's units.
      let limit = min(follows.before, end + 0.000_002)
      times += try lastIncoming(before: limit, in: record, db).map { [$0] } ?? []
    }
    return times.max()
  }

  /// When the last one was sent that the server has and that stands a little ahead of the clock: an archive's page may have been
  /// put there to keep its order, and what was typed here behind it. What comes live at `time` comes after it.
  static func timeAhead(
    of time: Date, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Date? {
    try db.firstRow(
      """
      SELECT sent_at FROM message INDEXED BY message_page WHERE conversation = ? AND sent_at > ?
        AND sent_at <= ? AND (is_outgoing = 0 OR delivery IN ('sent', 'delivered', 'read'))
        ORDER BY sent_at DESC LIMIT 1
      """, record.rowID, ColumnCoding.microseconds(time), ColumnCoding.microseconds(time + 0.05)
    ) { ColumnCoding.date($0.int64(0)) }
  }

  /// Where the stretch ends by now.
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

  /// When the last one before `limit` that somebody else wrote was sent.
  private static func lastIncoming(
    before limit: Date, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Date? {
    try db.firstRow(
      """
      SELECT sent_at FROM message INDEXED BY message_page WHERE conversation = ? AND sent_at < ?
        AND is_outgoing = 0 ORDER BY sent_at DESC LIMIT 1
      """, record.rowID, ColumnCoding.microseconds(limit), map: { ColumnCoding.date($0.int64(0)) })
  }
}

extension IncomingMessage {
  /// Whether it comes at the moment in which it is said: its time is that of its arrival.
  var comesLive: Bool {
    direction == .incoming && follows == nil && !isDelayed && !isArchived && effect == nil
  }
}

extension MessageStore {
  package func arrived(of account: JID) async throws -> IncomingMessage.Arrived {
    let archive = account.bare
    return try await database.storing { database in
      try await database.read { db in
        let newest = try db.firstRow("SELECT MAX(id) FROM message") { $0.optionalInt64(0) ?? 0 }
        let start = try db.firstRow(
          """
          SELECT start_at FROM archive_range WHERE archive = ? AND peer = ''
            ORDER BY end_at DESC, id DESC LIMIT 1
          """, archive.description
        ) { ColumnCoding.date($0.int64(0)) }
        return IncomingMessage.Arrived(
          newest: Message.ID(newest ?? 0),
          stretch: start.map { IncomingMessage.Arrived.Stretch(archive: archive, start: $0) })
      }
    }
  }
}
