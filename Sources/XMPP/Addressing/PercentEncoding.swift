import BoundedText

/// The percent-encoding of URIs (RFC 3986 §2.1).
enum PercentEncoding {
  /// Returns `text` with everything but unreserved characters encoded, such as `%41`.
  static func encoded(_ text: String) -> String {
    text.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": return String(Character(scalar))
      default: return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }

  /// Returns `text` decoded; anything that is not an encoded byte stays unchanged.
  static func decoded(_ text: Substring) -> String {
    String(bounding: PercentDecoding.bytes(of: text))
  }
}
