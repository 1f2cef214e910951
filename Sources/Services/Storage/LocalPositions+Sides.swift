import FoundationEssentials
import SQLite

/// The neighbours of a page of an archive.
extension LocalPositions {
  /// The SQL condition of an anchor: a remote message, or one of another client of the account.
  static let isAnchor =
    "(is_outgoing = 0 OR attempted_at IS NULL AND delivery NOT IN ('queued', 'failed'))"

  /// - Parameter conversation: the conversation that it has to be in; `nil`: any.
  func entry(_ row: Int64, in conversation: Int64? = nil) throws -> Entry? {
    try db.firstRow(
      """
      SELECT \(Entry.columns) FROM message WHERE id = ?1 AND corrects IS NULL AND effect IS NULL
        AND conversation = COALESCE(?2, conversation)
      """, row, conversation, map: Entry.init)
  }

  /// The neighbours of one side of a page, in one conversation.
  struct Side {
    /// The nearest anchor.
    var anchor: Entry?
    /// The `follows` value of the local messages between the anchor and the page.
    var run: Int64?
    /// `true` if the first of those is adjacent to the page.
    var isCertain = false

    init(_ anchor: Entry? = nil, run: Int64? = nil, isCertain: Bool = false) {
      (self.anchor, self.run, self.isCertain) = (anchor, run, isCertain)
    }
  }

  func side(
    before edge: Borders.Edge, in conversation: Int64, besides rows: Set<Int64>
  ) throws -> Side {
    if let row = edge.row, let known = try entry(row, in: conversation) {
      if !known.isTyped {
        if !rows.contains(row) { return Side(known, run: row, isCertain: true) }
      } else if let run = known.follows, run != 0 {
        return Side(run > 0 ? try entry(run) : nil, run: run, isCertain: true)
      }
    }
    let last = try anchor(in: conversation, before: edge.time, besides: rows)
    if let last, last.position.time <= ColumnCoding.microseconds(edge.reach) { return Side() }
    return Side(last, run: last?.row)
  }

  /// The last local row that the archive has listed behind `run`.
  func lastArchived(behind run: Int64, in conversation: Int64) throws -> Int64? {
    try db.firstRow(
      """
      SELECT MAX(id) FROM message INDEXED BY message_follows
      WHERE follows = ? AND follows <> 0 AND conversation = ? AND stanza_id IS NOT NULL
      """, run, conversation
    ) { $0.optionalInt64(0) } ?? nil
  }

  /// - Parameter typed: the last local row in the page, or before it if the page has none.
  func side(
    behind edge: Borders.Edge, in conversation: Int64, besides rows: Set<Int64>,
    after typed: Int64?
  ) throws -> Side {
    if let row = edge.row, let known = try entry(row, in: conversation) {
      if !known.isTyped {
        if !rows.contains(row) { return Side(known, run: -row, isCertain: true) }
      } else if let run = known.follows, run < 0 {
        let next = try rows.contains(-run) ? nil : entry(-run)
        return Side(next.flatMap { $0.isTyped ? nil : $0 }, run: run, isCertain: true)
      }
    }
    // A late message may be there by mistake: the messages that local ones are known to precede are
    // not.
    let open = try db.rows(
      """
      SELECT DISTINCT follows FROM message INDEXED BY message_follows
      WHERE follows <> 0 AND follows < 0 AND conversation = ?
      """, conversation
    ) { -$0.int64(0) }
    let time = ColumnCoding.microseconds(edge.time)
    let beginnings = try open.filter { !rows.contains($0) }.compactMap { try entry($0) }
    let known =
      beginnings.filter { $0.position.time >= time }.min { $0.position < $1.position }
      ?? beginnings.filter {
        // Created before the server had it. Messages are sent in the order of their creation.
        $0.isTyped && $0.row > typed ?? 0
          && $0.position.time <= ColumnCoding.microseconds(edge.reach)
      }.min { $0.row < $1.row }
    if let known { return Side(known.isTyped ? nil : known, run: -known.row) }
    let first = try next(in: conversation, from: edge.time, besides: rows)
    if let first, first.position.time >= ColumnCoding.microseconds(edge.reach) { return Side() }
    return Side(first, run: first.map { -$0.row })
  }

  /// The last anchor at `time` or before; `nil`: of all.
  func anchor(
    in conversation: Int64, before time: Date?, besides rows: Set<Int64> = []
  ) throws -> Entry? {
    try db.rows(
      """
      SELECT \(Entry.columns) FROM message INDEXED BY message_page
      WHERE conversation = ? AND position <= ? AND \(Self.isAnchor)
        AND corrects IS NULL AND effect IS NULL
      ORDER BY position DESC, id DESC LIMIT ?
      """, conversation, time.map(ColumnCoding.microseconds) ?? .max, rows.count + 1,
      map: Entry.init
    ).first { !rows.contains($0.row) }
  }

  /// The first anchor behind `entry`.
  func anchor(behind entry: Entry, in conversation: Int64, besides rows: Set<Int64>) throws
    -> Entry?
  {
    try next(in: conversation, from: ColumnCoding.date(entry.position.time), besides: rows)
      .flatMap { $0.position > entry.position ? $0 : nil }
  }

  /// The first anchor at `time` or later.
  func next(
    in conversation: Int64, from time: Date, besides rows: Set<Int64>
  ) throws -> Entry? {
    try db.rows(
      """
      SELECT \(Entry.columns) FROM message INDEXED BY message_page
      WHERE conversation = ? AND position >= ? AND \(Self.isAnchor)
        AND corrects IS NULL AND effect IS NULL
      ORDER BY position, id LIMIT ?
      """, conversation, ColumnCoding.microseconds(time), rows.count + 1, map: Entry.init
    ).first { !rows.contains($0.row) }
  }
}
