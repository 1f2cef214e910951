extension MessagePlacer {
  /// A message of a page, as far as its position among the others of the page depends on it.
  struct PageMessage {
    /// The position by its timestamp.
    let wanted: Int64
    /// `nil`: it is new.
    let stored: Entry?
    /// `true` if its stored position shows that in the archive.
    var isKnown: Bool { stored.map { !$0.isLocal } ?? false }
    /// `false` for local messages: their positions are derived from those of the others.
    var isAnchor: Bool { stored?.isLocal != true }
  }

  /// The positions of a page in one conversation, in the archive's order.
  ///
  /// A new message goes after the one before it and before the one after it. Servers deliver in
  /// another order than their archive's when a connection breaks: stanzas that the old connection
  /// had not acknowledged are sent again behind later ones, with their transit timestamps. The
  /// page corrects that: the existing positions are reassigned in archive order.
  /// - Parameters:
  ///   - end: what precedes the page; `nil`: unknown.
  ///   - start: the position of what follows it.
  /// - Returns: a position for each message; those of known local ones are free for them.
  static func positions(of page: [PageMessage], after end: Entry?, before start: Int64?) -> [Int64]
  {
    // Across a gap, those that are known below its older side are put where their timestamps are:
    // right above that side, there would be no space for the messages that are still missing.
    let floor = end.flatMap { end in
      end.isBorder
        ? Self.floor(under: page.lazy.filter(\.isKnown).compactMap { $0.stored?.key }, end) : nil
    }
    var positions = page.map { message in
      let known = message.isKnown ? message.stored?.position : nil
      return known.flatMap { $0 <= floor ?? .min ? nil : $0 } ?? message.wanted
    }
    var ceiling: Int64?
    for (index, message) in page.enumerated().reversed() {
      if !message.isKnown, let above = ceiling {
        positions[index] = min(positions[index], above - step)
      }
      if message.isKnown || ceiling != nil {
        ceiling = min(ceiling ?? .max, positions[index])
      }
    }
    var last: Int64?
    for (index, message) in page.enumerated() {
      if !message.isKnown, let below = last {
        guard positions[index] <= below else { continue }
        positions[index] = below + step
      }
      if message.isKnown || last != nil { last = max(last ?? .min, positions[index]) }
    }
    let anchors = page.indices.filter { page[$0].isAnchor }
    // A new message's row comes last.
    let keys = anchors.map { (positions[$0], page[$0].stored?.row ?? .max) }
    if let ordered = ordered(keys, after: end, before: start) {
      for (index, position) in zip(anchors, ordered) { positions[index] = position }
    }
    return positions
  }

  /// The position of `end`, if the first of `keys` is below it. Only among messages that were in
  /// transit at the same time: a larger difference is due to a clock.
  private static func floor(under keys: some Sequence<(Int64, Int64)>, _ end: Entry) -> Int64? {
    keys.min(by: <).flatMap { first in
      first < end.key && first.0 > end.position - transit ? end.position : nil
    }
  }

  /// The messages of a page that are in another order than the page's share their existing
  /// positions.
  /// - Parameter keys: their positions and rows.
  /// - Returns: `nil` if they are in order.
  private static func ordered(
    _ keys: [(Int64, Int64)], after end: Entry?, before start: Int64?
  ) -> [Int64]? {
    var sorted = keys.map { $0.0 }.sorted()
    guard let last = sorted.last else { return nil }
    let floor = end.flatMap { self.floor(under: keys, $0) }
    func ceiling(over last: Int64) -> Int64? {
      start.flatMap { last >= $0 && last < $0 + transit ? $0 : nil }
    }
    let isInOrder = zip(keys, keys.dropFirst()).allSatisfy { $0 <= $1 }
    if isInOrder, floor == nil, ceiling(over: last) == nil { return nil }
    var lower = floor
    for index in sorted.indices {
      if let lower { sorted[index] = max(sorted[index], lower + step) }
      lower = sorted[index]
    }
    // The floor may have moved messages above the ceiling.
    guard let ceiling = ceiling(over: max(last, sorted[sorted.count - 1])) else { return sorted }
    // Where the space is small they are closer together: at equal positions the rows give the
    // order.
    let space = end.map { Double(ceiling - $0.position) / Double(sorted.count + 1) } ?? 0
    let distance = space > 0 ? min(space, Double(step)) : Double(step)
    var upper = Double(ceiling)
    for index in sorted.indices.reversed() {
      upper = min(Double(sorted[index]), upper - distance)
      sorted[index] = Int64(upper.rounded())
    }
    return sorted
  }

  /// The microseconds that simultaneous messages may be apart: servers take that long to notice
  /// that a connection broke and keep its session, before they send again what was in transit in
  /// it.
  private static let transit: Int64 = 900_000_000
}
