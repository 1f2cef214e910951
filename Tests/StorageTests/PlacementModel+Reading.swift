import TestSupport

@testable import Storage

/// The neighbourhood of a page, as `PlacementReader` reads it, and what becomes of it.
extension PlacementModel {
  enum Side { case before, behind }

  func entry(_ number: Int) -> MessagePlacer.Entry? {
    stored[number].map { stored in
      MessagePlacer.Entry(
        row: stored.row, conversation: 1, position: stored.position, isLocal: stored.isAttempted,
        follows: stored.follows, archiveID: stored.isListed ? "\(number)" : nil)
    }
  }

  var waiting: [MessagePlacer.Entry] {
    own.compactMap(entry).filter { $0.follows == nil }
  }

  /// The nearest anchor at `position`, or on that side of it.
  func anchor(_ side: Side, _ position: Int64, besides rows: Set<Int64>) -> MessagePlacer.Entry? {
    let anchors = stored.keys.lazy.filter { !self.own.contains($0) }.compactMap(entry)
      .filter { !rows.contains($0.row) }
    return side == .before
      ? anchors.filter { $0.position <= position }.max { $0.key < $1.key }
      : anchors.filter { $0.position >= position }.min { $0.key < $1.key }
  }

  /// Decides where the local messages of a page and beside it are.
  mutating func settle(_ page: [Int], end: Part?, start: Part?) {
    // `PlacementReader` looks at conversations without a message in the page only then.
    if page.isEmpty, !own.contains(where: { stored[$0]?.follows ?? 0 < 0 }),
      end.map({ own.contains(archive[$0.last]) }) != true
    {
      return
    }
    let indices = page.compactMap { archived[$0] }
    let first = end?.first ?? indices.min() ?? start?.first ?? 0
    let last = start?.last ?? indices.max() ?? end?.last ?? 0
    let (older, newer) = (parts.last { $0.last < first }, parts.first { $0.first > last })
    var page = page
    let start = start.map {
      Edge(row: row(at: $0.first), position: $0.start, reach: $0.end)
    }
    let end = end.map {
      Edge(
        row: row(at: $0.last), position: $0.end,
        reach: $0.first == 0 ? -8_500_000_000_000_000 : $0.start)
    }
    if isRoom, let row = start?.row, let number = numbers[row], let first = entry(number),
      first.isLocal, let follows = first.follows, follows > 0
    {
      let early = MessagePlacer.reflectedTooEarly(
        from: first, among: own.compactMap(entry).filter { $0.follows == follows },
        page: page.compactMap { stored[$0]?.row }, hasEnd: end != nil)
      page += early.compactMap { numbers[$0] }
    }
    var seen: Set<Int> = []
    var known = MessagePlacer.Neighbourhood(
      page: page.filter { seen.insert($0).inserted }.compactMap(entry))
    known.isRoom = isRoom
    known.knownEnd = end?.position
    known.borders.end = end.map { edge($0, .before, of: known) }
    known.borders.start = start.map { edge($0, .behind, of: known) }
    if start != nil {
      let open = Set(own.compactMap { stored[$0]?.follows }.filter { $0 < 0 })
      known.beginnings = open.compactMap { numbers[-$0] }.compactMap(entry)
    }
    known.older = older.flatMap { anchor(.before, $0.end, besides: known.rows) }
    known.newer = newer.flatMap { anchor(.behind, $0.start, besides: known.rows) }
    known.next = known.last.flatMap { anchor(.behind, $0 + 1, besides: known.rows) }
    let runs = known.runs
    known.followers = own.compactMap(entry).filter { $0.follows.map(runs.contains) ?? false }
    // What came from the room since its archive is read is later than the page.
    let newest = page.compactMap { archived[$0] }.max() ?? .max
    known.later = Set(arrived.filter { archived[$0] ?? 0 > newest }.map(String.init))
    let placer = MessagePlacer(known)
    if placer.needsWaiting { known.waiting = waiting }
    apply(placer.needsWaiting ? MessagePlacer(known) : placer)
  }

  private typealias Edge = MessagePlacer.Edge

  private func row(at index: Int) -> Int64? { stored[archive[index]]?.row }

  private func edge(_ edge: Edge, _ side: Side, of known: MessagePlacer.Neighbourhood) -> Edge {
    var edge = edge
    if let row = edge.row, known.rows.contains(row),
      let anchor = side == .before ? known.anchors.first : known.anchors.last
    {
      (edge.row, edge.position) = (nil, anchor.position)
    }
    edge.message = edge.row.flatMap { numbers[$0] }.flatMap(entry)
    if let message = edge.message, message.isLocal, let run = message.follows,
      run < 0 || run > 0 && side == .before
    {
      edge.related = numbers[abs(run)].flatMap(entry)
    } else if edge.message.map({ $0.isLocal || known.rows.contains($0.row) }) ?? true {
      edge.nearest = anchor(side, edge.position, besides: known.rows)
    }
    return edge
  }

  mutating func apply(_ placer: MessagePlacer) {
    for (row, follows) in placer.follows { stored[numbers[row] ?? 0]?.follows = follows }
    for (row, position) in placer.moves { stored[numbers[row] ?? 0]?.position = position }
    let shared = Dictionary(grouping: stored.values, by: \.position).filter { $1.count > 1 }
    for row in placer.moves.keys where shared[placer.moves[row] ?? 0] != nil { collisions += 1 }
  }

  /// The local messages of which no neighbour is known: the archive has not listed them yet, or
  /// only with others of theirs.
  private var loose: Set<Int> {
    own.filter { number in
      guard let stored = stored[number], stored.isListed else { return true }
      return stored.follows.map { $0 < 0 && own.contains(numbers[-$0] ?? 0) } ?? true
    }
  }

  /// Does something, and looks for messages that it brought into disorder: what the archive has in
  /// the order in which it is shown stays so.
  mutating func changing(_ step: String, _ change: (inout Self) -> Void) {
    steps.append(step)
    guard !isChanging else { return change(&self) }
    let before = order
    // Nothing is known of the order of messages that are sent again behind newer ones.
    let known = doubt?.index ?? .max
    let loose = loose
    isChanging = true
    change(&self)
    isChanging = false
    let after = order
    let shown = Set(before)
    guard before != after.filter(shown.contains) else { return }
    let ranks = Dictionary(uniqueKeysWithValues: zip(after, after.indices))
    for (index, one) in before.enumerated() {
      for other in before[(index + 1)...] {
        guard let first = archived[one], let second = archived[other], first < second,
          second <= known, !loose.contains(one), !loose.contains(other), let rank = ranks[one],
          let otherRank = ranks[other], rank > otherRank
        else { continue }
        faults.append("\(step): \(other) moved above \(one)")
      }
    }
  }
}

extension SeededGenerator {
  mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
  /// One time of `number`.
  mutating func chance(_ number: Int) -> Bool { below(number) == 0 }
}
