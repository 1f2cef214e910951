extension MessagePlacer {
  /// Decides the positions of the local messages in and beside a page.
  init(_ known: Neighbourhood) {
    let anchors = known.anchors
    var first = known.before
    var next = known.behind(
      after: known.local.last?.row ?? first.run.flatMap(known.lastArchived))
    // Borders are known only by time where no message is adjacent, and ranges that meet may
    // overlap.
    let (last, run) = (first.anchor, first.run)
    if let last, let entry = anchors.first ?? next.anchor, last.key >= entry.key { first = Side() }
    if let entry = next.anchor, let last = anchors.last ?? last, last.key >= entry.key {
      next = Side(run: next.isCertain ? next.run : nil)
    }
    let (before, beside, waiting) = known.beside(after: first, before: next)
    let older = first.anchor == nil ? known.across(known.older, 1) : Beyond()
    let newer = next.anchor == nil ? known.across(known.newer, -1) : Beyond()
    let behind = beside + older.later
    guard !(before + behind + known.local + older.local + newer.local).isEmpty else { return }
    let sequence = before + known.page + behind
    var follows = sequence.first.map { -$0.row } ?? 0
    if let last = first.anchor, first.isCertain || anchors.isEmpty {
      follows = last.row
    } else if let entry = anchors.first ?? next.anchor {
      follows = -entry.row
    } else if let run = next.run {
      follows = run
    }
    for entry in sequence {
      if !entry.isLocal {
        follows = entry.row
      } else if follows < 0, let known = entry.follows, known > 0, known == run {
        // The message that it follows says more than the one that it precedes: only the beginning
        // of a part has to be found by that.
        continue
      } else if entry.follows != follows {
        self.follows[entry.row] = follows
      }
    }
    // Where nothing is known beside the page, the messages right behind local ones limit their
    // move.
    let ceiling = known.next.flatMap { next in
      known.borders.start == nil && !anchors.isEmpty && behind.contains { $0.key < next.key }
        ? next : nil
    }
    space(
      older.local + sequence + (ceiling == nil ? newer.local : []),
      after: first.anchor ?? older.anchor, before: next.anchor ?? ceiling ?? newer.anchor,
      next: known.next, waiting: known.waiting.map { $0 + waiting })
  }

  /// The neighbours of one side of a page.
  fileprivate struct Side {
    /// The nearest anchor.
    var anchor: Entry?
    /// The `follows` value of the local messages between the anchor and the page.
    var run: Int64?
    /// `true` if the first of those is adjacent to the page.
    var isCertain = false
  }

  /// The part of the archive beyond a gap on one side of a page.
  fileprivate struct Beyond {
    /// Its last message of others towards the gap.
    var anchor: Entry?
    /// The local messages at its end towards the gap.
    var local: [Entry] = []
    /// The local messages that follow its end in the database, but the page in the archive.
    var later: [Entry] = []
  }

  /// Returns the local messages that a room reflected before its archive listed what preceded them:
  /// the part that begins with `first`, the earliest of them, comes after all of the other part.
  /// Earlier local messages may follow the same row.
  /// - Parameters:
  ///   - followers: the local messages that follow the same row.
  ///   - page: the rows of the page.
  ///   - hasEnd: indicates whether a known part is before the page.
  /// - Returns: the rows that are the end of the page.
  static func reflectedTooEarly(
    from first: Entry, among followers: [Entry], page: [Int64], hasEnd: Bool
  ) -> [Int64] {
    let rows = followers.filter { $0.isArchived && $0.row >= first.row }.map(\.row).sorted()
    // Where the page continues into the part that begins with it, the page defines the order.
    let isAtEnd = page.last.map(rows.contains) ?? hasEnd
    return isAtEnd || !page.isEmpty && !page.contains(where: rows.contains) ? rows : []
  }
}

extension MessagePlacer.Neighbourhood {
  fileprivate typealias Entry = MessagePlacer.Entry
  fileprivate typealias Side = MessagePlacer.Side
  fileprivate typealias Beyond = MessagePlacer.Beyond

  /// The side before the page.
  fileprivate var before: Side {
    if let side = adjacent(borders.end, 1) { return side }
    guard let end = borders.end, let last = end.nearest, last.position > end.reach else {
      return Side()
    }
    return Side(anchor: last, run: last.row)
  }

  /// The side behind the page.
  /// - Parameter typed: the last local row in the page, or before it if the page has none.
  fileprivate func behind(after typed: Int64?) -> Side {
    guard let start = borders.start else { return Side() }
    if let side = adjacent(start, -1) { return side }
    // A late message may be there by mistake: the messages that local ones are known to precede are
    // not.
    let open = beginnings.filter { !rows.contains($0.row) }
    let known =
      open.filter { $0.position >= start.position }.min { $0.key < $1.key }
      ?? open.filter {
        // Created before the server had it. Messages are sent in the order of their creation.
        $0.isLocal && $0.row > typed ?? 0 && $0.position <= start.reach
      }.min { $0.row < $1.row }
    if let known { return Side(anchor: known.isLocal ? nil : known, run: -known.row) }
    guard let first = start.nearest, first.position < start.reach else { return Side() }
    return Side(anchor: first, run: -first.row)
  }

  /// The side of an edge whose message shows what is beside the page.
  /// - Parameter direction: 1 before the page, -1 behind it.
  private func adjacent(_ edge: MessagePlacer.Edge?, _ direction: Int64) -> Side? {
    guard let edge, let known = edge.message else { return nil }
    if !known.isLocal {
      return rows.contains(known.row)
        ? nil : Side(anchor: known, run: direction * known.row, isCertain: true)
    }
    guard let run = known.follows, run < 0 || run > 0 && direction > 0 else { return nil }
    let isAnchor =
      direction > 0 ? run > 0 : !rows.contains(-run) && edge.related?.isLocal == false
    return Side(anchor: isAnchor ? edge.related : nil, run: run, isCertain: true)
  }

  /// The part beyond a gap; nothing if the page reaches into it.
  /// - Parameter direction: 1 before the page, -1 behind it.
  fileprivate func across(_ anchor: Entry?, _ direction: Int64) -> Beyond {
    guard let anchor, !rows.contains(anchor.row),
      anchors.allSatisfy({ direction > 0 ? anchor.key < $0.key : $0.key < anchor.key })
    else { return Beyond() }
    let local = followers.filter {
      $0.follows == direction * anchor.row && $0.isArchived && !rows.contains($0.row)
    }.sorted { $0.key < $1.key }
    guard isRoom, direction > 0 else { return Beyond(anchor: anchor, local: local) }
    // A room's reflection follows the last message that was known then, which may be of another
    // part: it stays, unless it came since the page was requested.
    return Beyond(
      anchor: anchor, later: local.filter { $0.archiveID.map(later.contains) ?? false })
  }

  /// The last local row that the archive has listed behind `run`.
  fileprivate func lastArchived(behind run: Int64) -> Int64? {
    followers.lazy.filter { $0.follows == run && $0.isArchived }.map(\.row).max()
  }

  /// The local messages that are not in the page, but right before or right behind it.
  /// - Returns: also those of them that are still to be listed after the page, somewhere.
  fileprivate func beside(after first: Side, before next: Side) -> (
    before: [Entry], behind: [Entry], waiting: [Entry]
  ) {
    let anchors = Set(self.anchors.map(\.row))
    let local = self.local
    // A run continues where it precedes something that the page does not reach.
    let open = Set(local.compactMap(\.follows)).filter { $0 < 0 && !anchors.contains(-$0) }
    let runs = anchors.union(anchors.map { -$0 }).union(open)
      .union([first.run, next.run].compactMap { $0 })
    let found = followers.filter { entry in
      entry.follows.map(runs.contains) ?? false && !rows.contains(entry.row)
    }.sorted { $0.key < $1.key }
    let firstRow = (local + found.filter { $0.follows == next.run }).map(\.row).min()
    let isBefore = { (entry: Entry) -> Bool in
      guard let follows = entry.follows, follows != next.run else { return false }
      // Of two local messages, the one that was created first was sent first.
      if follows == first.run { return !anchors.isEmpty || firstRow.map { entry.row < $0 } ?? true }
      if open.contains(follows) {
        return local.first { $0.follows == follows }.map { entry.row < $0.row } ?? false
      }
      // Right before a message of the page, or right behind it.
      return follows < 0
    }
    var before = found.filter(isBefore)
    var behind = found.filter { !isBefore($0) }
    // A message that the archive has not listed yet precedes the page if it is within the known
    // part before it: a page that begins inside that part does not show what was sent since.
    let isWaiting = { (entry: Entry) in
      !entry.isArchived && knownEnd.map { entry.position > $0 } ?? false
    }
    let waiting = before.filter(isWaiting)
    before.removeAll(where: isWaiting)
    // A room reflects a message while its archive is still being read. It is later than the page,
    // which lacks it, if it is later than what the page goes on from.
    let end = borders.start == nil && isRoom ? borders.end?.message : nil
    let isLater = { (entry: Entry) in
      entry.archiveID.map(later.contains) ?? false
        || entry.isArchived && end.map { $0.key < entry.key } ?? false
    }
    behind += before.filter(isLater)
    before.removeAll(where: isLater)
    // A page read forward from the known part comes after all that the archive has listed there, at
    // any position. A message that a room has reflected need not have been listed.
    if borders.start == nil, borders.end != nil, !isRoom {
      let isPassed = { (entry: Entry) in entry.isArchived && !isLater(entry) }
      before += behind.filter(isPassed)
      behind.removeAll(where: isPassed)
      if let last = first.anchor { before.removeAll { $0.isArchived && $0.key < last.key } }
    }
    return (before, behind, waiting)
  }
}
