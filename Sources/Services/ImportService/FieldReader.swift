/// The fields of a line that are read from its start.
struct FieldReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Passes over a text if it is next.
  mutating func skip(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// Reads a number of exactly so many digits.
  mutating func number(_ digits: Int) -> Int? {
    guard rest.count >= digits else { return nil }
    var value = 0
    for byte in rest.prefix(digits) {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    rest = rest.dropFirst(digits)
    return value
  }
}
