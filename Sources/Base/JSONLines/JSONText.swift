/// Appends the parts of a JSON text (RFC 8259) in UTF-8.
extension [UInt8] {
  /// Appends a text in quotes. Control, direction and separator characters are written as escapes.
  mutating func append(quoted text: String) {
    append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { append(escaping: $0) }
    append(UInt8(ascii: "\""))
  }

  /// Appends a number with exactly `width` digits, of which it has no more.
  mutating func append(_ number: Int64, width: Int) {
    if width > 1 { append(number / 10, width: width - 1) }
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  /// Appends a text: what needs no escape is copied in pieces as long as possible.
  /// - Parameter text: well-formed UTF-8.
  private mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
    var (index, copied) = (0, 0)
    while true {
      index = Self.firstThatMayNeedEscape(text, from: index)
      guard index < text.count else { break }
      let (scalar, length) = Self.scalar(text, at: index)
      if Self.needsEscape(scalar) {
        append(contentsOf: UnsafeBufferPointer(rebasing: text[copied..<index]))
        append(escapeOf: scalar)
        copied = index + length
      }
      index += length
    }
    append(contentsOf: UnsafeBufferPointer(rebasing: text[copied...]))
  }

  /// Returns where the first character from `start` on may need an escape, or the end.
  private static func firstThatMayNeedEscape(
    _ text: UnsafeBufferPointer<UInt8>, from start: Int
  ) -> Int {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    let raw = UnsafeRawBufferPointer(text)
    var index = start
    while index < text.count {
      if index + 8 <= text.count {
        let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        // The high bit of a byte is set where the byte is 7F or more, less than 20, a quote or a
        // backslash. A borrow may set it of a byte behind such a one, too.
        let quotes = (word ^ ones &* 0x22) &- ones
        let backslashes = (word ^ ones &* 0x5C) &- ones
        let found = word | (word &+ ones) | (word &- ones &* 0x20) | quotes | backslashes
        if found & highs == 0 {
          index += 8
          continue
        }
      }
      let end = Swift.min(index + 8, text.count)
      while index < end {
        if mayNeedEscape(text[index]) { return index }
        index += 1
      }
    }
    return index
  }

  /// Indicates whether a character may need an escape, by its first byte. All of these characters
  /// have at most three bytes.
  private static func mayNeedEscape(_ first: UInt8) -> Bool {
    switch first {
    case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0xC2, 0xD8, 0xE2, 0xEF: true
    default: false
    }
  }

  /// Decodes a character of at most three bytes.
  private static func scalar(
    _ text: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> (value: UInt16, length: Int) {
    func bits(_ offset: Int) -> UInt16 { UInt16(text[index + offset] & 0x3F) }
    let first = UInt16(text[index])
    if first < 0x80 { return (first, 1) }
    if first < 0xE0 { return ((first & 0x1F) << 6 | bits(1), 2) }
    return ((first & 0x0F) << 12 | bits(1) << 6 | bits(2), 3)
  }

  /// Indicates whether JSON requires an escape, or a terminal could take the character for a
  /// command, or show text in another order.
  private static func needsEscape(_ scalar: UInt16) -> Bool {
    switch scalar {
    case 0x22, 0x5C, 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E,
      0x2066...0x2069, 0xFEFF:
      true
    default: false
    }
  }

  private mutating func append(escapeOf scalar: UInt16) {
    append(UInt8(ascii: "\\"))
    switch scalar {
    case 0x22, 0x5C: append(UInt8(scalar))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0x09: append(UInt8(ascii: "t"))
    default:
      append(UInt8(ascii: "u"))
      for shift in [12, 8, 4, 0] as [UInt16] {
        let digit = UInt8(scalar >> shift & 0xF)
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }
}
