// The standard library normalises, but offers it only under this name; Foundation brings ICU into the program.
@_spi(_Unicode) import Swift

/// Text as it is looked for: without case and without the marks on its letters, however they are written. "Zoë" is "zoe",
/// and "cœur" is "coeur".
nonisolated enum SearchForm {
  static func of(_ text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    append(text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Puts the form of `text` behind `bytes`.
  static func append(_ text: some StringProtocol, to bytes: inout [UInt8]) {
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
    // Chinese has neither: fifty thousand titles are got ready while somebody waits for his first letter.
    guard !text.unicodeScalars.allSatisfy({ $0.isASCII || (0x4E00...0x9FFF).contains($0.value) })
    else {
      bytes += text.lowercased().utf8
      return
    }
    var plain = String.UnicodeScalarView()
    for scalar in text.lowercased()._nfd where !(0x0300...0x036F).contains(scalar.value) {
      switch scalar {
      case "œ": plain.append(contentsOf: "oe".unicodeScalars)
      case "æ": plain.append(contentsOf: "ae".unicodeScalars)
      case "ß": plain.append(contentsOf: "ss".unicodeScalars)
      default: plain.append(scalar)
      }
    }
    // Together again what is no letter with a mark, as Korean syllables and kana with their own.
    var whole = String.UnicodeScalarView()
    whole.append(contentsOf: String(plain)._nfc)
    bytes += String(whole).utf8
  }
}
