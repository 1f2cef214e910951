/// Functions that scan bytes, eight at a time where possible.
enum XMLScan {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highs: UInt64 = 0x8080_8080_8080_8080

  @inline(__always)
  static func load(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
  }

  /// Returns a word with the high bit set in the first byte that ends plain text: `<`, `>`, `&`, a
  /// control character, or a byte that is not ASCII. Later bytes may be marked wrongly; zero means
  /// that there is none.
  @inline(__always)
  static func textStop(_ word: UInt64) -> UInt64 {
    // `<` and `>` differ in a single bit.
    let angle = (word | 0x0202_0202_0202_0202) ^ 0x3E3E_3E3E_3E3E_3E3E
    let ampersand = word ^ 0x2626_2626_2626_2626
    let found =
      ((angle &- ones) & ~angle) | ((ampersand &- ones) & ~ampersand)
      | ((word &- 0x2020_2020_2020_2020) & ~word) | word
    return found & highs
  }

  /// Does the same for an attribute's value: `pattern` is its quote, eight times. `<` ends it, `>`
  /// does not.
  @inline(__always)
  static func valueStop(_ word: UInt64, _ pattern: UInt64) -> UInt64 {
    let quote = word ^ pattern
    let angle = word ^ 0x3C3C_3C3C_3C3C_3C3C
    let ampersand = word ^ 0x2626_2626_2626_2626
    let found =
      ((quote &- ones) & ~quote) | ((angle &- ones) & ~angle)
      | ((ampersand &- ones) & ~ampersand) | ((word &- 0x2020_2020_2020_2020) & ~word) | word
    return found & highs
  }

  @inline(__always)
  static func equal(
    _ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int
  ) -> Bool {
    var index = 0
    while index < count {
      if a[index] != b[index] { return false }
      index += 1
    }
    return true
  }

  /// Returns the length of the UTF-8 sequence at `at`, whose first byte is not ASCII: 0 when more
  /// bytes are needed, -1 when it is not UTF-8 (RFC 3629 §4), -2 when XML forbids the character.
  @inline(__always)
  static func sequence(_ s: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> Int {
    let first = s[at]
    if first < 0xC2 { return -1 }
    if at + 1 >= end { return first < 0xF5 ? 0 : -1 }
    let second = s[at + 1]
    if first < 0xE0 { return second & 0xC0 == 0x80 ? 2 : -1 }
    if first < 0xF0 {
      if second & 0xC0 != 0x80 || (first == 0xE0 && second < 0xA0)
        || (first == 0xED && second > 0x9F)
      {
        return -1
      }
      if at + 2 >= end { return 0 }
      let third = s[at + 2]
      if third & 0xC0 != 0x80 { return -1 }
      // U+FFFE and U+FFFF.
      if first == 0xEF && second == 0xBF && third >= 0xBE { return -2 }
      return 3
    }
    if first > 0xF4 || second & 0xC0 != 0x80 || (first == 0xF0 && second < 0x90)
      || (first == 0xF4 && second > 0x8F)
    {
      return -1
    }
    if at + 2 >= end { return 0 }
    if s[at + 2] & 0xC0 != 0x80 { return -1 }
    if at + 3 >= end { return 0 }
    return s[at + 3] & 0xC0 == 0x80 ? 4 : -1
  }
}
