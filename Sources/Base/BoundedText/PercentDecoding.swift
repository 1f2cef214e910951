/// The decoding of percent-encoded bytes in URIs (RFC 3986 §2.1).
///
/// The digits are read here, because `UInt8(_:radix:)` also accepts `+`: it reads `%+f` as a
/// byte.
package enum PercentDecoding {
  /// Returns the bytes of `text`, decoded; anything that is not an encoded byte stays unchanged.
  package static func bytes(of text: some StringProtocol) -> [UInt8] { decoded(text).bytes }

  /// Returns the bytes of `text`, decoded; `nil` if a percent sign begins no encoded byte.
  package static func validBytes(of text: some StringProtocol) -> [UInt8]? {
    let (bytes, isValid) = decoded(text)
    return isValid ? bytes : nil
  }

  private static func decoded(_ text: some StringProtocol) -> (bytes: [UInt8], isValid: Bool) {
    let encoded = Array(text.utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var (index, isValid) = (0, true)
    while index < encoded.count {
      if encoded[index] == UInt8(ascii: "%") {
        if index + 2 < encoded.count, let high = digit(encoded[index + 1]),
          let low = digit(encoded[index + 2])
        {
          bytes.append(high << 4 | low)
          index += 3
          continue
        }
        isValid = false
      }
      bytes.append(encoded[index])
      index += 1
    }
    return (bytes, isValid)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
