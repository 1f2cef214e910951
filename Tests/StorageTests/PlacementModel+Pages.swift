import TestSupport

@testable import Storage

/// Pages of the archive, from either end, and the parts of it that are known.
extension PlacementModel {
  var isMissing: Bool {
    !archive.isEmpty
      && (parts.count != 1 || parts.first?.first != 0 || parts.last?.last != archive.count - 1)
  }

  mutating func read() { _ = readMissing(isNewest: random.chance(2)) }

  /// - Returns: `false` if nothing is missing.
  mutating func readMissing(isNewest: Bool) -> Bool {
    guard !archive.isEmpty else { return false }
    guard !parts.isEmpty else {
      if toClient.isEmpty { newestPage() }
      return true
    }
    var gaps = parts.indices.filter { $0 == 0 ? parts[0].first > 0 : true }
    if parts[parts.count - 1].last < archive.count - 1, toClient.isEmpty || !isLive {
      gaps.append(parts.count)
    }
    guard let gap = isNewest ? gaps.last : gaps.randomElement(using: &random) else { return false }
    // A gap is filled from its newer side.
    if gap == parts.count { pageBehind(gap - 1) } else { pageBefore(gap) }
    return true
  }

  /// The archive's newest page. Rooms are read forward: a message that a room reflects follows the
  /// last one that is known, which may be of another part beside an island.
  mutating func newestPage() {
    if isRoom {
      if parts.isEmpty { page(0...0, behind: nil, before: nil) }
      while let part = parts.last, part.last < archive.count - 1 { pageBehind(parts.count - 1) }
      return
    }
    let last = archive.count - 1
    if let part = parts.last, part.last >= last { return }
    var first = max(0, last - random.below(5))
    if let part = parts.last { first = max(first, part.last + 1) }
    page(first...last, behind: nil, before: nil)
  }

  /// A page by time, within a gap (Home, `/goto`): a part of its own. Nothing is known of what is
  /// right beside it.
  mutating func visit() {
    let gaps = parts.indices.filter { (missing(before: $0)?.count ?? 0) > 1 }
    guard let index = gaps.randomElement(using: &random), let gap = missing(before: index) else {
      return
    }
    // Where it reached the part behind the gap, it would be one before that.
    let first = gap.lowerBound + random.below(gap.count - 1)
    let limit = min(first + random.below(5), gap.upperBound - 1)
    let count = (first...limit).prefix { stamps[$0] < parts[index].start }.count
    guard count > 0 else { return }
    page(first...(first + count - 1), behind: nil, before: nil, isByTime: true)
  }

  /// What is missing before a part.
  private func missing(before index: Int) -> ClosedRange<Int>? {
    let (first, last) = (index > 0 ? parts[index - 1].last + 1 : 0, parts[index].first - 1)
    return first <= last ? first...last : nil
  }

  mutating func pageBehind(_ index: Int) {
    let first = parts[index].last + 1
    let limit = index + 1 < parts.count ? parts[index + 1].first : archive.count
    let last = min(first + random.below(5), limit - 1)
    let isMeeting = last == limit - 1 && index + 1 < parts.count
    guard first <= last else { return join(index) }
    page(first...last, behind: index, before: isMeeting ? index + 1 : nil)
  }

  mutating func pageBefore(_ index: Int) {
    let last = parts[index].first - 1
    let limit = index > 0 ? parts[index - 1].last + 1 : 0
    let first = max(limit, last - random.below(5))
    let isMeeting = first == limit && index > 0
    guard first <= last else { return join(index - 1) }
    page(first...last, behind: isMeeting ? index - 1 : nil, before: index)
  }

  /// Two parts meet, with nothing between.
  mutating func join(_ index: Int) {
    let (one, other) = (parts[index], parts[index + 1])
    changing("join \(one.indices) \(other.indices)") { model in
      model.settle([], end: one, start: other)
      model.parts[index].last = other.last
      model.parts[index].end = max(model.parts[index].end, other.end)
      model.parts.remove(at: index + 1)
    }
  }

  mutating func page(
    _ indices: ClosedRange<Int>, behind: Int?, before: Int?, isByTime: Bool = false
  ) {
    let (one, other) = (behind.map { parts[$0] }, before.map { parts[$0] })
    let name = isByTime ? "visit" : "page"
    changing("\(name) \(indices) \(one?.indices as Any) \(other?.indices as Any)") { model in
      let wanted = model.store(indices, after: one, before: other, isByTime: isByTime)
      let positions = indices.compactMap { index -> Int64? in
        let number = model.archive[index]
        return model.own.contains(number) ? nil : model.stored[number]?.position
      }
      let all = positions + [one?.start, one?.end, other?.start, other?.end].compactMap { $0 }
      var part = Part(
        first: one?.first ?? indices.lowerBound, last: other?.last ?? indices.upperBound,
        start: all.min() ?? .max, end: all.max() ?? .min)
      model.parts.removeAll { part.indices.contains($0.first) }
      // Apart from the others, however the messages were known before.
      if one == nil {
        part.start = min(part.start, wanted[0])
        if let end = model.parts.last(where: { $0.last < part.first })?.end, part.start < end + 2 {
          part.start = min(end + 5000, wanted[0])
        }
      }
      if other == nil, let last = wanted.last {
        part.end = max(part.end, last)
        if let start = model.parts.first(where: { $0.first > part.last })?.start {
          part.end = min(part.end, max(start - 2, last))
        }
      }
      model.parts.append(part)
      model.parts.sort { $0.first < $1.first }
    }
  }

  /// - Returns: the times of the page.
  mutating func store(
    _ indices: ClosedRange<Int>, after one: Part?, before other: Part?, isByTime: Bool = false
  ) -> [Int64] {
    let numbers = indices.map { archive[$0] }
    // The times of the page, as `ArchiveOrder` makes them.
    var wanted = indices.map { min(stamps[$0], clock) }
    let older = parts.last { $0.last < indices.lowerBound }
    let newer = parts.first { $0.first > indices.upperBound }?.start
    if let start = isByTime ? newer.map({ limit(below: $0, above: older?.end) }) : other?.start {
      var next = start
      for index in wanted.indices.reversed() {
        let time = (one ?? older).map {
          wanted[index] > $0.end + 5000 ? wanted[index] : start
        }
        next = min(time ?? wanted[index], next - 1)
        wanted[index] = next
      }
    } else {
      var last = one?.end ?? older.map { $0.end + 5000 } ?? .min
      for index in wanted.indices {
        last = max(wanted[index], last == .min ? last : last + 1)
        wanted[index] = last
      }
    }
    let page = zip(numbers, wanted).map {
      MessagePlacer.PageMessage(wanted: $1, stored: entry($0))
    }
    var positions = wanted
    if page.contains(where: \.isKnown) {
      positions = MessagePlacer.positions(
        of: page, after: end(of: one) ?? older.map { border(behind: $0, before: wanted[0]) },
        before: start(of: other))
    }
    for (number, position) in zip(numbers, positions) {
      if stored[number] == nil {
        insert(number, at: position)
      } else if !own.contains(number) {
        stored[number]?.position = position
      } else {
        stored[number]?.isAttempted = true
      }
      stored[number]?.isListed = true
    }
    arrived.subtract(numbers)
    settle(numbers, end: one, start: other)
    return wanted
  }

  /// The limit of a page with a gap on both sides: behind it there is space for what is missing.
  func limit(below newer: Int64, above older: Int64?) -> Int64 {
    max(newer - 5000, older.map { $0 + (newer - $0) / 2 } ?? .min)
  }

  func end(of part: Part?) -> MessagePlacer.Entry? {
    part?.indices.reversed().lazy.map { self.archive[$0] }.first { !self.own.contains($0) }
      .flatMap(entry)
  }

  func border(behind part: Part, before position: Int64) -> MessagePlacer.Entry {
    MessagePlacer.Entry(
      row: -1, conversation: 1, position: min(part.end + 5000, position), isLocal: false)
  }

  func start(of part: Part?) -> Int64? {
    part.map { part in
      let number = archive[part.first]
      return own.contains(number) ? part.start : stored[number]?.position ?? part.start
    }
  }
}
