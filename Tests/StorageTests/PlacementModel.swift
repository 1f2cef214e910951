import TestSupport

@testable import Storage

/// A conversation and its archive, without a database: what happens in it is random, and
/// `MessagePlacer` decides all positions.
///
/// Messages are numbered in the order in which they come to be. The archive has them in the order
/// in which the server got them, of which the client knows parts, as `archive_range` has them.
struct PlacementModel {
  struct Stored {
    let row: Int64
    var position: Int64
    var follows: Int64?
    var isAttempted = false
    var isListed = false
  }

  /// A part of the archive that is known, by the indices of its ends.
  struct Part {
    var first: Int
    var last: Int
    var start: Int64
    var end: Int64
    var indices: ClosedRange<Int> { first...last }
  }

  /// Where a part ends: the index of its last message, and the position up to which it reaches.
  struct End {
    let index: Int
    let position: Int64
  }

  let isRoom: Bool
  /// Whether the archive's stamps are whole seconds.
  let isCoarse: Bool
  var random: SeededGenerator
  var clock: Int64 = 1_700_000_000_000_000
  var count = 0
  /// The rows of the client, by the number of the message.
  var stored: [Int: Stored] = [:]
  var numbers: [Int64: Int] = [:]
  /// The archive: numbers and stamps.
  var archive: [Int] = []
  var stamps: [Int64] = []
  /// Where the archive has a message.
  var archived: [Int: Int] = [:]
  var own: Set<Int> = []
  var carbons: Set<Int> = []
  var parts: [Part] = []
  // The connection.
  var isOnline = false
  /// Whether the newest part goes on with what comes live.
  var isLive = false
  var toClient: [Int] = []
  var toServer: [Int] = []
  var outbox: [Int] = []
  var unanswered: [Int] = []
  /// What a room has reflected since the connection, and no page of its archive has listed.
  var arrived: Set<Int> = []
  /// The end of what is certain: what came live behind it may be in another order than the
  /// archive's.
  var doubt: End?
  /// What went wrong.
  var faults: [String] = []
  /// Messages that were moved to a position that another one has.
  var collisions = 0
  var steps: [String] = []
  var isChanging = false

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    isRoom = random.chance(3)
    isCoarse = random.chance(2)
  }

  // MARK: - What happens

  /// Lets some things happen, and then everything get through.
  mutating func lives() {
    for _ in 0..<8 + random.below(24) { goesOn() }
    settles()
  }

  mutating func goesOn() {
    switch random.below(isOnline ? 12 : 5) {
    case 0, 1: speak()
    case 2: type()
    case 3: clock += Int64(random.below(3_000_000))
    case 4: isOnline ? disconnect() : connect()
    case 5, 6: deliver()
    case 7: send()
    case 8: arrive()
    case 9: random.chance(3) ? visit() : read()
    case 10: random.chance(3) ? resume() : resend()
    default: compare()
    }
  }

  /// Everything gets through.
  mutating func settles() {
    if !isOnline { connect() }
    while !outbox.isEmpty || !toServer.isEmpty || !toClient.isEmpty {
      send()
      arrive()
      deliver()
    }
    compare()
    var left = 400
    repeat {
      while left > 0, readMissing(isNewest: random.chance(2)) { left -= 1 }
      acknowledge(own.sorted())
      left -= 1
    } while left > 0 && isMissing
    if left <= 0 { faults.append("it never ends") }
  }

  var order: [Int] { shown.map(\.key) }

  var shown: [(key: Int, value: Stored)] {
    stored.sorted { ($0.value.position, $0.value.row) < ($1.value.position, $1.value.row) }
  }

  // MARK: - The connection

  private mutating func tick() {
    clock += Int64(random.chance(3) ? 20 : random.below(200_000) + 20)
  }

  private mutating func append(_ number: Int) {
    archived[number] = archive.count
    archive.append(number)
    stamps.append(isCoarse ? clock / 1_000_000 * 1_000_000 : clock)
  }

  private mutating func speak() {
    for _ in 0...random.below(4) {
      tick()
      count += 1
      append(count)
      // Another client of the account may have sent it: it comes as a carbon copy.
      if random.chance(5) { carbons.insert(count) }
      if isOnline { toClient.append(count) }
    }
  }

  private mutating func type() {
    tick()
    count += 1
    own.insert(count)
    let last = stored.values.map(\.position).max() ?? 0
    insert(count, at: last >= clock ? last + 2 : clock)
    outbox.append(count)
  }

  private mutating func send() {
    for number in outbox.prefix(random.below(3) + 1) {
      stored[number]?.isAttempted = true
      toServer.append(number)
      outbox.removeFirst()
    }
  }

  private mutating func arrive() {
    for number in toServer.prefix(random.below(3) + 1) {
      tick()
      append(number)
      // A room reflects it, and elsewhere the server acknowledges it: behind what came before.
      toClient.append(number)
      toServer.removeFirst()
    }
  }

  private mutating func deliver() {
    for number in toClient.prefix(random.below(4) + 1) {
      toClient.removeFirst()
      tick()
      if isRoom || !own.contains(number) {
        changing("deliver \(number)") { $0.receive(number) }
      } else {
        acknowledge([number])
      }
    }
  }

  private mutating func disconnect() {
    (isOnline, isLive) = (false, false)
    arrived = []
    unanswered += toClient.filter(own.contains)
    toClient = []
    // What was on its way is there, or is lost and sent again.
    var lost: [Int] = []
    for number in toServer {
      if lost.isEmpty, random.chance(2) {
        tick()
        append(number)
        unanswered.append(number)
      } else {
        lost.append(number)
      }
    }
    outbox = lost + outbox
    toServer = []
  }

  private mutating func connect() {
    isOnline = true
    // What the archive has until now, in either direction; some of it may stay missing.
    if parts.isEmpty || random.chance(2) {
      if !archive.isEmpty { newestPage() }
    } else {
      while let part = parts.last, part.last < archive.count - 1 { pageBehind(parts.count - 1) }
    }
    isLive = true
    acknowledge(unanswered)
    unanswered = []
  }

  /// The connection breaks, and goes on: what was on its way comes again, behind what is newer.
  private mutating func resume() {
    guard isLive, !toClient.isEmpty, let part = parts.last else { return }
    let late = toClient.filter { isRoom || !own.contains($0) }
    let answered = toClient.filter { !late.contains($0) }
    toClient = []
    acknowledge(answered)
    speak()
    toClient += late
    if doubt.map({ $0.index > part.last }) ?? true {
      doubt = End(index: part.last, position: part.end)
    }
  }

  /// What came while connections broke is compared with the archive.
  private mutating func compare() {
    guard isLive, toClient.isEmpty, let end = doubt else { return }
    doubt = nil
    forget(after: end)
  }

  /// A server sends again what was not acknowledged: what is known is not stored again.
  private mutating func resend() {
    guard let part = parts.last, isLive else { return }
    let number = archive[max(part.first, part.last - random.below(3))]
    if own.contains(number), !isRoom { return }
    changing("again \(number)") { $0.receive(number, isAgain: true) }
  }

  // MARK: - The client

  mutating func insert(_ number: Int, at position: Int64) {
    let row = Int64(stored.count + 1)
    stored[number] = Stored(
      row: row, position: position, follows: own.contains(number) ? nil : 0)
    numbers[row] = number
  }

  private mutating func receive(_ number: Int, isAgain: Bool = false) {
    if stored[number] == nil {
      let last = shown.last { !own.contains($0.key) }?.value.position ?? 0
      insert(number, at: last >= clock && last < clock + 50_000 ? last + 1 : clock)
    }
    if own.contains(number) {
      stored[number]?.isListed = true
      if !isAgain { arrived.insert(number) }
      guard let entry = entry(number) else { return }
      let last = anchor(.before, .max, besides: [])
      let placer = MessagePlacer(reflected: entry, below: last)
      apply(
        placer.needsWaiting
          ? MessagePlacer(reflected: entry, below: last, waiting: waiting) : placer)
    }
    guard isLive, !isAgain, let index = archived[number], let position = stored[number]?.position
    else { return }
    guard let part = parts.last, part.last < index else {
      if parts.isEmpty {
        parts = [Part(first: index, last: index, start: position, end: position)]
      }
      return
    }
    parts[parts.count - 1].last = index
    parts[parts.count - 1].end = max(part.end, position)
  }

  /// The server has them: what crossed them is read once more.
  private mutating func acknowledge(_ messages: [Int]) {
    guard !isRoom else { return }
    for number in messages where stored[number]?.follows == nil {
      guard let entry = entry(number) else { continue }
      let last = anchor(.before, .max, besides: [])
      if let placer = MessagePlacer(accepted: entry, below: last) {
        apply(placer)
        continue
      }
      let before = shown.last {
        !own.contains($0.key) && !carbons.contains($0.key) && $0.value.position < entry.position
      }
      forget(
        after: before.flatMap { message in
          archived[message.key].map { End(index: $0, position: message.value.position) }
        })
    }
  }

  /// Forgets the known part of the archive behind an end: it is read again, page by page, and the
  /// order that is shown in between does not count.
  ///
  /// A part ends then where it did when it reached no further (`OpenArchive.Unchecked`), never at
  /// the position of a local message: a part that begins with such messages would be taken for one
  /// that is above the part before it.
  private mutating func forget(after end: End?) {
    let ends = [end ?? End(index: -1, position: .min), doubt].compactMap { $0 }
    guard let end = ends.min(by: { $0.index < $1.index }),
      let part = parts.last(where: { $0.first <= end.index }) ?? parts.first
    else { return }
    let last = max(part.first, min(part.last, end.index))
    parts.removeAll { $0.first > last }
    parts[parts.count - 1].last = last
    if last == end.index {
      parts[parts.count - 1].end = end.position
    } else if last < part.last {
      parts[parts.count - 1].end = part.start
    }
    isLive = false
    changing("compare behind \(last)") { model in
      while let part = model.parts.last, part.last < model.archive.count - 1 {
        model.pageBehind(model.parts.count - 1)
      }
    }
    isLive = isOnline
  }
}
