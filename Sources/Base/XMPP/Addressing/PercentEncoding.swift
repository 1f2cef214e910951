import BoundedText

/// The percent-encoding of URIs (RFC 3986 §2.1).
enum PercentEncoding {
  /// Returns `text` with everything but unreserved characters encoded, such as `%41`.
  static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  /// Returns `text` decoded; anything that is not an encoded byte stays unchanged.
  static func decoded(_ text: Substring) -> String {
    String(bounding: PercentDecoding.bytes(of: text))
  }
}
