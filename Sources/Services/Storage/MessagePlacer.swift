/// Decides the order of the messages of a conversation, from what is known of its archive. A pure
/// value: `PlacementReader` reads what is known, `PlacementWriter` stores the result.
///
/// A local message is appended at the end at once, and the server may receive it later: messages
/// that crossed it in transit, or came while it waited for a connection, precede it there. The
/// archive shows the order page by page. At the end of a page, a local message may lie between
/// that page and the next: each local message stores what it follows, so that it can be found
/// again.
///
/// Remote messages are the anchors and stay, except where the positions between two of them are
/// used up: then those of the page move up, by as little as makes room.
///
/// Positions are microseconds, because ranges of archives, gaps and paging compare with times. One
/// that is assigned here is greater than that of the message before: it is unique among the page,
/// its neighbours and the local messages between. Messages share a position, in the order of their
/// rows, in older files, while they wait for the server, and where there are fewer positions before
/// the next message than are needed.
struct MessagePlacer {
  /// The new positions of the messages that have to move, by row.
  var moves: [Int64: Int64] = [:]
  /// The new values of `Entry.follows`, by row.
  var follows: [Int64: Int64] = [:]
  /// The greatest new position of a remote message; `nil`: none moved.
  private(set) var latest: Int64?
  /// `true` if local messages move: `Neighbourhood.waiting` has to be known, too.
  private(set) var needsWaiting = false

  init(moves: [Int64: Int64] = [:]) { self.moves = moves }

  /// Puts a message that its room reflects below `last`, which came before: every occupant has
  /// that order.
  init(reflected entry: Entry, below last: Entry?, waiting: [Entry]? = nil) {
    guard entry.isLocal, entry.follows == nil else { return }
    follows = [entry.row: last?.row ?? 0]
    space([entry], after: last, before: nil, next: nil, waiting: waiting)
  }

  /// Leaves a message that the server has by now below `last`, the last anchor; `nil` where that
  /// one crossed it in transit: only the archive knows which came first.
  init?(accepted entry: Entry, below last: Entry?) {
    if let last, last.key > entry.key { return nil }
    follows = [entry.row: last?.row ?? 0]
  }

  /// Takes in what was decided for another conversation of a page.
  mutating func add(_ other: MessagePlacer) {
    moves.merge(other.moves) { _, new in new }
    follows.merge(other.follows) { _, new in new }
    latest = [latest, other.latest].compactMap { $0 }.max()
  }

  // MARK: - Positions

  /// Microseconds between messages that are stored next to each other: one fits between.
  static let step: Int64 = 2

  /// The position of a message that was typed, or arrived, at `time`: below `last`, whatever the
  /// clocks say.
  static func position(at time: Int64, below last: Int64?) -> Int64 {
    last.map { max(time, $0 + step) } ?? time
  }

  /// A message of the sequence, with the position that it is to have.
  private struct Slot {
    let entry: Entry
    var position: Int64
    /// `true` if it is kept between its local neighbours only.
    let isWaiting: Bool
    var isLocal: Bool { entry.isLocal || isWaiting }
    var isMoved: Bool { position != entry.position }
    var key: (Int64, Int64) { (position, entry.row) }
    init(_ entry: Entry, isWaiting: Bool = false) {
      (self.entry, position, self.isWaiting) = (entry, entry.position, isWaiting)
    }
  }

  /// Assigns positions to `sequence`, between two anchors.
  /// - Parameter next: the anchor behind it that is nearest now.
  mutating func space(
    _ sequence: [Entry], after lower: Entry?, before upper: Entry?, next: Entry?,
    waiting: [Entry]?
  ) {
    func spaced(_ slots: [Slot]) -> [Slot] {
      Self.spaced(slots, after: lower, before: upper, next: next)
    }
    var slots = spaced(sequence.map { Slot($0) })
    if slots.contains(where: \.isMoved) {
      needsWaiting = waiting == nil
      let merged = Self.merged(slots, with: waiting ?? [])
      if merged.count > slots.count { slots = spaced(merged) }
    }
    for slot in slots where slot.isMoved {
      moves[slot.entry.row] = slot.position
      if !slot.isLocal { latest = max(latest ?? slot.position, slot.position) }
    }
  }

  private static func spaced(
    _ sequence: [Slot], after lower: Entry?, before upper: Entry?, next: Entry?
  ) -> [Slot] {
    var slots = sequence
    // Local messages go below the next anchor, with a position for each between.
    var limit = upper?.position
    for index in slots.indices.reversed() {
      if slots[index].isWaiting, index + 1 < slots.count {
        slots[index].position = min(slots[index].position, slots[index + 1].position - 1)
      }
      if !slots[index].isLocal {
        limit = slots[index].position
      } else if let above = limit {
        slots[index].position = min(slots[index].position, above - 1)
        limit = above - 1
      }
    }
    let (unique, shared) = (
      risen(slots, above: lower, isUnique: true), risen(slots, above: lower, isUnique: false)
    )
    // Never above another message because it has a position of its own.
    let limits = [upper, next].compactMap { $0 }
    let isPassed = zip(unique, shared).contains { one, other in
      limits.contains { one.position >= $0.position && other.key < $0.key }
    }
    return isPassed ? shared : unique
  }

  /// Moves messages up that are not above the one before. Messages that share a position stay where
  /// neither moves.
  /// - Parameter isUnique: `false`: a message may share the position of one with a lower row.
  private static func risen(_ sequence: [Slot], above lower: Entry?, isUnique: Bool) -> [Slot] {
    var last = lower.map { Slot($0) }
    return sequence.map { slot in
      var slot = slot
      // A message that waits gets another position when the server has it.
      let isUnique = isUnique && !slot.isWaiting
      if let last {
        let isShared = slot.position == last.position && (slot.isMoved || last.isMoved)
        if slot.key < last.key || isUnique && isShared {
          slot.position = last.position + (isUnique || slot.entry.row < last.entry.row ? 1 : 0)
        }
      }
      last = slot
      return slot
    }
  }

  /// Keeps local messages that are not known to be at the server between their local neighbours.
  /// - Returns: the sequence, at its stored positions, with those that would be elsewhere.
  private static func merged(_ spaced: [Slot], with waiting: [Entry]) -> [Slot] {
    let rows = Set(spaced.map(\.entry.row))
    let local = spaced.filter(\.entry.isLocal)
    var (before, behind): ([Int64: [Slot]], [Int64: [Slot]]) = ([:], [:])
    for entry in waiting.sorted(by: { $0.row < $1.row }) where !rows.contains(entry.row) {
      let lower = local.lazy.filter { $0.entry.row < entry.row }.max { $0.key < $1.key }
      let upper = local.lazy.filter { $0.entry.row > entry.row }.min { $0.key < $1.key }
      if let lower, entry.key < lower.key {
        behind[lower.entry.row, default: []].append(Slot(entry, isWaiting: true))
      } else if let upper, entry.key > upper.key {
        before[upper.entry.row, default: []].append(Slot(entry, isWaiting: true))
      }
    }
    return spaced.flatMap { slot in
      (before[slot.entry.row] ?? []) + [Slot(slot.entry)] + (behind[slot.entry.row] ?? [])
    }
  }
}
