import FoundationEssentials
import SQLite

/// Moves local messages to their position in the archive, among the remote messages of the same
/// conversation.
///
/// A local message is appended at the end at once, and the server may receive it later: messages
/// that crossed it in transit, or came while it waited for a connection, precede it there. The
/// archive shows the order page by page. At the end of a page, a local message may lie between
/// that page and the next: each local message stores what it follows, so that it can be found
/// again.
///
/// Remote messages are the anchors and stay, except for shifts by microseconds where nothing else
/// fits between them.
struct LocalPositions {
  /// The known neighbours of a page in the archive, as far as they are adjacent to it.
  struct Borders {
    /// A message that is the last one before the page, or the first one after it.
    struct Edge {
      /// The row of the message; `nil`: not each entry of an archive is a message.
      var row: Int64?
      let time: Date
      /// The limit of what is known from there: beyond it, messages need not be adjacent to the
      /// page.
      let reach: Date
      /// `true` if the page contains the message: its neighbour is then the next one of the same
      /// range.
      var isMet = false

      /// The same edge, beside the page's `anchor` if the page contains the edge. If the page has
      /// no anchor, nothing came between.
      func beside(_ anchor: Entry?) -> Edge {
        guard isMet, let anchor else { return self }
        return Edge(time: ColumnCoding.date(anchor.position.time), reach: reach)
      }
    }
    var end: Edge?
    var start: Edge?
  }

  /// The sort key of a conversation.
  struct Position: Comparable {
    var time: Int64
    let row: Int64
    static func < (left: Position, right: Position) -> Bool {
      (left.time, left.row) < (right.time, right.row)
    }

    /// The last position of `row` that is before this one.
    func before(_ row: Int64) -> Position {
      Position(time: row < self.row ? time : time - 1, row: row)
    }
    /// The first position of `row` that is after this one.
    func after(_ row: Int64) -> Position {
      Position(time: row > self.row ? time : time + 1, row: row)
    }
  }

  struct Entry {
    var position: Position
    let isTyped: Bool
    /// The row it follows, as it is stored; negative: the row that it precedes.
    let follows: Int64?
    /// The id of the message in the archive.
    let archiveID: String?
    /// `true` if the archive has listed it: before that, it follows what came until the server
    /// had it.
    var isArchived: Bool { archiveID != nil }
    var row: Int64 { position.row }

    init(_ row: Row) {
      position = Position(time: row.int64(1), row: row.int64(0))
      isTyped = row.bool(2)
      follows = row.optionalInt64(3)
      archiveID = row.optionalString(4)
    }

    static let columns =
      "message.id, position, is_outgoing = 1 AND attempted_at IS NOT NULL, follows, stanza_id"
  }

  /// The new timestamps of the messages that have to move, by row.
  private(set) var moved: [Int64: Date] = [:]
  /// The new timestamp of the last remote message among them.
  private(set) var latest: Date?
  let db: DatabaseConnection

  /// Computes the positions of the local messages in the conversations of a page.
  /// - Parameters:
  ///   - page: the rows of its messages, by that of their conversation, in the archive's order.
  ///   - later: the archive ids of messages that are known to come after it.
  init(
    of page: [Int64: [Int64]], between borders: Borders, before later: Set<String> = [],
    in db: DatabaseConnection
  ) throws {
    self.db = db
    var rows = page
    if borders.end != nil, borders.start != nil {
      // Two ranges of the archive meet, and local messages at their border may be in neither's
      // page.
      for conversation in try conversationsWithOpenBeginnings() where rows[conversation] == nil {
        rows[conversation] = []
      }
    }
    if let (conversation, typed) = try reflectedTooEarly(at: borders.start) {
      let known = rows[conversation] ?? []
      // Where the page continues into the range that begins with it, the page defines the order.
      let isAtEnd = known.last.map(typed.contains) ?? (borders.end != nil)
      if isAtEnd || !known.isEmpty && !known.contains(where: typed.contains) {
        rows[conversation] = known + typed
      }
    }
    let all = Set(rows.values.joined())
    var borders = borders
    if let row = borders.end?.row, all.contains(row) { borders.end?.isMet = true }
    if let row = borders.start?.row, all.contains(row) { borders.start?.isMet = true }
    for (conversation, rows) in rows {
      try settle(rows, in: conversation, between: borders, before: later)
    }
  }

  init(in db: DatabaseConnection) { self.db = db }

  /// Puts a message that its room reflects below all that came before: every occupant has that
  /// order.
  init(ofReflected row: Int64, in conversation: Int64, _ db: DatabaseConnection) throws {
    self.db = db
    guard let entry = try entry(row), entry.isTyped, entry.follows == nil else { return }
    let last = try anchor(in: conversation, before: nil)
    var positioned = entry
    if let last, positioned.position < last.position {
      positioned.position = last.position.after(row)
    }
    try write(positioned, from: entry, after: last?.row ?? 0)
    if !moved.isEmpty { try pushAlong([positioned], in: conversation) }
  }

  // MARK: - One conversation

  /// - Parameter rows: the rows of the page in this conversation.
  private mutating func settle(
    _ rows: [Int64], in conversation: Int64, between borders: Borders, before later: Set<String>
  ) throws {
    var seen: Set<Int64> = []
    let page = try rows.filter { seen.insert($0).inserted }.compactMap { try entry($0) }
    let anchors = page.filter { !$0.isTyped }
    let knownEnd = borders.end.map { ColumnCoding.microseconds($0.time) }
    let borders = Borders(
      end: borders.end?.beside(anchors.first), start: borders.start?.beside(anchors.last))
    var first =
      try borders.end.map { try side(before: $0, in: conversation, besides: seen) } ?? Side()
    var next =
      try borders.start.map {
        try side(
          behind: $0, in: conversation, besides: seen,
          after: page.last(where: \.isTyped)?.row
            ?? first.run.flatMap { try lastArchived(behind: $0, in: conversation) })
      } ?? Side()
    // Borders are known only by time where no message is adjacent, and ranges that meet may
    // overlap.
    let last = first.anchor?.position
    if let last, let position = (anchors.first ?? next.anchor)?.position, last >= position {
      first = Side()
    }
    if let position = next.anchor?.position, let last = anchors.last?.position ?? last,
      last >= position
    {
      next = Side(run: next.isCertain ? next.run : nil)
    }
    var (before, behind) = try followers(
      of: page, after: first.run, before: next.run, in: conversation)
    // A message that the archive has not listed yet precedes the page if it is within the known
    // part before it: a page that begins inside that part does not show what was sent since.
    if let knownEnd { before.removeAll { !$0.isArchived && $0.position.time > knownEnd } }
    // A room reflects a message while its archive is still being read. It is later than the page,
    // which lacks it, if it is later than what the page goes on from.
    let end = try borders.start == nil ? positionOfEnd(borders.end, in: conversation) : nil
    let isLater = { (entry: Entry) in
      entry.archiveID.map(later.contains) ?? false
        || entry.isArchived && end.map { $0 < entry.position } ?? false
    }
    (before, behind) = (before.filter { !isLater($0) }, behind + before.filter(isLater))
    // A page read forward from the known part comes after all that the archive has listed there, at
    // any position. A message that a room has reflected need not have been listed.
    if borders.start == nil, borders.end != nil, (before + behind).contains(where: \.isArchived),
      try !isRoom(conversation)
    {
      let isPassed = { (entry: Entry) in entry.isArchived && !isLater(entry) }
      before += behind.filter(isPassed)
      behind.removeAll(where: isPassed)
      if let last = first.anchor {
        before.removeAll { $0.isArchived && $0.position < last.position }
      }
    }
    guard !before.isEmpty || !behind.isEmpty || page.contains(where: \.isTyped) else { return }
    // Where nothing is known beside the page, the messages right behind local ones limit their
    // move.
    let ceiling = try (borders.start == nil && !behind.isEmpty ? anchors.last : nil)
      .flatMap { try anchor(behind: $0, in: conversation, besides: seen) }
      .flatMap { next in behind.contains { $0.position < next.position } ? next : nil }

    let stored = before + page + behind
    var positioned = stored
    var upperLimit = (next.anchor ?? ceiling)?.position
    var ceilings: [Position?] = []
    for entry in positioned.reversed() {
      ceilings.append(upperLimit)
      if !entry.isTyped { upperLimit = entry.position }
    }
    ceilings.reverse()
    var upper = first.anchor?.position
    var follows = positioned.first.map { -$0.row } ?? 0
    if let last = first.anchor, first.isCertain || anchors.isEmpty {
      follows = last.row
    } else if let known = anchors.first ?? next.anchor {
      follows = -known.row
    } else if let run = next.run {
      follows = run
    }
    for index in positioned.indices {
      let row = positioned[index].row
      if positioned[index].isTyped, let ceiling = ceilings[index],
        positioned[index].position > ceiling
      {
        positioned[index].position = ceiling.before(row)
      }
      if let upper, positioned[index].position < upper {
        positioned[index].position = upper.after(row)
      }
      upper = positioned[index].position
      if !positioned[index].isTyped { follows = row }
      try write(positioned[index], from: stored[index], after: follows)
    }
    if zip(positioned, stored).contains(where: { $0.position != $1.position }) {
      try pushAlong(positioned.filter(\.isTyped), in: conversation)
    }
  }

  /// The local messages that are not in `page`, but right before or right behind it.
  private func followers(
    of page: [Entry], after first: Int64?, before next: Int64?, in conversation: Int64
  ) throws -> (before: [Entry], behind: [Entry]) {
    let rows = Set(page.map(\.row))
    let anchors = Set(page.lazy.filter { !$0.isTyped }.map(\.row))
    let typed = page.lazy.filter(\.isTyped).map(\.row).min()
    var wanted = anchors.union(anchors.map { -$0 })
    if let first { wanted.insert(first) }
    if let next { wanted.insert(next) }
    // A run continues where it precedes something that the page does not reach.
    let open = Set(page.lazy.filter(\.isTyped).compactMap(\.follows)).filter {
      $0 < 0 && !anchors.contains(-$0)
    }
    wanted.formUnion(open)
    let list = wanted.map(String.init).joined(separator: ",")
    let found = try db.rows(
      """
      SELECT \(Entry.columns) FROM json_each(?) CROSS JOIN message INDEXED BY message_follows
        ON follows = value WHERE follows <> 0 AND conversation = ? AND corrects IS NULL
      """, "[\(list)]", conversation, map: Entry.init
    ).filter { !rows.contains($0.row) }.sorted { $0.position < $1.position }
    let isBefore = found.map { entry in
      guard let follows = entry.follows else { return false }
      if follows == next { return false }
      // Of two local messages, the one that was created first was sent first.
      if follows == first { return !anchors.isEmpty || typed.map { entry.row < $0 } ?? true }
      if open.contains(follows) {
        return page.first { $0.isTyped && $0.follows == follows }.map { entry.row < $0.row }
          ?? false
      }
      // Right before a message of the page, or right behind it.
      return follows < 0
    }
    return (
      zip(found, isBefore).filter { $1 }.map { $0.0 },
      zip(found, isBefore).filter { !$1 }.map { $0.0 }
    )
  }

  /// Keeps local messages that are not known to be at the server between their local neighbours.
  private mutating func pushAlong(_ positioned: [Entry], in conversation: Int64) throws {
    guard !positioned.isEmpty else { return }
    let waiting = try db.rows(
      """
      SELECT \(Entry.columns) FROM message INDEXED BY message_unplaced
      WHERE conversation = ? AND follows IS NULL AND corrects IS NULL
      """, conversation, map: Entry.init)
    for entry in waiting {
      var position = entry.position
      if let upper = positioned.lazy.filter({ $0.row > position.row }).map(\.position).min() {
        position = min(position, upper.before(position.row))
      }
      if let lower = positioned.lazy.filter({ $0.row < position.row }).map(\.position).max() {
        position = max(position, lower.after(position.row))
      }
      if position != entry.position { moved[entry.row] = ColumnCoding.date(position.time) }
    }
  }

  // MARK: - The database

  mutating func write(_ entry: Entry, from stored: Entry, after follows: Int64) throws {
    if entry.isTyped, stored.follows != follows {
      try db.run("UPDATE message SET follows = ? WHERE id = ?", follows, entry.row)
    }
    guard entry.position != stored.position else { return }
    let time = ColumnCoding.date(entry.position.time)
    moved[entry.row] = time
    if !entry.isTyped { latest = max(latest ?? time, time) }
  }

  /// The local messages that a room reflected before its archive listed what preceded them: the
  /// range that begins with them comes after all of the other range. Earlier local messages may
  /// follow the same row.
  private func reflectedTooEarly(at start: Borders.Edge?) throws -> (Int64, [Int64])? {
    guard let row = start?.row, let first = try entry(row), first.isTyped,
      let follows = first.follows, follows > 0
    else { return nil }
    let conversation = try db.firstRow(
      """
      SELECT conversation FROM message JOIN conversation ON conversation.id = message.conversation
      WHERE message.id = ? AND kind = 'room'
      """, row
    ) { $0.int64(0) }
    guard let conversation else { return nil }
    let typed = try db.rows(
      """
      SELECT \(Entry.columns) FROM message INDEXED BY message_follows
      WHERE follows = ? AND follows <> 0 AND conversation = ? AND corrects IS NULL
      """, follows, conversation, map: Entry.init
    ).filter { $0.isArchived && $0.row >= first.row }
    return (conversation, typed.map(\.row).sorted())
  }

  /// The position of the message that a page of a room's archive goes on from; `nil` if unknown.
  private func positionOfEnd(_ end: Borders.Edge?, in conversation: Int64) throws -> Position? {
    guard let row = end?.row, try isRoom(conversation) else { return nil }
    return try entry(row, in: conversation)?.position
  }

  private func isRoom(_ conversation: Int64) throws -> Bool {
    try db.firstRow("SELECT 1 FROM conversation WHERE id = ? AND kind = 'room'", conversation) {
      _ in true
    } != nil
  }

  /// The conversations with local messages of which only the next message is known.
  private func conversationsWithOpenBeginnings() throws -> [Int64] {
    try db.rows(
      """
      SELECT DISTINCT conversation FROM message INDEXED BY message_follows
      WHERE follows <> 0 AND follows < 0
      """
    ) { $0.int64(0) }
  }
}
