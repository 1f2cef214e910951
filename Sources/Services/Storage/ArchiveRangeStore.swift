import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The stored parts of archives, each with the messages that it consists of.
package struct ArchiveRangeStore: Sendable {
  let database: Database
  init(_ database: Database) { self.database = database }
}

extension ArchiveRangeStore: ArchiveStoring {
  package func ranges(of archive: JID, with peer: JID?) async throws -> [ArchiveRange] {
    let owner = archive.bare
    return try await database.storing { database in
      try await database.read { db in
        try db.rows(
          """
          SELECT \(Self.rangeColumns) FROM archive_range
          WHERE archive = ? AND peer = ? ORDER BY end_at, id
          """, owner.description, peer?.description ?? ""
        ) { Self.range($0, of: owner, with: peer) }
      }
    }
  }

  private static let rangeColumns =
    "id, start_id, start_at, end_id, end_at, reaches_beginning, anchor_id"

  private static func range(_ row: Row, of archive: JID, with peer: JID?) -> ArchiveRange {
    ArchiveRange(
      row: row.int64(0), archive: archive, peer: peer,
      start: ArchivePosition(id: row.string(1), at: ColumnCoding.date(row.int64(2))),
      end: ArchivePosition(id: row.string(3), at: ColumnCoding.date(row.int64(4))),
      reachesBeginning: row.bool(5), anchor: row.optionalString(6))
  }

  package func insert(
    _ messages: [IncomingMessage], making range: ArchiveRange, absorbing absorbed: [ArchiveRange],
    beginningWithFirst isStart: Bool, adjoining adjacency: ArchiveAdjacency,
    countsUnread: @Sendable (IncomingMessage) -> Bool
  ) async throws -> (stored: StoredMessages, range: ArchiveRange) {
    let arrivals = MessageWriter.arrivals(messages, countsUnread)
    return try await database.storing { database in
      try await database.write { db in
        let stored = try Self.stored(range, in: db)
        let neighbours = try Self.neighbours(
          of: range, stored, adjacency, after: absorbed,
          with: Set(messages.compactMap(\.stanzaID)), in: db)
        var later: Set<String> = []
        if case .beside(let ids) = adjacency { later = ids }
        let page = try MessageWriter.insert(
          page: arrivals, between: neighbours,
          borders: { try Self.borders(of: range, stored, adjacency, after: absorbed, in: db) },
          before: later, in: db)
        let first = isStart ? page.positions.arrivals.first?.message : nil
        let range = try Self.extended(
          range, stored, by: page, beginningWith: first, isEmpty: arrivals.isEmpty, absorbed,
          in: db)
        for row in absorbed.compactMap(\.row) where row != range.row {
          try db.run("DELETE FROM archive_range WHERE id = ?", row)
        }
        return (page.stored, try Self.save(range, in: db))
      }
    }
  }

  package func positions(beforeCrossed messages: [Message.ID]?, since date: Date) async throws
    -> [ArchivePosition]
  {
    try await database.storing { database in
      try await database.write { db in
        try MessageWriter.positions(beforeCrossed: messages, since: date, in: db)
      }
    }
  }

  package func storedTime(of id: String, in archive: JID) async throws -> Date? {
    try await database.storing { database in
      try await database.read { db in try Self.edge(id, of: archive, in: db)?.time }
    }
  }

  package func storedEnd(of range: ArchiveRange) async throws -> Date {
    guard let anchor = range.anchor else { return range.end.at }
    return try await database.storing { database in
      try await database.read { db in
        let last = try Self.anchorTime(anchor, of: range.archive, in: db)
        return max(range.end.at, last?.time ?? range.end.at)
      }
    }
  }

  /// `range` with the times with which the messages of its page are stored.
  /// - Parameters:
  ///   - stored: the stored part of it.
  ///   - first: the message that it begins with, if that is one of the page.
  ///   - isEmpty: `true` if the page has no messages.
  private static func extended(
    _ wanted: ArchiveRange, _ stored: ArchiveRange?, by page: MessageWriter.Page,
    beginningWith first: IncomingMessage?, isEmpty: Bool, _ absorbed: [ArchiveRange],
    in db: DatabaseConnection
  ) throws -> ArchiveRange {
    var range = wanted
    let before = wanted.row == nil ? nil : stored
    // A time after its start would reverse the range, and it would be requested forever.
    if let first, let time = try PagePlacement.time(of: first, in: db),
      before.map({ time <= $0.start.at }) ?? true
    {
      range.start.at = time
      range.end.at = max(range.end.at, time)
    }
    if let stretch = page.positions.stretch {
      // It takes in messages that arrived otherwise, with their stored or moved times.
      range.start.at = min(range.start.at, stretch.lowerBound)
      range.end.at = max(range.end.at, stretch.upperBound)
    }
    if let latest = page.latest { range.end.at = max(range.end.at, latest) }
    range = try apart(range, as: wanted, absorbed, in: db)
    let isAtEnd =
      before.map { $0.start.id == wanted.start.id && $0.end.id != wanted.end.id } ?? true
    range.anchor =
      try (isAtEnd ? page.positions.anchor : nil)
      ?? range.anchor.flatMap {
        try anchorTime($0, of: wanted.archive, in: db) == nil ? nil : $0
      }
      ?? before.flatMap {
        // The message that it ended with may be behind its new end.
        isEmpty && wanted.end.at < $0.end.at ? nil : $0.anchor
      } ?? (isAtEnd ? page.positions.localAnchor : nil)
    return range
  }

  /// `range` apart from the others that it was to be apart from.
  ///
  /// Messages of a page that arrived otherwise may be stored with an earlier time than those
  /// before: live messages have this clock's, offline ones a stamp of whole seconds. If ranges
  /// touched only for that reason, the gap between them would be hidden forever.
  private static func apart(
    _ range: ArchiveRange, as wanted: ArchiveRange, _ absorbed: [ArchiveRange],
    in db: DatabaseConnection
  ) throws -> ArchiveRange {
    guard range.start.at < wanted.start.at || range.end.at > wanted.end.at else { return range }
    let others = try others(than: wanted, absorbed, in: db)
    var range = range
    if let before = others.map(\.end.at).filter({ $0 < wanted.start.at }).max(),
      range.start.at < before + ArchiveRange.step
    {
      range.start.at = border(after: before, before: wanted.start.at)
    }
    if let behind = others.map(\.start.at).filter({ $0 > wanted.end.at }).min() {
      range.end.at = min(range.end.at, max(behind - ArchiveRange.step, wanted.end.at))
    }
    return range
  }

  /// The ranges about the same that are neither `range` nor taken in by it.
  static func others(
    than range: ArchiveRange, _ absorbed: [ArchiveRange], in db: DatabaseConnection
  ) throws -> [ArchiveRange] {
    try db.rows(
      "SELECT \(rangeColumns) FROM archive_range WHERE archive = ? AND peer IN ('', ?)",
      range.archive.bare.description, range.peer?.description ?? ""
    ) { Self.range($0, of: range.archive, with: range.peer) }
    .filter { other in other.row != range.row && !absorbed.contains { $0.row == other.row } }
  }

  /// The start of a range after another one that ends at `end`.
  static func border(after end: Date, before start: Date) -> Date {
    min(end + ArchiveRange.space, start)
  }

  /// The stored part of `range`. What begins before another range is one of its own, up to that.
  private static func stored(_ range: ArchiveRange, in db: DatabaseConnection) throws
    -> ArchiveRange?
  {
    try db.firstRow(
      """
      SELECT \(rangeColumns) FROM archive_range
      WHERE archive = ?1 AND (id = ?2 OR ?2 IS NULL AND start_id = ?3)
      """, range.archive.bare.description, range.row, range.end.id
    ) { Self.range($0, of: range.archive, with: range.peer) }
  }

  private static func save(_ range: ArchiveRange, in db: DatabaseConnection) throws -> ArchiveRange
  {
    let start = ColumnCoding.microseconds(range.start.at)
    let end = ColumnCoding.microseconds(range.end.at)
    if let row = range.row {
      try db.run(
        """
        UPDATE archive_range SET start_id = ?, start_at = ?, end_id = ?, end_at = ?,
          reaches_beginning = ?, anchor_id = ? WHERE id = ?
        """, range.start.id, start, range.end.id, end, range.reachesBeginning, range.anchor, row)
      // A range that another one has taken in meanwhile is made anew.
      if db.changes > 0 { return range }
    }
    try db.run(
      """
      INSERT INTO archive_range
        (archive, peer, start_id, start_at, end_id, end_at, reaches_beginning, anchor_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, range.archive.bare.description, range.peer?.description ?? "", range.start.id,
      start, range.end.id, end, range.reachesBeginning, range.anchor)
    var stored = range
    stored.row = db.lastInsertedRowID
    return stored
  }
}
