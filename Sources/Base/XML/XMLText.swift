/// The decoding of the bytes of a text or an attribute's value (XML 1.0 §2.11, §3.3.3, §4.6).
enum XMLText {
  enum Context { case name, attribute, text }

  /// Replaces references, line ends and CDATA sections. The parser has checked `bytes`: anything
  /// that this function does not recognize cannot occur, and is left unchanged.
  static func decoded(_ bytes: UnsafeBufferPointer<UInt8>, as kind: Context) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "&"):
        if case .reference(let scalar, let count) = reference(bytes, at: index) {
          decoded.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
          index += count
        } else {
          decoded.append(byte)
          index += 1
        }
      case 0x0D:
        // A carriage return followed by a line feed is a single line end.
        let isPair = index + 1 < bytes.count && bytes[index + 1] == 0x0A
        decoded.append(kind == .attribute ? 0x20 : 0x0A)
        index += isPair ? 2 : 1
      case 0x09, 0x0A:
        decoded.append(kind == .attribute ? 0x20 : byte)
        index += 1
      case UInt8(ascii: "<"):
        // In a text, only CDATA begins with `<`: `<![CDATA[` has nine bytes, `]]>` three.
        index += 9
        while index < bytes.count {
          if bytes[index] == UInt8(ascii: "]"), index + 2 < bytes.count,
            bytes[index + 1] == UInt8(ascii: "]"), bytes[index + 2] == UInt8(ascii: ">")
          {
            index += 3
            break
          }
          if bytes[index] == 0x0D {
            if index + 1 < bytes.count, bytes[index + 1] == 0x0A { index += 1 }
            decoded.append(0x0A)
          } else {
            decoded.append(bytes[index])
          }
          index += 1
        }
      default:
        decoded.append(byte)
        index += 1
      }
    }
    return decoded
  }

  enum Reference: Equatable {
    /// The referenced character, and the length in bytes from `&` to `;`.
    case reference(Unicode.Scalar, count: Int)
    /// Valid so far, but more bytes are needed.
    case incomplete
    case undefined
    case malformed
    /// A number that is not a character of XML.
    case forbidden
  }

  /// The longest reference that is read, because numbers may have any number of leading zeros.
  private static let longestReference = 40

  /// Reads the reference that begins with the `&` at `start`.
  static func reference(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Reference {
    var index = start + 1
    guard index < bytes.count else { return .incomplete }
    if bytes[index] == UInt8(ascii: "#") { return numericReference(bytes, at: start) }
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: ";") {
        let count = index - start + 1
        guard let scalar = predefined(bytes, start + 1, count - 2) else {
          return count == 2 ? .malformed : .undefined
        }
        return .reference(scalar, count: count)
      }
      let isLetter = byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A
      let isDigit = byte >= 0x30 && byte <= 0x39 || byte == 0x2D || byte == 0x2E
      guard isLetter || byte == 0x5F || byte == 0x3A || byte >= 0x80 || isDigit && index > start + 1
      else { return .malformed }
      index += 1
      if index - start > longestReference { return .undefined }
    }
    return .incomplete
  }

  private static func numericReference(
    _ bytes: UnsafeBufferPointer<UInt8>, at start: Int
  ) -> Reference {
    var index = start + 2
    guard index < bytes.count else { return .incomplete }
    let isHexadecimal = bytes[index] == UInt8(ascii: "x")
    if isHexadecimal { index += 1 }
    let firstDigit = index
    var value: UInt32 = 0
    while index < bytes.count {
      let byte = bytes[index]
      let digit: UInt32
      switch byte {
      case UInt8(ascii: ";"):
        guard index > firstDigit else { return .malformed }
        guard let scalar = Unicode.Scalar(value), isCharacter(scalar) else { return .forbidden }
        return .reference(scalar, count: index - start + 1)
      case 0x30...0x39: digit = UInt32(byte) - 0x30
      case 0x41...0x46 where isHexadecimal: digit = UInt32(byte) - 0x37
      case 0x61...0x66 where isHexadecimal: digit = UInt32(byte) - 0x57
      default: return .malformed
      }
      value = value * (isHexadecimal ? 16 : 10) + digit
      guard value <= 0x10FFFF else { return .forbidden }
      index += 1
      if index - start > longestReference { return .malformed }
    }
    return .incomplete
  }

  private static func predefined(
    _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int
  ) -> Unicode.Scalar? {
    switch count {
    case 2 where bytes[start + 1] == UInt8(ascii: "t"):
      bytes[start] == UInt8(ascii: "l") ? "<" : bytes[start] == UInt8(ascii: "g") ? ">" : nil
    case 3 where matches(bytes, start, "amp"): "&"
    case 4 where matches(bytes, start, "apos"): "'"
    case 4 where matches(bytes, start, "quot"): "\""
    default: nil
    }
  }

  private static func matches(
    _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ text: StaticString
  ) -> Bool {
    for index in 0..<text.utf8CodeUnitCount
    where bytes[start + index] != text.utf8Start[index] { return false }
    return true
  }

  /// Returns whether XML allows the character (XML 1.0 §2.2).
  static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
