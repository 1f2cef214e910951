// The standard library offers normalisation only as SPI; Foundation would link ICU into the
// program.
@_spi(_Unicode) import Swift

extension Lookalikes {
  /// Returns the visual skeleton of a display name (after UTS #39 §4): names that a reader can
  /// confuse have the same skeleton. Names are compared more strictly than addresses, which have
  /// neither capitals nor spaces: case, marks, spaces, punctuation and emoji do not count, and a
  /// capital I equals an l.
  package func skeleton(ofName name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    if name.utf8.allSatisfy({ $0 < 0x80 }) {
      bytes.reserveCapacity(name.utf8.count)
      for byte in name.utf8.prefix(Self.mostScalars) { Self.append(byte, to: &bytes) }
    } else {
      appendFolded(name, to: &bytes)
    }
    // A name without letters and digits is compared by its other characters.
    return bytes.isEmpty ? Array(name.utf8.filter { $0 > 0x20 }) : bytes
  }

  /// The most scalars of a name that count: more than any displayed name has.
  private static let mostScalars = 1024

  private func appendFolded(_ name: String, to bytes: inout [UInt8]) {
    var compatible = String.UnicodeScalarView()
    for scalar in name.unicodeScalars.prefix(Self.mostScalars) {
      compatible.append(contentsOf: NormalForm.compatibleScalars(of: scalar))
    }
    for scalar in String(compatible)._nfd {
      if let letter = Self.capitals[scalar] {
        Self.append(letter, to: &bytes)
        continue
      }
      if let text = plainText(of: scalar) {
        for byte in text.utf8 { Self.append(byte, to: &bytes) }
        continue
      }
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        if let text = plainText(of: lower) {
          for byte in text.utf8 { Self.append(byte, to: &bytes) }
        } else if lower.isASCII {
          Self.append(UInt8(lower.value), to: &bytes)
        } else if lower.properties.numericType != nil || Self.isLetter(lower) {
          bytes += String(lower).utf8
        }
      }
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    // Some letters are invisible: the Hangul fillers.
    if scalar.properties.isDefaultIgnorableCodePoint { return false }
    return switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }

  /// Appends the skeleton of an ASCII character, in lower case; nothing for spaces and punctuation.
  private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "I"), UInt8(ascii: "i"), UInt8(ascii: "L"), UInt8(ascii: "l"),
      UInt8(ascii: "1"), UInt8(ascii: "|"):
      bytes.append(UInt8(ascii: "l"))
    case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "o"))
    case UInt8(ascii: "M"), UInt8(ascii: "m"): bytes += [UInt8(ascii: "r"), UInt8(ascii: "n")]
    case UInt8(ascii: "W"), UInt8(ascii: "w"): bytes += [UInt8(ascii: "v"), UInt8(ascii: "v")]
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      bytes.append(byte)
    default: break
    }
  }

  /// Capitals that look like Latin ones although their lower-case forms do not (UTS #39's data).
  /// The table for addresses lacks them, because addresses have only lower-case letters.
  private static let capitals: [Unicode.Scalar: UInt8] = {
    let others: [(UInt8, String)] = [
      (UInt8(ascii: "a"), "\u{391}\u{410}"), (UInt8(ascii: "b"), "\u{392}\u{412}"),
      (UInt8(ascii: "c"), "\u{421}\u{3F9}"), (UInt8(ascii: "e"), "\u{395}\u{415}"),
      (UInt8(ascii: "g"), "\u{50C}"), (UInt8(ascii: "h"), "\u{397}\u{41D}"),
      (UInt8(ascii: "i"), "\u{399}\u{406}\u{4C0}"), (UInt8(ascii: "j"), "\u{408}\u{37F}"),
      (UInt8(ascii: "k"), "\u{39A}\u{41A}"), (UInt8(ascii: "m"), "\u{39C}\u{41C}"),
      (UInt8(ascii: "n"), "\u{39D}"), (UInt8(ascii: "o"), "\u{39F}\u{41E}\u{555}"),
      (UInt8(ascii: "p"), "\u{3A1}\u{420}"), (UInt8(ascii: "q"), "\u{51A}"),
      (UInt8(ascii: "s"), "\u{405}\u{54F}"), (UInt8(ascii: "t"), "\u{3A4}\u{422}"),
      (UInt8(ascii: "u"), "\u{54D}"), (UInt8(ascii: "w"), "\u{51C}"),
      (UInt8(ascii: "x"), "\u{3A7}\u{425}"), (UInt8(ascii: "y"), "\u{3A5}\u{4AE}"),
      (UInt8(ascii: "z"), "\u{396}"), (UInt8(ascii: "3"), "\u{417}\u{4E0}"),
    ]
    var capitals: [Unicode.Scalar: UInt8] = [:]
    for (letter, scalars) in others { for one in scalars.unicodeScalars { capitals[one] = letter } }
    return capitals
  }()
}
