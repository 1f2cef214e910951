/// A picture as sixels (VT330/VT340 Programmer Reference Manual, volume 2, chapter 14), parsed from
/// the output of a program such as `chafa`.
///
/// It only draws: every byte is checked, and no dot is outside of its size.
package struct Sixels: Equatable, Sendable {
  /// The size in pixels: rows and columns.
  package let size: Size
  /// The whole control string, from its start to its end.
  package let bytes: [UInt8]

  /// - Parameters:
  ///   - output: untrusted output: one picture, and nothing else but line ends around it.
  ///   - limit: the maximum size in pixels.
  /// - Returns: `nil` if anything does not belong in a picture, or nothing is visible.
  package init?(printed output: [UInt8], within limit: Size) {
    var picture = output[...]
    while let last = picture.last, Self.isBlank(last) { picture.removeLast() }
    picture = picture.drop(while: Self.isBlank)
    guard picture.starts(with: [0x1B, UInt8(ascii: "P")]),
      picture.suffix(2).elementsEqual([0x1B, UInt8(ascii: "\\")]), picture.count > 4
    else { return nil }
    let body = picture.dropFirst(2).dropLast(2)
    let parameters = body.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ";") }
    guard parameters.count <= 16, body.dropFirst(parameters.count).first == UInt8(ascii: "q") else {
      return nil
    }
    var reader = Reader(body.dropFirst(parameters.count + 1))
    guard let size = reader.readSize(within: limit), reader.readRest(of: size) else { return nil }
    // Line feeds after the last drawn dots could scroll the screen.
    var drawing = body.dropFirst(parameters.count + 1)
    while let last = drawing.last, last == UInt8(ascii: "-") || last == UInt8(ascii: "$") {
      drawing.removeLast()
    }
    self.size = size
    // Undrawn dots keep the background of the cells.
    bytes = Array("\u{1B}P0;1;0q".utf8) + drawing + Array("\u{1B}\\".utf8)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

  private struct Reader {
    private var rest: ArraySlice<UInt8>
    /// The position of the next dots: the column in pixels, and the line of six pixels.
    private var column = 0
    private var line = 0
    private var drawsAny = false

    /// The valid colour numbers. A VT340 has 16 of them, programs use up to 256.
    private static let colors = 0...1023

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Reads the raster attributes at the start: square pixels, and the size.
    mutating func readSize(within limit: Size) -> Size? {
      guard rest.popFirst() == UInt8(ascii: "\""), let numbers = numbers(atMost: 4),
        numbers.count == 4, numbers[0] == 1, numbers[1] == 1, numbers[2] > 0, numbers[3] > 0,
        numbers[2] <= limit.columns, numbers[3] <= limit.rows
      else { return nil }
      return Size(rows: numbers[3], columns: numbers[2])
    }

    /// - Returns: whether everything is drawn inside of `size`, and something is drawn.
    mutating func readRest(of size: Size) -> Bool {
      while let byte = rest.popFirst() {
        switch byte {
        case 0x3F...0x7E: guard draw(byte, times: 1, in: size) else { return false }
        case UInt8(ascii: "!"):
          guard let count = numbers(atMost: 1)?.first, let character = rest.popFirst(),
            (0x3F...0x7E).contains(character), draw(character, times: count, in: size)
          else { return false }
        case UInt8(ascii: "#"): guard readColor() else { return false }
        case UInt8(ascii: "$"): column = 0
        case UInt8(ascii: "-"):
          (column, line) = (0, line + 1)
          guard line * 6 < size.rows + 6 else { return false }
        default: return false
        }
      }
      return drawsAny
    }

    private mutating func draw(_ character: UInt8, times: Int, in size: Size) -> Bool {
      let dots = character - 0x3F
      column += times
      guard times > 0, column <= size.columns else { return false }
      guard dots != 0 else { return true }
      drawsAny = true
      return line * 6 + UInt8.bitWidth - dots.leadingZeroBitCount <= size.rows
    }

    /// Reads the choice or the definition of a colour: hue, lightness and saturation, or red, green
    /// and blue.
    private mutating func readColor() -> Bool {
      guard let numbers = numbers(atMost: 5), let color = numbers.first,
        Self.colors.contains(color)
      else { return false }
      guard numbers.count > 1 else { return true }
      return numbers.count == 5 && (1...2).contains(numbers[1]) && numbers[2] <= 360
        && numbers[3] <= 100 && numbers[4] <= 100
    }

    /// Reads numbers separated by semicolons.
    /// - Returns: `nil` if one is missing, or there are more or larger ones than any valid picture
    ///   has.
    private mutating func numbers(atMost limit: Int) -> [Int]? {
      var result: [Int] = []
      repeat {
        var value = 0
        var digits = 0
        while let byte = rest.first, (0x30...0x39).contains(byte) {
          value = value * 10 + Int(byte - 0x30)
          digits += 1
          guard digits <= 5 else { return nil }
          rest.removeFirst()
        }
        guard digits > 0, result.count < limit else { return nil }
        result.append(value)
        guard rest.first == UInt8(ascii: ";") else { return result }
        rest.removeFirst()
      } while true
    }
  }
}
