/// The visual order of the clusters of one row, for terminals that do not reorder text themselves
/// (UAX #9).
///
/// Plain paragraphs: numbers, neutrals, brackets and isolates are resolved; embeddings and
/// overrides are ignored, and are not drawn anyway (`SafeText`).
package enum BidiOrder {
  /// Returns whether the base direction of a text is right to left (rules P2, P3).
  package static func isRightToLeft(_ text: some StringProtocol) -> Bool {
    var depth = 0
    for scalar in text.unicodeScalars {
      switch BidiClass(scalar) {
      case .isolateLeft, .isolateRight, .isolateFirst: depth += 1
      case .isolateEnd: depth = max(0, depth - 1)
      case .left where depth == 0: return false
      case .right where depth == 0, .arabic where depth == 0: return true
      default: break
      }
    }
    return false
  }

  /// Returns whether the visual order of a text may differ from its logical order.
  package static func concerns(_ text: some StringProtocol) -> Bool {
    text.utf8.contains { $0 >= 0xD6 } && text.unicodeScalars.contains { BidiClass.turns($0.value) }
  }

  /// Returns the text of one row in visual order, from the left.
  package static func visual(_ text: some StringProtocol, isRightToLeft: Bool) -> String {
    guard isRightToLeft || concerns(text) else { return String(text) }
    let clusters = Array(text)
    let levels = levels(of: clusters, isRightToLeft: isRightToLeft)
    return String(order(of: levels).map { drawn(clusters[$0], at: levels[$0]) })
  }

  /// Returns the column at which each cluster of a row begins when the row is drawn, counted from
  /// the left; the clusters are in logical order.
  package static func columns(_ text: some StringProtocol, isRightToLeft: Bool) -> [Int] {
    let clusters = Array(text)
    var columns = [Int](repeating: 0, count: clusters.count)
    let levels =
      isRightToLeft || concerns(text)
      ? levels(of: clusters, isRightToLeft: isRightToLeft)
      : [Int](repeating: 0, count: clusters.count)
    var column = 0
    for index in order(of: levels) {
      columns[index] = column
      column += clusters[index].columns
    }
    return columns
  }

  /// Returns a row of several runs in visual order, from the left.
  package static func visual(_ text: StyledText, isRightToLeft: Bool) -> StyledText {
    guard isRightToLeft || text.runs.contains(where: { concerns($0.text) }) else { return text }
    var clusters: [Character] = []
    var roles: [StyleRole] = []
    for run in text.runs {
      for cluster in run.text {
        clusters.append(cluster)
        roles.append(run.role)
      }
    }
    let levels = levels(of: clusters, isRightToLeft: isRightToLeft)
    var result = StyledText()
    for index in order(of: levels) {
      result.append(String(drawn(clusters[index], at: levels[index])), roles[index])
    }
    return result
  }

  /// Returns the mirrored form of paired characters in right-to-left text (rule L4).
  private static func drawn(_ cluster: Character, at level: Int) -> Character {
    level % 2 == 1 ? mirrored[cluster] ?? cluster : cluster
  }

  private static let mirrored: [Character: Character] = {
    var pairs: [Character: Character] = [:]
    for (open, close) in brackets + [("<", ">"), ("«", "»"), ("‹", "›"), ("≤", "≥")] {
      pairs[open] = close
      pairs[close] = open
    }
    return pairs
  }()

  private static let brackets: [(Character, Character)] = [
    ("(", ")"), ("[", "]"), ("{", "}"), ("⟨", "⟩"), ("「", "」"), ("『", "』"), ("【", "】"),
    ("（", "）"), ("《", "》"), ("〈", "〉"),
  ]

  /// Reverses every run of an odd level, from the deepest up (rule L2).
  private static func order(of levels: [Int]) -> [Int] {
    var order = Array(levels.indices)
    guard let deepest = levels.max(), deepest > 0 else { return order }
    for level in stride(from: deepest, through: 1, by: -1) {
      var start = 0
      while start < order.count {
        guard levels[order[start]] >= level else {
          start += 1
          continue
        }
        var end = start
        while end < order.count, levels[order[end]] >= level { end += 1 }
        order[start..<end].reverse()
        start = end
      }
    }
    return order
  }

  // MARK: Levels

  /// Returns the level of each cluster.
  static func levels(of clusters: [Character], isRightToLeft: Bool) -> [Int] {
    let base = isRightToLeft ? 1 : 0
    var classes = clusters.map { cluster in
      cluster.unicodeScalars.first.map { BidiClass($0) } ?? .neutral
    }
    var levels = [Int](repeating: base, count: clusters.count)
    resolve(&levels, &classes, clusters, 0..<clusters.count, level: base)
    // Trailing blanks have the base level (rule L1).
    for index in clusters.indices.reversed() {
      guard classes[index] == .blank || isIsolate(clusters[index]) else { break }
      levels[index] = base
    }
    return levels
  }

  private static func isIsolate(_ cluster: Character) -> Bool {
    cluster.unicodeScalars.first.map { (0x2066...0x2069).contains($0.value) } ?? false
  }

  /// Assigns levels to a range; an isolate in it counts as one neutral and is resolved separately
  /// (rules X5a to X6a).
  private static func resolve(
    _ levels: inout [Int], _ classes: inout [BidiClass], _ clusters: [Character],
    _ range: Range<Int>, level: Int
  ) {
    var own: [Int] = []
    var index = range.lowerBound
    while index < range.upperBound {
      own.append(index)
      levels[index] = level
      guard let direction = isolateDirection(classes, clusters, at: index, in: range) else {
        index += 1
        continue
      }
      let end = isolateEnd(classes, from: index, in: range)
      let inner = direction == (level % 2 == 1) ? level + 2 : level + 1
      // Isolates nested deeper than any real text are left unresolved.
      if inner < 64 {
        resolve(&levels, &classes, clusters, index + 1..<end, level: inner)
      }
      index = end
    }
    var sequence = own.map { classes[$0] }
    resolveNumbers(&sequence, level: level)
    resolveBrackets(&sequence, own.map { clusters[$0] }, level: level)
    resolveNeutrals(&sequence, level: level)
    for (position, index) in own.enumerated() {
      levels[index] = level + increase(sequence[position], level)
    }
  }

  /// Returns the direction of the isolate that begins here, `true` for right to left; `nil` without
  /// an isolate.
  private static func isolateDirection(
    _ classes: [BidiClass], _ clusters: [Character], at index: Int, in range: Range<Int>
  ) -> Bool? {
    switch classes[index] {
    case .isolateLeft: return false
    case .isolateRight: return true
    case .isolateFirst:
      let end = isolateEnd(classes, from: index, in: range)
      return isRightToLeft(String(clusters[index + 1..<end]))
    default: return nil
    }
  }

  /// Returns the end of the isolate that begins at `start`: its terminator, or the end of the
  /// range.
  private static func isolateEnd(_ classes: [BidiClass], from start: Int, in range: Range<Int>)
    -> Int
  {
    var depth = 0
    for index in start + 1..<max(start + 1, range.upperBound) {
      switch classes[index] {
      case .isolateLeft, .isolateRight, .isolateFirst: depth += 1
      case .isolateEnd:
        if depth == 0 { return index }
        depth -= 1
      default: break
      }
    }
    return range.upperBound
  }

  /// Returns the increase of the level (rules I1 and I2).
  private static func increase(_ kind: BidiClass, _ level: Int) -> Int {
    switch kind {
    case .number, .arabicNumber: level % 2 == 0 ? 2 : 1
    case .right: level % 2 == 0 ? 1 : 0
    case .left: level % 2 == 0 ? 0 : 1
    default: 0
    }
  }

  /// Resolves numbers and the symbols beside them (rules W1 to W7).
  private static func resolveNumbers(_ sequence: inout [BidiClass], level: Int) {
    let side: BidiClass = level % 2 == 1 ? .right : .left
    var before = side
    for index in sequence.indices where sequence[index] == .mark {
      sequence[index] = index > 0 ? sequence[index - 1] : side
    }
    var strong = side
    for index in sequence.indices {
      switch sequence[index] {
      case .left, .right, .arabic: strong = sequence[index]
      case .number where strong == .arabic: sequence[index] = .arabicNumber
      default: break
      }
    }
    for index in sequence.indices where sequence[index] == .arabic { sequence[index] = .right }
    for index in sequence.indices.dropFirst().dropLast() {
      let (last, next) = (sequence[index - 1], sequence[index + 1])
      if sequence[index] == .sign, last == .number, next == .number { sequence[index] = .number }
      if sequence[index] == .separator, last == next, last == .number || last == .arabicNumber {
        sequence[index] = last
      }
    }
    var start = 0
    while start < sequence.count {
      var end = start
      while end < sequence.count, sequence[end] == .terminator { end += 1 }
      if end > start {
        let touches =
          start > 0 && sequence[start - 1] == .number
          || end < sequence.count && sequence[end] == .number
        for index in start..<end { sequence[index] = touches ? .number : .neutral }
      }
      start = max(end, start + 1)
    }
    before = side
    for index in sequence.indices {
      switch sequence[index] {
      case .left, .right: before = sequence[index]
      case .number where before == .left: sequence[index] = .left
      case .sign, .separator: sequence[index] = .neutral
      default: break
      }
    }
  }

  /// Resolves pairs of brackets: both get the direction of their content, or of the text before
  /// them (rule N0).
  private static func resolveBrackets(
    _ sequence: inout [BidiClass], _ clusters: [Character], level: Int
  ) {
    let side: BidiClass = level % 2 == 1 ? .right : .left
    var stack: [(close: Character, index: Int)] = []
    var pairs: [(Int, Int)] = []
    for (index, cluster) in clusters.enumerated() where sequence[index] == .neutral {
      if let pair = brackets.first(where: { $0.0 == cluster }) {
        guard stack.count < 63 else { break }
        stack.append((pair.1, index))
      } else if let open = stack.lastIndex(where: { $0.close == cluster }) {
        pairs.append((stack[open].index, index))
        stack.removeSubrange(open...)
      }
    }
    for (open, close) in pairs.sorted(by: { $0.0 < $1.0 }) {
      let inside = sequence[open + 1..<close].compactMap(strong)
      guard !inside.isEmpty else { continue }
      var direction = side
      if !inside.contains(side) {
        let context = sequence[..<open].last { strong($0) != nil }.flatMap(strong) ?? side
        direction = context == side ? side : inside[0]
      }
      (sequence[open], sequence[close]) = (direction, direction)
    }
  }

  /// Returns the direction of a class among neutrals, where numbers count as right to left.
  private static func strong(_ kind: BidiClass) -> BidiClass? {
    switch kind {
    case .left: .left
    case .right, .arabic, .number, .arabicNumber: .right
    default: nil
    }
  }

  /// Resolves neutrals: between two characters of one direction they have that direction, otherwise
  /// the paragraph's (rules N1 and N2).
  private static func resolveNeutrals(_ sequence: inout [BidiClass], level: Int) {
    let side: BidiClass = level % 2 == 1 ? .right : .left
    var start = 0
    while start < sequence.count {
      guard strong(sequence[start]) == nil else {
        start += 1
        continue
      }
      var end = start
      while end < sequence.count, strong(sequence[end]) == nil { end += 1 }
      let before = start > 0 ? strong(sequence[start - 1]) ?? side : side
      let after = end < sequence.count ? strong(sequence[end]) ?? side : side
      for index in start..<end { sequence[index] = before == after ? before : side }
      start = end
    }
  }
}
