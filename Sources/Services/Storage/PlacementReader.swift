import FoundationEssentials
import NatterCore
import SQLite

/// Reads what `MessagePlacer` decides from: the stored messages around a page of an archive. Each
/// query is bounded by the page, or follows an index from one position.
struct PlacementReader {
  typealias Entry = MessagePlacer.Entry
  typealias Neighbourhood = MessagePlacer.Neighbourhood

  let db: DatabaseConnection
  init(in db: DatabaseConnection) { self.db = db }

  /// The positions of the local messages in the conversations of a page.
  /// - Parameters:
  ///   - page: the rows of its messages, by that of their conversation, in the archive's order.
  ///   - later: the archive ids of messages that are known to come after it.
  func placement(
    of page: [Int64: [Int64]], between borders: MessagePlacer.Borders,
    before later: Set<String> = []
  ) throws -> MessagePlacer {
    var rows = page
    let beginnings = try borders.start == nil ? [:] : self.beginnings()
    if let end = borders.end, borders.start != nil {
      // Two ranges of the archive meet, and local messages at their border may be in neither's
      // page: those before the second, and those that the first ends with.
      let last = try end.row.flatMap(entry).flatMap { $0.isLocal ? $0.conversation : nil }
      for conversation in Array(beginnings.keys) + [last].compactMap({ $0 })
      where rows[conversation] == nil {
        rows[conversation] = []
      }
    }
    if let first = try borders.start?.row.flatMap(entry), first.isLocal,
      let follows = first.follows, follows > 0, try isRoom(first.conversation)
    {
      let known = rows[first.conversation] ?? []
      let early = MessagePlacer.reflectedTooEarly(
        from: first, among: try followers(of: [follows], in: first.conversation), page: known,
        hasEnd: borders.end != nil)
      if !early.isEmpty { rows[first.conversation] = known + early }
    }
    let all = Set(rows.values.joined())
    var placement = MessagePlacer()
    for (conversation, rows) in rows {
      var known = try neighbourhood(of: rows, in: conversation, between: borders, page: all)
      known.later = later
      if borders.start != nil {
        known.beginnings = try entries(of: beginnings[conversation] ?? [])
      }
      known.followers = try followers(of: known.runs, in: conversation)
      placement.add(
        try complete(in: conversation) { waiting in
          known.waiting = waiting
          return MessagePlacer(known)
        })
    }
    return placement
  }

  /// The positions after a room reflected a local message.
  func placement(reflected row: Int64, in conversation: Int64) throws -> MessagePlacer {
    guard let entry = try entry(row) else { return MessagePlacer() }
    let last = try anchor(.before, .max, in: conversation)
    return try complete(in: conversation) {
      MessagePlacer(reflected: entry, below: last, waiting: $0)
    }
  }

  /// Decides once more, with the local messages that are not known to be at the server, where
  /// these may have to move.
  private func complete(in conversation: Int64, _ decide: ([Entry]?) -> MessagePlacer) throws
    -> MessagePlacer
  {
    let placer = decide(nil)
    guard placer.needsWaiting else { return placer }
    return decide(
      try entries(
        """
        FROM message INDEXED BY message_unplaced
        WHERE conversation = ? AND follows IS NULL AND corrects IS NULL
        """, [conversation]))
  }

  // MARK: - The neighbourhood

  /// - Parameters:
  ///   - rows: the rows of the page in this conversation.
  ///   - page: the rows in all.
  private func neighbourhood(
    of rows: [Int64], in conversation: Int64, between borders: MessagePlacer.Borders,
    page: Set<Int64>
  ) throws -> Neighbourhood {
    var seen: Set<Int64> = []
    var known = Neighbourhood(page: try entries(of: rows.filter { seen.insert($0).inserted }))
    known.isRoom = try isRoom(conversation)
    known.knownEnd = borders.end?.position
    known.borders.end = try borders.end.map { try edge($0, .before, page, of: known, conversation) }
    known.borders.start = try borders.start.map {
      try edge($0, .behind, page, of: known, conversation)
    }
    known.older = try borders.older.flatMap {
      try anchor(.before, $0, in: conversation, besides: seen)
    }
    known.newer = try borders.newer.flatMap {
      try anchor(.behind, $0, in: conversation, besides: seen)
    }
    known.next = try known.last.flatMap {
      try anchor(.behind, $0 + 1, in: conversation, besides: seen)
    }
    return known
  }

  /// What is stored at an edge. If the page contains it, it is that of the page's anchor beside it;
  /// if the page has no anchor, nothing came between.
  private func edge(
    _ edge: MessagePlacer.Edge, _ side: Side, _ page: Set<Int64>, of known: Neighbourhood,
    _ conversation: Int64
  ) throws -> MessagePlacer.Edge {
    var edge = edge
    if let row = edge.row, page.contains(row),
      let anchor = side == .before ? known.anchors.first : known.anchors.last
    {
      (edge.row, edge.position) = (nil, anchor.position)
    }
    edge.message = try edge.row.flatMap(entry).flatMap {
      $0.conversation == conversation ? $0 : nil
    }
    if let message = edge.message, message.isLocal, let run = message.follows,
      run < 0 || run > 0 && side == .before
    {
      edge.related = try entry(abs(run))
    } else if edge.message.map({ $0.isLocal || known.rows.contains($0.row) }) ?? true {
      edge.nearest = try anchor(side, edge.position, in: conversation, besides: known.rows)
    }
    return edge
  }

  // MARK: - Queries

  /// The SQL condition of a message that has a position of its own.
  private static let isShown = "corrects IS NULL AND effect IS NULL"
  /// The SQL condition of an anchor: a remote message, or one of another client of the account.
  private static let isAnchor = """
    (is_outgoing = 0 OR attempted_at IS NULL AND delivery NOT IN ('queued', 'failed'))
      AND \(isShown)
    """

  /// - Parameter clauses: those after SELECT.
  func entries(_ clauses: String, _ values: [any SQLConvertible]) throws -> [Entry] {
    try db.rows(
      """
      SELECT message.id, conversation, position, is_outgoing = 1 AND attempted_at IS NOT NULL,
        follows, stanza_id \(clauses)
      """, arguments: values
    ) {
      Entry(
        row: $0.int64(0), conversation: $0.int64(1), position: $0.int64(2), isLocal: $0.bool(3),
        follows: $0.optionalInt64(4), archiveID: $0.optionalString(5))
    }
  }

  func entry(_ row: Int64) throws -> Entry? {
    try entries("FROM message WHERE id = ? AND \(Self.isShown)", [row]).first
  }

  private func entries(of rows: [Int64]) throws -> [Entry] {
    let found = try entries(
      "FROM json_each(?) CROSS JOIN message ON message.id = value WHERE \(Self.isShown)",
      [Self.list(rows)])
    let byRow = Dictionary(found.map { ($0.row, $0) }, uniquingKeysWith: { first, _ in first })
    return rows.compactMap { byRow[$0] }
  }

  /// The local messages with one of these values of `follows`.
  private func followers(of runs: Set<Int64>, in conversation: Int64) throws -> [Entry] {
    try entries(
      """
      FROM json_each(?) CROSS JOIN message INDEXED BY message_follows ON follows = value
      WHERE follows <> 0 AND conversation = ? AND corrects IS NULL
      """, [Self.list(runs.sorted()), conversation])
  }

  enum Side { case before, behind }

  /// The nearest anchor at `position`, or on that side of it.
  func anchor(
    _ side: Side, _ position: Int64, in conversation: Int64, besides rows: Set<Int64> = []
  ) throws -> Entry? {
    let (comparison, order) = side == .before ? ("<=", "DESC") : (">=", "ASC")
    return try entries(
      """
      FROM message INDEXED BY message_page
      WHERE conversation = ? AND position \(comparison) ? AND \(Self.isAnchor)
      ORDER BY position \(order), id \(order) LIMIT ?
      """, [conversation, position, rows.count + 1]
    ).first { !rows.contains($0.row) }
  }

  /// Those of `rows` that the server has and whose position is not known; `nil`: of all. A room
  /// reflects its own.
  /// - Parameter date: the earliest time of sending.
  func unplaced(_ rows: [Int64]?, since date: Date) throws -> [Entry] {
    let among = rows == nil ? "message" : "json_each(?2) CROSS JOIN message ON message.id = value"
    return try entries(
      """
      FROM \(among) JOIN conversation ON conversation.id = message.conversation
      WHERE follows IS NULL AND corrects IS NULL AND effect IS NULL AND kind <> 'room'
        AND attempted_at >= ?1 AND delivery IN ('sent', 'delivered', 'read') ORDER BY message.id
      """,
      [ColumnCoding.microseconds(date)] + (rows.map { [Self.list($0)] } ?? []))
  }

  /// The archive's position of the last message that was received before `entry`; the beginning if
  /// there is none.
  func lastReceived(before entry: Entry) throws -> ArchivePosition {
    try db.firstRow(
      """
      SELECT stanza_id, position FROM message INDEXED BY message_page
      WHERE conversation = ? AND position < ? AND is_outgoing = 0 AND stanza_id IS NOT NULL
      ORDER BY position DESC, id DESC LIMIT 1
      """, entry.conversation, entry.position
    ) { ArchivePosition(id: $0.string(0), at: ColumnCoding.date($0.int64(1))) }
      ?? ArchivePosition(id: "", at: .distantPast)
  }

  /// The rows that local messages are known to precede, by conversation.
  private func beginnings() throws -> [Int64: [Int64]] {
    let found = try db.rows(
      """
      SELECT DISTINCT conversation, follows FROM message INDEXED BY message_follows
      WHERE follows <> 0 AND follows < 0
      """
    ) { (conversation: $0.int64(0), row: -$0.int64(1)) }
    return Dictionary(grouping: found, by: \.conversation).mapValues { $0.map(\.row) }
  }

  private func isRoom(_ conversation: Int64) throws -> Bool {
    try db.firstRow("SELECT 1 FROM conversation WHERE id = ? AND kind = 'room'", conversation) {
      _ in true
    } != nil
  }

  static func list(_ rows: [Int64]) -> String {
    "[\(rows.map(String.init).joined(separator: ","))]"
  }
}
