import FoundationEssentials
import NatterCore
import XMPP

/// One reading of an archive of which everything new arrives here by itself: what it has read, what
/// came live meanwhile, and how far the two are known to agree. It does no I/O.
struct OpenArchive {
  /// The part of an archive that is not yet compared with live messages.
  struct Unchecked: Hashable {
    /// The position up to which it is known to be complete: no later message is stored as its end.
    var point: ArchivePosition
    /// The archive id of the last message up to there whose time shows its position.
    var anchor: String?
    /// The time since which messages are news, over however many connections the comparison goes.
    let since: Date

    init(from point: ArchivePosition, _ anchor: String?) {
      (self.point, self.anchor, since) = (point, anchor, point.at)
    }
  }

  /// The reading's number among all of this run.
  let number: Int
  /// The visit of a room in which it is read.
  let visit: Int?
  /// The connection over which this reading began.
  let connection: Int
  /// The time at which this reading began.
  let begun: Date
  /// Its newest range, once catch-up is done: live messages move its end.
  private(set) var live: ArchiveRange?
  /// The part that is still to be compared with the archive; `nil`: none.
  private(set) var unchecked: Unchecked?
  /// Positions before local messages that crossed on the way: reading starts there again.
  var crossed: Set<ArchivePosition> = []
  /// Indicates whether the archive cannot be compared over this connection.
  private var isIncomparable = false
  /// The number of times that more was left to compare than is compared at once, over this
  /// connection.
  private var longChecks = 0
  /// Between what is read when the session begins and what arrives live, whatever the clocks say.
  private(set) var border: Date
  /// Indicates whether the border is after all stored messages and `isFollowed` is known; else it
  /// waits.
  private(set) var isPrepared = false
  /// Indicates whether catch-up ended early: there is something that it has not read.
  var isBehind = false
  /// The range of live messages that arrived while catching up, until it meets the read ones.
  private(set) var island: ArchiveRange?
  /// The ids that the island consists of, in order of arrival, and those that catch-up has read.
  private(set) var (arrived, read): ([String], Set<String>) = ([], [])
  /// Indicates whether all that the archive takes in arrives live too.
  private(set) var isFollowed: Bool
  /// The number of live messages that moved an end since it was stored.
  private(set) var unstored = 0

  /// The number of live messages that are remembered one by one while catching up.
  static let arrivedLimit = 2000

  init(
    number: Int, visit: Int?, connection: Int, begun: Date, border: Date, isFollowed: Bool
  ) {
    self.number = number
    self.visit = visit
    self.connection = connection
    self.begun = begun
    self.border = border
    self.isFollowed = isFollowed
  }

  /// Indicates whether a live message begins the reading's own range.
  var beginsIsland: Bool { live == nil && island == nil }

  /// Takes note whether all that the archive takes in arrives live too.
  mutating func setFollowed(_ isFollowed: Bool) {
    self.isFollowed = isFollowed
    if !isFollowed { island = nil }
  }

  // MARK: - The end that live messages move

  /// Keeps the border after a message that the server had stored and delivered at `time`: offline
  /// messages come before live ones, however long the session has none.
  mutating func noteOffline(_ stamp: Date, deliveredAt time: Date) {
    guard beginsIsland else { return }
    border = max(border, min(stamp, time) + ArchiveOrder.step)
  }

  /// Moves the end of the newest range to the live message `id`, which arrived at `time`.
  /// - Parameter isAnchor: whether messages after the range come after this one: not a local one.
  mutating func noteLive(_ id: String, at time: Date, isAnchor: Bool, in archive: JID) {
    if live != nil {
      Self.move(&live, to: id, at: time, isAnchor: isAnchor)
    } else if island != nil {
      Self.move(&island, to: id, at: time, isAnchor: isAnchor)
      if arrived.count < Self.arrivedLimit { arrived.append(id) }
    } else {
      island = ArchiveRange(
        archive: archive, start: ArchivePosition(id: id, at: border),
        end: ArchivePosition(id: id, at: max(time, border)), reachesBeginning: false,
        anchor: isAnchor ? id : nil)
      arrived = [id]
    }
    unstored += 1
  }

  private static func move(
    _ range: inout ArchiveRange?, to id: String, at time: Date, isAnchor: Bool
  ) {
    guard let end = range?.end else { return }
    range?.end = ArchivePosition(id: id, at: max(end.at, time))
    if isAnchor { range?.anchor = id }
  }

  /// The newest range as far as it is certain, if its stored end is behind; else `nil`.
  var rangeToStore: ArchiveRange? {
    guard isPrepared, unstored > 0, var range = live ?? island else { return nil }
    if live == nil {
      // A range with a gap before it; whether it has gaps itself is not known yet.
      (range.end.id, range.anchor) = (range.start.id, nil)
    } else if let unchecked {
      (range.end, range.anchor) = (unchecked.point, unchecked.anchor)
    }
    return range
  }

  /// Takes note that the end is being stored: messages from here on move it again.
  mutating func storesEnd() { unstored = 0 }

  /// Takes note of the row in which the island is stored.
  mutating func noteIslandRow(_ row: Int64?) { island?.row = row }

  /// Returns `range` with the end that live messages have moved it to, as far as that is certain.
  func certain(_ range: ArchiveRange) -> ArchiveRange {
    guard let live, live.row == range.row, range.row != nil else { return range }
    var range = range
    (range.end, range.anchor) = (live.end, live.anchor)
    if let unchecked { (range.end, range.anchor) = (unchecked.point, unchecked.anchor) }
    return range
  }

  /// Takes note that a stored range begins earlier now.
  mutating func began(_ range: ArchiveRange) {
    guard let live, live.row == range.row else { return }
    self.live?.start = range.start
    self.live?.reachesBeginning = range.reachesBeginning
    // Its end may have moved while it was stored.
    if live.end != range.end { unstored += 1 }
  }
}

// MARK: - Catching up

extension OpenArchive {
  /// The consequence of a page for what came live meanwhile.
  enum Meeting: Hashable {
    /// None: the page's range remains as it is stored.
    case apart
    /// All of the island was read: the page's range takes it in, and `absorbing` if it is stored.
    case joined(ArchiveRange, absorbing: [ArchiveRange])
    /// The island begins later now, which is stored before the page's range is stored again.
    case moved
  }

  /// The range that was read, together with the live messages that arrived meanwhile.
  struct Joined: Hashable {
    var range: ArchiveRange
    /// The part of it that is certain, which is what is stored.
    let certain: ArchiveRange
    /// The range that is a part of it from now on.
    let island: ArchiveRange
  }

  /// Moves the border, and what came live already, after all that is stored, up to `known`.
  /// - Returns: `false` if that was done before.
  mutating func prepare(after known: Date) -> Bool {
    guard !isPrepared else { return false }
    border = max(border, known + ArchiveOrder.gap)
    island?.start.at = border
    if let end = island?.end.at { island?.end.at = max(end, border) }
    isPrepared = true
    return true
  }

  /// Returns the latest time for what is read when the session begins: before what comes live.
  func latest(now: Date) -> Date { min(now, border - ArchiveOrder.gap / 2) }

  /// The live messages that no page has returned, up to some moment.
  struct Arrived: Hashable {
    private let ids: Set<String>
    private let end: Date

    init(_ island: ArchiveRange, _ arrived: [String]) {
      (ids, end) = (Set(arrived).union([island.start.id, island.end.id]), island.end.at)
    }

    /// Returns the time of the last of them, if they are before `page`; `nil` if it has some of
    /// them, or all that the archive has: some servers archive a message after they deliver it.
    func last(before page: XEP0313Page) -> Date? {
      page.isComplete || page.results.contains { ids.contains($0.id) } ? nil : end
    }
  }

  /// The live messages that no page has returned; `nil`: there is none.
  var arrivedLive: Arrived? { island.map { Arrived($0, arrived) } }

  /// Takes note of the ids of a page.
  mutating func noteRead(_ ids: some Sequence<String>) {
    read.formUnion(ids)
    let read = read
    arrived.removeAll { read.contains($0) }
  }

  /// Compares the island with the page that ends `range`: live messages that were read as well
  /// belong to the page; later ones remain a range of their own.
  /// - Parameters:
  ///   - read: the ids that catch-up has read.
  ///   - next: the time of the first live message that was not read.
  ///   - isNewest: whether it is the archive's last page: earlier live messages are older.
  mutating func meet(
    _ range: ArchiveRange, reading read: Set<String>, next: Date?, isNewest: Bool
  ) -> Meeting {
    guard let island else {
      // What comes live from here on comes after what was read.
      border = max(border, range.end.at + ArchiveRange.space)
      return .apart
    }
    let isMet = read.contains(island.start.id)
    if isNewest, !isMet { return .apart }
    if isMet, arrived.isEmpty {
      self.island = nil
      var joined = range
      // What came live has the time at which it came.
      joined.end.at = max(range.end.at, island.end.at)
      return .joined(joined, absorbing: island.row == nil ? [] : [island])
    }
    // After what was read: if the session's range began there, the two would share a time, and what
    // is between would be hidden.
    var border = range.end.at + ArchiveRange.space
    if let next, next > range.end.at + ArchiveRange.step { border = min(border, next) }
    if isMet, let first = arrived.first {
      self.island?.start = ArchivePosition(id: first, at: max(island.start.at, border))
    } else if island.start.at <= range.end.at + ArchiveRange.step {
      self.island?.start.at = border
    } else {
      return .apart
    }
    self.island?.end.at = max(island.end.at, border)
    unstored += 1
    return .moved
  }

  /// Ends the island: nothing is between it and `range`, which was read to the archive's end.
  /// - Parameter unchecked: how far `range` is certain; `nil`: all of it is.
  /// - Returns: the two as one; `nil` if there is no island.
  mutating func join(_ range: ArchiveRange, certainTo unchecked: Unchecked?) -> Joined? {
    guard let island else { return nil }
    var joined = range
    if island.end.at > joined.end.at { (joined.end, joined.anchor) = (island.end, island.anchor) }
    if unchecked == nil, island.start.at < joined.start.at { joined.start = island.start }
    self.island = nil
    var certain = joined
    if let unchecked { (certain.end, certain.anchor) = (unchecked.point, unchecked.anchor) }
    return Joined(range: joined, certain: certain, island: island)
  }

  /// Takes note that the stored end is behind the newest range's.
  mutating func outgrewStored() { unstored += 1 }

  /// Ends catch-up with the newest range, whose end live messages move from now on.
  mutating func finish(with range: ArchiveRange, unchecked: Unchecked?) {
    (arrived, read) = ([], [])
    self.unchecked = unchecked
    isBehind = false
    if isFollowed { live = range }
  }

  /// Begins the island with the history that a room sent after the join, because its archive cannot
  /// be read.
  /// - Parameter last: the last message of that history.
  mutating func beginIsland(
    at start: ArchivePosition, through last: ArchivePosition, in archive: JID
  ) {
    var island =
      island ?? ArchiveRange(archive: archive, start: start, end: last, reachesBeginning: false)
    island.start = start
    island.end.at = max(island.end.at, last.at, start.at)
    self.island = island
    unstored += 1
  }
}

// MARK: - Reconciling

extension OpenArchive {
  /// The result of one look at what is to be compared.
  enum CheckResult: Hashable {
    /// There is more to compare.
    case goesOn
    /// There is nothing more to compare over this connection.
    case ended
    /// All of it is compared, and the end is certain.
    case compared
  }

  /// The number of times that more may be left over one connection: another owner's archive could
  /// have no end.
  private static let (longChecks, longRoomChecks) = (40, 4)

  /// Indicates whether what came live is to be compared with the archive, and can be.
  var isToCompare: Bool {
    (unchecked != nil || !crossed.isEmpty) && live != nil && !isIncomparable
  }

  /// Takes note of a connection: what moves the end from here on is complete once it is compared.
  /// - Returns: whether the end is to be stored first, as messages that arrive meanwhile would be
  ///   neither before the first page nor in it.
  mutating func connectionOpened() -> Bool {
    isIncomparable = false
    longChecks = 0
    guard unchecked == nil else { return false }
    if let live {
      unchecked = Unchecked(from: live.end, live.anchor)
      unstored += 1
    }
    return true
  }

  /// Has the comparison begin at `point`, the earliest position that was crossed.
  /// - Parameter live: the newest range when the position was taken up.
  /// - Returns: `false` if it begins there or earlier anyway.
  mutating func compareAgain(from point: ArchivePosition, in live: ArchiveRange) -> Bool {
    // What was typed behind something older may have come to the server as late as in this part.
    let isInside = !point.id.isEmpty && point.at > live.start.at
    let begin = isInside ? point : live.start
    if let unchecked, unchecked.point.at <= begin.at { return false }
    unchecked = Unchecked(from: begin, isInside ? point.id : nil)
    unstored += 1
    return true
  }

  /// Takes note of how far what came live is compared.
  /// - Parameters:
  ///   - range: the newest range as it is stored.
  ///   - ids: the archive ids of what the archive has returned, the last one at `point`.
  mutating func noteCompared(
    _ range: ArchiveRange, upTo point: ArchivePosition, returning ids: [String]
  ) {
    guard var live else { return }
    live.row = range.row
    live.start.at = min(live.start.at, range.start.at)
    // The last one may be what did not come.
    if ids.contains(live.end.id) { (live.end.id, live.anchor) = (point.id, range.anchor) }
    live.end.at = max(live.end.at, range.end.at)
    self.live = live
    // Only as far as stored. Back at its start, the end would be older than the message it follows.
    unchecked?.point = ArchivePosition(id: point.id, at: max(point.at, range.end.at))
    unchecked?.anchor = range.anchor
    unstored += 1
  }

  /// Ends one look at what is to be compared.
  /// - Parameters:
  ///   - isLong: whether more is left than is compared at once.
  ///   - isOver: whether the archive has returned everything.
  ///   - isOwn: whether it is the account's archive.
  mutating func endCheck(isLong: Bool, isOver: Bool, isOwn: Bool) -> CheckResult {
    if isLong, longChecks < (isOwn ? Self.longChecks : Self.longRoomChecks) {
      longChecks += 1
      return .goesOn
    }
    guard isOver else {
      // The result would be the same again. The next session reads on from what is compared.
      isIncomparable = true
      return .ended
    }
    unchecked = nil
    return .compared
  }
}
