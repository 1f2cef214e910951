/// The kinds of bytes in a file of TOML.
enum TOMLByte {
  /// Returns whether a byte can be in a key without quotation marks.
  static func isBare(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Returns whether a byte is unescaped in a basic string.
  static func isVerbatim(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Returns whether a byte can be in a number or a Boolean, or in what is written instead of one.
  static func isWord(_ byte: UInt8) -> Bool {
    isBare(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: ":")
  }
}
