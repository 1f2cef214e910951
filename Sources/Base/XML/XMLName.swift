/// The characters of names (XML 1.0 §2.3; without the colon, Namespaces in XML §3).
enum XMLName {
  static let start: UInt8 = 1
  static let inside: UInt8 = 2
  static let blank: UInt8 = 4

  /// Returns the possible roles of an ASCII byte, as a set of the flags above.
  static func byteClass(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "_"):
      start | inside
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): inside
    case 0x20, 0x09, 0x0A, 0x0D: blank
    default: 0
    }
  }

  /// Returns whether a name may begin with the character.
  static func isStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x7F: byteClass(UInt8(scalar.value)) & start != 0
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D,
      0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
      0x10000...0xEFFFF:
      true
    default: false
    }
  }

  /// Returns whether a name may contain the character after its first one.
  static func isInside(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x7F: byteClass(UInt8(scalar.value)) & inside != 0
    case 0xB7, 0x300...0x36F, 0x203F...0x2040: true
    default: isStart(scalar)
    }
  }

  /// Returns whether `name` is a name without a colon.
  static func isName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, isStart(first) else { return false }
    return name.unicodeScalars.allSatisfy(isInside)
  }

  /// Returns the character of a sequence that `XMLScan.sequence` accepted.
  static func scalar(_ s: UnsafePointer<UInt8>, _ count: Int) -> Unicode.Scalar {
    var value: UInt32
    switch count {
    case 2: value = UInt32(s[0] & 0x1F)
    case 3: value = UInt32(s[0] & 0x0F)
    default: value = UInt32(s[0] & 0x07)
    }
    for index in 1..<count { value = value << 6 | UInt32(s[index] & 0x3F) }
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }
}
