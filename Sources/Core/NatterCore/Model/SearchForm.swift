// The standard library normalizes text, but only under this SPI; Foundation would link ICU.
@_spi(_Unicode) import Swift

/// The search form of a text: without case and diacritics, however they are encoded. "Zoë" becomes
/// "zoe", and "cœur" becomes "coeur".
package enum SearchForm {
  package static func of(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the form of `text` to `bytes`.
  package static func append(_ text: some StringProtocol, to bytes: inout [UInt8]) {
    let start = bytes.count
    for byte in text.utf8 {
      guard byte < 0x80 else {
        bytes.removeSubrange(start...)
        return appendWhole(String(text), to: &bytes)
      }
      bytes.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
    }
  }

  private static func appendWhole(_ text: String, to bytes: inout [UInt8]) {
    // Chinese has neither: fifty thousand titles are indexed while the user waits for the first
    // key.
    guard !text.unicodeScalars.allSatisfy({ $0.isASCII || (0x4E00...0x9FFF).contains($0.value) })
    else {
      bytes += text.lowercased().utf8
      return
    }
    bytes += whole(text).utf8
  }

  /// Returns the form of any text.
  static func whole(_ text: String) -> String {
    var plain = String.UnicodeScalarView()
    for scalar in text.lowercased()._nfd where !(0x0300...0x036F).contains(scalar.value) {
      switch scalar {
      case "œ": plain.append(contentsOf: "oe".unicodeScalars)
      case "æ": plain.append(contentsOf: "ae".unicodeScalars)
      case "ß": plain.append(contentsOf: "ss".unicodeScalars)
      case "ς": plain.append("σ")
      default: plain.append(scalar)
      }
    }
    // Recompose everything else, such as Korean syllables and kana with voicing marks.
    var whole = String.UnicodeScalarView()
    whole.append(contentsOf: String(plain)._nfc)
    return String(whole)
  }
}
