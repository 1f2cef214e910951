/// A picture of coloured glyphs, parsed from the output of a program such as `chafa`.
package struct PictureCells: Equatable, Sendable {
  /// Rows and columns.
  package let size: Size
  private var cells: [Cell]

  /// Parses lines of glyphs and colours (SGR, ECMA-48 §8.3.117); every other sequence is skipped.
  ///
  /// Only glyphs of which pictures consist are accepted: blocks, lines, geometric shapes, Braille,
  /// ASCII. All others become blanks.
  /// - Parameters:
  ///   - bytes: untrusted UTF-8.
  ///   - limit: the maximum size that is read.
  /// - Returns: `nil` if nothing is visible.
  package init?(printed bytes: [UInt8], limit: Size) {
    var reader = Reader(limit: limit)
    reader.read(bytes)
    let rows = reader.rows
    let columns = rows.reduce(0) { max($0, $1.count) }
    guard columns > 0, rows.contains(where: { $0.contains { $0 != .blank } }) else { return nil }
    size = Size(rows: rows.count, columns: columns)
    cells = rows.flatMap { $0 + Array(repeating: .blank, count: columns - $0.count) }
  }

  /// The cells, row by row.
  subscript(row: Int, column: Int) -> Cell { cells[row * size.columns + column] }

  private struct Reader {
    let limit: Size
    private(set) var rows: [[Cell]] = []
    private var row: [Cell] = []
    private var paint = Paint()
    private var isReversed = false

    init(limit: Size) { self.limit = limit }

    mutating func read(_ bytes: [UInt8]) {
      var rest = bytes[...]
      while let byte = rest.first, rows.count < limit.rows {
        if byte == 0x1B {
          rest = afterSequence(rest)
        } else if byte == 0x0A {
          endRow()
          rest = rest.dropFirst()
        } else if byte < 0x20 || byte == 0x7F {
          rest = rest.dropFirst()
        } else {
          let length = utf8Length(rest) ?? 1
          put(String(decoding: rest.prefix(length), as: UTF8.self))
          rest = rest.dropFirst(length)
        }
      }
      if !row.isEmpty, rows.count < limit.rows { endRow() }
    }

    private mutating func endRow() {
      rows.append(row)
      row = []
    }

    private mutating func put(_ text: String) {
      guard row.count < limit.columns, let scalar = text.unicodeScalars.first else { return }
      let isSign =
        switch scalar.value {
        // ASCII; lines, blocks and shapes; Braille.
        case 0x20...0x7E, 0x2500...0x25FF, 0x2800...0x28FF: true
        default: false
        }
      var shown = paint
      if isReversed { (shown.foreground, shown.background) = (paint.background, paint.foreground) }
      let isPainted = shown.foreground != nil || shown.background != nil
      row.append(
        Cell(isSign ? Character(scalar) : " ", paint: isPainted ? shown : nil))
    }

    /// Returns the bytes after the sequence at the start, and applies its colours.
    private mutating func afterSequence(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      let rest = bytes.dropFirst()
      guard rest.first == UInt8(ascii: "[") else {
        // A string (OSC, DCS, APC ...) up to its end, or a sequence of two bytes.
        guard let kind = rest.first, [0x50, 0x58, 0x5D, 0x5E, 0x5F].contains(kind) else {
          return rest.dropFirst()
        }
        let end = rest.firstIndex { $0 == 0x07 || $0 == 0x1B } ?? rest.endIndex
        // ESC \ ends it, too, and is read as a sequence of its own.
        return end < rest.endIndex && rest[end] == 0x1B ? rest[end...] : rest[end...].dropFirst()
      }
      let body = rest.dropFirst()
      guard let end = body.firstIndex(where: { (0x40...0x7E).contains($0) }) else { return [] }
      let parameters = body[..<end]
      if body[end] == UInt8(ascii: "m"), parameters.count < 64 {
        let numbers = parameters.split(
          separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
        ).map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
        apply(numbers[...])
      }
      return body[(end + 1)...]
    }

    private mutating func apply(_ numbers: ArraySlice<Int>) {
      var numbers = numbers
      while let number = numbers.popFirst() {
        switch number {
        case 0: (paint, isReversed) = (Paint(), false)
        case 7: isReversed = true
        case 27: isReversed = false
        case 30...37: paint.foreground = UInt8(number - 30)
        case 40...47: paint.background = UInt8(number - 40)
        case 90...97: paint.foreground = UInt8(number - 82)
        case 100...107: paint.background = UInt8(number - 92)
        case 39: paint.foreground = nil
        case 49: paint.background = nil
        case 38, 48:
          let kind = numbers.popFirst()
          if kind == 2 {
            // Red, green and blue: more colours than cells have here.
            numbers = numbers.dropFirst(3)
          } else if kind == 5, let index = numbers.popFirst(), (0...255).contains(index) {
            if number == 38 {
              paint.foreground = UInt8(index)
            } else {
              paint.background = UInt8(index)
            }
          }
        default: break
        }
      }
    }
  }
}

extension Surface {
  /// Draws rows of the picture with its first column at a position, clipped.
  package mutating func draw(_ picture: PictureCells, rows: Range<Int>, row: Int, column: Int) {
    for source in rows.clamped(to: 0..<picture.size.rows) {
      let target = row + source - rows.lowerBound
      guard (0..<size.rows).contains(target) else { continue }
      for offset in 0..<picture.size.columns where (0..<size.columns).contains(column + offset) {
        self[target, column + offset] = picture[source, offset]
      }
    }
  }
}
