import FoundationEssentials
import SQLite

/// Puts what was typed here where its archive has it, among what came into the same conversation from elsewhere.
///
/// What is typed stands at the end at once, and the server may have it later: what crossed it on the way, or came while it waited for
/// a connection, is before it there. The archive tells, page by page. Where one page ends, what was typed may stand between what
/// that has and what the next one has: each typed message keeps in mind what it comes after, so that it can be found again.
///
/// What came from elsewhere is the measure, and stays, but for microseconds where nothing else fits between.
struct TypedPlaces {
  /// What is known of the archive beside a page, as far as it is right beside it.
  struct Borders {
    /// A message that is the last one before the page, or the first one after it.
    struct Edge {
      /// Its row, where it is one: not each entry of an archive is a message.
      var row: Int64?
      let time: Date
      /// How far what is known goes on from there: what lies beyond need not be right beside the page.
      let reach: Date
      /// Whether the page has it: what is right beside that is what comes next in the same part.
      var isMet = false

      /// The same, beside `measure` of the page where that has it. Where the page has none, nothing came between.
      func beside(_ measure: Entry?) -> Edge {
        guard isMet, let measure else { return self }
        return Edge(time: ColumnCoding.date(measure.place.time), reach: reach)
      }
    }
    var end: Edge?
    var start: Edge?
  }

  /// What a conversation is ordered by.
  struct Place: Comparable {
    var time: Int64
    let row: Int64
    static func < (left: Place, right: Place) -> Bool {
      (left.time, left.row) < (right.time, right.row)
    }

    /// The last place of `row` that is before this one.
    func before(_ row: Int64) -> Place { Place(time: row < self.row ? time : time - 1, row: row) }
    /// The first place of `row` that is after this one.
    func after(_ row: Int64) -> Place { Place(time: row > self.row ? time : time + 1, row: row) }
  }

  struct Entry {
    var place: Place
    let isTyped: Bool
    /// What it comes after, as it is stored.
    let follows: Int64?
    /// What the archive knows it by.
    let archiveID: String?
    /// Whether the archive has told of it: until then its place is what came until the server had it.
    var isArchived: Bool { archiveID != nil }
    var row: Int64 { place.row }

    init(_ row: Row) {
      place = Place(time: row.int64(1), row: row.int64(0))
      isTyped = row.bool(2)
      follows = row.optionalInt64(3)
      archiveID = row.optionalString(4)
    }

    static let columns =
      "message.id, sent_at, is_outgoing = 1 AND attempted_at IS NOT NULL, follows, stanza_id"
  }

  /// When the messages are sent that are to stand elsewhere, by row.
  private(set) var moved: [Int64: Date] = [:]
  /// When the last message that came from elsewhere is sent now, of those.
  private(set) var latest: Date?
  let db: DatabaseConnection

  /// Looks where what was typed in the conversations of a page is to stand.
  /// - Parameters:
  ///   - page: the rows of its messages, by that of their conversation, in the archive's order.
  ///   - later: the archive's ids of what is known to come after it.
  init(
    of page: [Int64: [Int64]], between borders: Borders, before later: Set<String> = [],
    in db: DatabaseConnection
  ) throws {
    self.db = db
    var rows = page
    if borders.end != nil, borders.start != nil {
      // Two parts of the archive meet, and what was typed at their border may be in neither's page.
      for conversation in try conversationsWithOpenBeginnings() where rows[conversation] == nil {
        rows[conversation] = []
      }
    }
    if let (conversation, typed) = try reflectedTooEarly(at: borders.start) {
      let known = rows[conversation] ?? []
      // Where the page goes on into the part that begins with it, the page tells its order.
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

  /// Puts a message that its room gives back below all that came before: in that order everybody there has it.
  init(ofReflected row: Int64, in conversation: Int64, _ db: DatabaseConnection) throws {
    self.db = db
    guard let entry = try entry(row), entry.isTyped, entry.follows == nil else { return }
    let last = try measure(in: conversation, before: nil)
    var placed = entry
    if let last, placed.place < last.place { placed.place = last.place.after(row) }
    try write(placed, from: entry, after: last?.row ?? 0)
    if !moved.isEmpty { try pushAlong([placed], in: conversation) }
  }

  // MARK: - One conversation

  /// - Parameter rows: what the page has of it.
  private mutating func settle(
    _ rows: [Int64], in conversation: Int64, between borders: Borders, before later: Set<String>
  ) throws {
    var seen: Set<Int64> = []
    let page = try rows.filter { seen.insert($0).inserted }.compactMap { try entry($0) }
    let measures = page.filter { !$0.isTyped }
    let knownEnd = borders.end.map { ColumnCoding.microseconds($0.time) }
    let borders = Borders(
      end: borders.end?.beside(measures.first), start: borders.start?.beside(measures.last))
    var first =
      try borders.end.map { try side(before: $0, in: conversation, besides: seen) } ?? Side()
    var next =
      try borders.start.map {
        try side(
          behind: $0, in: conversation, besides: seen,
          after: page.last(where: \.isTyped)?.row
            ?? first.run.flatMap { try lastArchived(behind: $0, in: conversation) })
      } ?? Side()
    // What is known of the borders is by time where no message is right there, and parts that meet may overlap.
    let last = first.measure?.place
    if let last, let place = (measures.first ?? next.measure)?.place, last >= place {
      first = Side()
    }
    if let place = next.measure?.place, let last = measures.last?.place ?? last, last >= place {
      next = Side(run: next.isCertain ? next.run : nil)
    }
    var (before, behind) = try followers(
      of: page, after: first.run, before: next.run, in: conversation)
    // What the archive has not told of yet is before the page where it is among what is known to be: a page that begins among that
    // tells nothing of what was typed since.
    if let knownEnd { before.removeAll { !$0.isArchived && $0.place.time > knownEnd } }
    // A room gives back what is typed there while its archive is still read.
    let isLater = { (entry: Entry) in entry.archiveID.map(later.contains) ?? false }
    (before, behind) = (before.filter { !isLater($0) }, behind + before.filter(isLater))
    // A page that is read on from what is known comes after all that the archive has told of there, wherever that stands. What a
    // room has given back it need not have told of.
    if borders.start == nil, borders.end != nil, (before + behind).contains(where: \.isArchived),
      try !isRoom(conversation)
    {
      let isPassed = { (entry: Entry) in entry.isArchived && !isLater(entry) }
      before += behind.filter(isPassed)
      behind.removeAll(where: isPassed)
      if let last = first.measure { before.removeAll { $0.isArchived && $0.place < last.place } }
    }
    guard !before.isEmpty || !behind.isEmpty || page.contains(where: \.isTyped) else { return }
    // Where nothing is known beside the page, what was typed right behind it before tells what it is not to pass.
    let ceiling = try (borders.start == nil && !behind.isEmpty ? measures.last : nil)
      .flatMap { try measure(behind: $0, in: conversation, besides: seen) }
      .flatMap { next in behind.contains { $0.place < next.place } ? next : nil }

    let stored = before + page + behind
    var placed = stored
    var upperLimit = (next.measure ?? ceiling)?.place
    var ceilings: [Place?] = []
    for entry in placed.reversed() {
      ceilings.append(upperLimit)
      if !entry.isTyped { upperLimit = entry.place }
    }
    ceilings.reverse()
    var upper = first.measure?.place
    var follows = placed.first.map { -$0.row } ?? 0
    if let last = first.measure, first.isCertain || measures.isEmpty {
      follows = last.row
    } else if let known = measures.first ?? next.measure {
      follows = -known.row
    } else if let run = next.run {
      follows = run
    }
    for index in placed.indices {
      let row = placed[index].row
      if placed[index].isTyped, let ceiling = ceilings[index], placed[index].place > ceiling {
        placed[index].place = ceiling.before(row)
      }
      if let upper, placed[index].place < upper { placed[index].place = upper.after(row) }
      upper = placed[index].place
      if !placed[index].isTyped { follows = row }
      try write(placed[index], from: stored[index], after: follows)
    }
    if zip(placed, stored).contains(where: { $0.place != $1.place }) {
      try pushAlong(placed.filter(\.isTyped), in: conversation)
    }
  }

  /// What was typed and is not in `page`, but right before or right behind it.
  private func followers(
    of page: [Entry], after first: Int64?, before next: Int64?, in conversation: Int64
  ) throws -> (before: [Entry], behind: [Entry]) {
    let rows = Set(page.map(\.row))
    let measures = Set(page.lazy.filter { !$0.isTyped }.map(\.row))
    let typed = page.lazy.filter(\.isTyped).map(\.row).min()
    var wanted = measures.union(measures.map { -$0 })
    if let first { wanted.insert(first) }
    if let next { wanted.insert(next) }
    // What it goes on with, where that is before something that the page does not reach.
    let open = Set(page.lazy.filter(\.isTyped).compactMap(\.follows)).filter {
      $0 < 0 && !measures.contains(-$0)
    }
    wanted.formUnion(open)
    let list = wanted.map(String.init).joined(separator: ",")
    let found = try db.rows(
      """
      SELECT \(Entry.columns) FROM json_each(?) CROSS JOIN message INDEXED BY message_follows
        ON follows = value WHERE follows <> 0 AND conversation = ? AND corrects IS NULL
      """, "[\(list)]", conversation, map: Entry.init
    ).filter { !rows.contains($0.row) }.sorted { $0.place < $1.place }
    let isBefore = found.map { entry in
      guard let follows = entry.follows else { return false }
      if follows == next { return false }
      // Of two typed messages the one that was typed first was sent first.
      if follows == first { return !measures.isEmpty || typed.map { entry.row < $0 } ?? true }
      if open.contains(follows) {
        return page.first { $0.isTyped && $0.follows == follows }.map { entry.row < $0.row }
          ?? false
      }
      // Right before one that the page has, or right behind it.
      return follows < 0
    }
    return (
      zip(found, isBefore).filter { $1 }.map { $0.0 },
      zip(found, isBefore).filter { !$1 }.map { $0.0 }
    )
  }

  /// What was typed and is not known to be at the server stays between what was typed before it and behind it.
  private mutating func pushAlong(_ placed: [Entry], in conversation: Int64) throws {
    guard !placed.isEmpty else { return }
    let waiting = try db.rows(
      """
      SELECT \(Entry.columns) FROM message INDEXED BY message_unplaced
      WHERE conversation = ? AND follows IS NULL AND corrects IS NULL
      """, conversation, map: Entry.init)
    for entry in waiting {
      var place = entry.place
      if let upper = placed.lazy.filter({ $0.row > place.row }).map(\.place).min() {
        place = min(place, upper.before(place.row))
      }
      if let lower = placed.lazy.filter({ $0.row < place.row }).map(\.place).max() {
        place = max(place, lower.after(place.row))
      }
      if place != entry.place { moved[entry.row] = ColumnCoding.date(place.time) }
    }
  }

  // MARK: - The database

  mutating func write(_ entry: Entry, from stored: Entry, after follows: Int64) throws {
    if entry.isTyped, stored.follows != follows {
      try db.run("UPDATE message SET follows = ? WHERE id = ?", follows, entry.row)
    }
    guard entry.place != stored.place else { return }
    let time = ColumnCoding.date(entry.place.time)
    moved[entry.row] = time
    if !entry.isTyped { latest = max(latest ?? time, time) }
  }

  /// What was typed and a room gave back before its archive told what had been said until then: the part of it that begins with that
  /// comes after all that the other part has. What was typed before it may follow the same.
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

  private func isRoom(_ conversation: Int64) throws -> Bool {
    try db.firstRow("SELECT 1 FROM conversation WHERE id = ? AND kind = 'room'", conversation) {
      _ in true
    } != nil
  }

  /// Those with typed messages of which only is known what comes after them.
  private func conversationsWithOpenBeginnings() throws -> [Int64] {
    try db.rows(
      """
      SELECT DISTINCT conversation FROM message INDEXED BY message_follows
      WHERE follows <> 0 AND follows < 0
      """
    ) { $0.int64(0) }
  }
}
