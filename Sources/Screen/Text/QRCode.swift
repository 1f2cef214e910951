/// A text as a QR code (ISO/IEC 18004): byte mode, the lowest level of error correction, versions 1
/// to 9.
nonisolated package struct QRCode: Hashable, Sendable {
  /// Modules per side, without the quiet zone.
  private(set) var size: Int
  private var modules: [Bool]
  /// Finders, timing, alignment, format and version: these modules hold no data.
  private var reserved: [Bool]

  /// For each version: all codewords, the error correction codewords of a block, the number of
  /// blocks, and the positions of alignment patterns.
  private static let versions: [(total: Int, correction: Int, blocks: Int, alignment: [Int])] = [
    (26, 7, 1, []), (44, 10, 1, [6, 18]), (70, 15, 1, [6, 22]), (100, 20, 1, [6, 26]),
    (134, 26, 1, [6, 30]), (172, 18, 2, [6, 34]), (196, 20, 2, [6, 22, 38]),
    (242, 24, 2, [6, 24, 42]), (292, 30, 2, [6, 26, 46]),
  ]

  /// - Returns: `nil` if the text has more than 230 bytes.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard
      let index = Self.versions.firstIndex(where: {
        // Four bits of mode, eight of length.
        bytes.count <= $0.total - $0.correction * $0.blocks - 2
      })
    else { return nil }
    let version = Self.versions[index]
    size = 21 + 4 * index
    modules = Array(repeating: false, count: size * size)
    reserved = modules
    drawPatterns(number: index + 1, alignment: version.alignment)
    draw(Self.codewords(bytes, version.total, version.correction, version.blocks))
    // Any mask is readable; the one with the fewest runs and blocks is the most reliable.
    var best: (penalty: Int, code: QRCode)?
    for mask in 0..<8 {
      var code = self
      code.apply(mask)
      code.drawFormat(mask)
      let penalty = code.penalty
      if penalty < best?.penalty ?? .max { best = (penalty, code) }
    }
    if let best { self = best.code }
  }

  /// Returns true for a dark module; modules outside the code are light.
  func isDark(row: Int, column: Int) -> Bool {
    (0..<size).contains(row) && (0..<size).contains(column) && modules[row * size + column]
  }

  /// Two rows of modules per line, as half blocks that are light: they are drawn in white on black,
  /// because many cameras cannot read an inverted code. With a quiet zone of two modules on each
  /// side.
  package var lines: [String] {
    stride(from: -2, to: size + 2, by: 2).map { row in
      var line = ""
      for column in -2..<size + 2 {
        let isUpperLight = !isDark(row: row, column: column)
        let isLowerLight = !isDark(row: row + 1, column: column) && row + 1 < size + 2
        line.append(
          isUpperLight ? (isLowerLight ? "█" : "▀") : (isLowerLight ? "▄" : " "))
      }
      return line
    }
  }

  // MARK: - Codewords

  private static func codewords(_ bytes: [UInt8], _ total: Int, _ correction: Int, _ blocks: Int)
    -> [UInt8]
  {
    let room = total - correction * blocks
    // Mode 4, the length, the bytes, and four zero bits, which make whole bytes.
    var data: [UInt8] = []
    var before = UInt8(4)
    for byte in [UInt8(bytes.count)] + bytes {
      data.append(before << 4 | byte >> 4)
      before = byte & 15
    }
    data.append(before << 4)
    var padding: UInt8 = 0xEC
    while data.count < room {
      data.append(padding)
      padding ^= 0xEC ^ 0x11
    }
    let length = room / blocks
    let parts = (0..<blocks).map { Array(data[$0 * length..<($0 + 1) * length]) }
    let divisor = Self.divisor(correction)
    let checks = parts.map { remainder($0, divisor) }
    // Interleaved: the first of each block, the second of each.
    return (0..<length).flatMap { index in parts.map { $0[index] } }
      + (0..<correction).flatMap { index in checks.map { $0[index] } }
  }

  /// Multiplication in the field of 256 elements modulo x^8 + x^4 + x^3 + x^2 + 1.
  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    var result = 0
    for bit in (0..<8).reversed() {
      result = result << 1 ^ (result >> 7) * 0x11D
      if b >> bit & 1 == 1 { result ^= Int(a) }
    }
    return UInt8(truncatingIfNeeded: result)
  }

  private static func divisor(_ degree: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: degree)
    result[degree - 1] = 1
    var root: UInt8 = 1
    for _ in 0..<degree {
      for index in 0..<degree {
        result[index] = product(result[index], root)
        if index + 1 < degree { result[index] ^= result[index + 1] }
      }
      root = product(root, 2)
    }
    return result
  }

  private static func remainder(_ data: [UInt8], _ divisor: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: divisor.count)
    for byte in data {
      let factor = byte ^ result.removeFirst()
      result.append(0)
      for index in divisor.indices { result[index] ^= product(divisor[index], factor) }
    }
    return result
  }

  // MARK: - Drawing

  private mutating func reserve(_ column: Int, _ row: Int, _ isDark: Bool) {
    modules[row * size + column] = isDark
    reserved[row * size + column] = true
  }

  private mutating func drawPatterns(number: Int, alignment: [Int]) {
    for index in 0..<size {
      reserve(6, index, index.isMultiple(of: 2))
      reserve(index, 6, index.isMultiple(of: 2))
    }
    for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] {
      for dy in -4...4 {
        for dx in -4...4 {
          let (x, y) = (column + dx, row + dy)
          guard (0..<size).contains(x), (0..<size).contains(y) else { continue }
          let distance = max(abs(dx), abs(dy))
          reserve(x, y, distance != 2 && distance != 4)
        }
      }
    }
    for row in alignment {
      for column in alignment {
        let last = alignment.count - 1
        let isCorner = [(0, 0), (0, last), (last, 0)].contains {
          alignment[$0.0] == row && alignment[$0.1] == column
        }
        if isCorner { continue }
        for dy in -2...2 {
          for dx in -2...2 { reserve(column + dx, row + dy, max(abs(dx), abs(dy)) != 1) }
        }
      }
    }
    drawFormat(0)
    if number >= 7 { drawVersion(number) }
  }

  private mutating func drawFormat(_ mask: Int) {
    // 01 is the lowest level of correction.
    let data = 1 << 3 | mask
    var rest = data
    for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
    let bits = (data << 10 | rest) ^ 0x5412
    func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
    for index in 0...5 { reserve(8, index, bit(index)) }
    reserve(8, 7, bit(6))
    reserve(8, 8, bit(7))
    reserve(7, 8, bit(8))
    for index in 9..<15 { reserve(14 - index, 8, bit(index)) }
    for index in 0..<8 { reserve(size - 1 - index, 8, bit(index)) }
    for index in 8..<15 { reserve(8, size - 15 + index, bit(index)) }
    reserve(8, size - 8, true)
  }

  private mutating func drawVersion(_ number: Int) {
    var rest = number
    for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
    let bits = number << 12 | rest
    for index in 0..<18 {
      let (a, b) = (size - 11 + index % 3, index / 3)
      reserve(a, b, bits >> index & 1 == 1)
      reserve(b, a, bits >> index & 1 == 1)
    }
  }

  private mutating func draw(_ codewords: [UInt8]) {
    var index = 0
    var right = size - 1
    while right >= 1 {
      if right == 6 { right = 5 }
      for step in 0..<size {
        for side in 0..<2 {
          let column = right - side
          let row = (right + 1) & 2 == 0 ? size - 1 - step : step
          guard !reserved[row * size + column], index < codewords.count * 8 else { continue }
          modules[row * size + column] = codewords[index >> 3] >> (7 - index & 7) & 1 == 1
          index += 1
        }
      }
      right -= 2
    }
  }

  private mutating func apply(_ mask: Int) {
    for row in 0..<size {
      for column in 0..<size where !reserved[row * size + column] {
        let inverts =
          switch mask {
          case 0: (column + row) % 2 == 0
          case 1: row % 2 == 0
          case 2: column % 3 == 0
          case 3: (column + row) % 3 == 0
          case 4: (column / 3 + row / 2) % 2 == 0
          case 5: column * row % 2 + column * row % 3 == 0
          case 6: (column * row % 2 + column * row % 3) % 2 == 0
          default: ((column + row) % 2 + column * row % 3) % 2 == 0
          }
        if inverts { modules[row * size + column].toggle() }
      }
    }
  }

  /// The penalty for runs of five and more of one colour, and for squares of four.
  private var penalty: Int {
    var sum = 0
    for line in 0..<size {
      for isRow in [true, false] {
        var (run, last) = (0, false)
        for index in 0..<size {
          let dark =
            isRow ? isDark(row: line, column: index) : isDark(row: index, column: line)
          run = index > 0 && dark == last ? run + 1 : 1
          last = dark
          if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
        }
      }
    }
    for row in 0..<size - 1 {
      for column in 0..<size - 1 {
        let first = isDark(row: row, column: column)
        if first == isDark(row: row, column: column + 1)
          && first == isDark(row: row + 1, column: column)
          && first == isDark(row: row + 1, column: column + 1)
        {
          sum += 3
        }
      }
    }
    return sum
  }
}
