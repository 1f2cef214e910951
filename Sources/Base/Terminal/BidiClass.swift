/// The role of a scalar in the direction of a text (UAX #9 §3.2), as far as plain text needs it.
enum BidiClass {
  /// Strong: left to right; right to left; Arabic letters.
  case left, right, arabic
  /// Digits, Arabic digits; symbols beside and between numbers.
  case number, arabicNumber, sign, terminator, separator
  case blank, neutral
  /// U+2066 to U+2068, and their terminator.
  case isolateLeft, isolateRight, isolateFirst, isolateEnd
  /// Marks and joiners, which take the class of their base.
  case mark

  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x30...0x39, 0x6F0...0x6F9: self = .number
    case 0x41...0x5A, 0x61...0x7A: self = .left
    case 0x2B, 0x2D: self = .sign
    case 0x23...0x25, 0xA2...0xA5, 0xB0, 0xB1, 0x66A, 0x2030...0x2034, 0x20A0...0x20CF:
      self = .terminator
    case 0x2C, 0x2E, 0x2F, 0x3A, 0xA0, 0x60C: self = .separator
    case 0x09, 0x0A, 0x0D, 0x20, 0x2000...0x200A, 0x2028, 0x205F, 0x3000: self = .blank
    case 0x21...0x7E: self = .neutral
    case 0x660...0x669, 0x66B, 0x66C, 0x600...0x605, 0x6DD: self = .arabicNumber
    case 0x2066: self = .isolateLeft
    case 0x2067: self = .isolateRight
    case 0x2068: self = .isolateFirst
    case 0x2069: self = .isolateEnd
    case 0x200E: self = .left
    case 0x200F: self = .right
    case 0x61C: self = .arabic
    default: self = Self.byCategory(scalar)
    }
  }

  /// Returns whether a scalar can change the direction of a text.
  static func turns(_ value: UInt32) -> Bool {
    switch value {
    case 0x590...0x8FF, 0x200F, 0x2067, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF,
      0x1E800...0x1EFFF:
      true
    default: false
    }
  }

  private static func byCategory(_ scalar: Unicode.Scalar) -> BidiClass {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return .mark
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .spacingMark, .letterNumber, .privateUse, .unassigned:
      switch scalar.value {
      case 0x600...0x7BF, 0x860...0x8FF, 0xFB50...0xFDFF, 0xFE70...0xFEFF, 0x10D00...0x10D3F,
        0x10EC0...0x10EFF, 0x1EC70...0x1ECBF, 0x1ED00...0x1ED4F, 0x1EE00...0x1EEFF:
        return .arabic
      case let value where turns(value): return .right
      default: return .left
      }
    case .decimalNumber, .otherNumber:
      return turns(scalar.value) ? .right : scalar.value < 0x2460 ? .number : .left
    // Hebrew and Arabic punctuation that is strong.
    case .dashPunctuation, .otherPunctuation:
      switch scalar.value {
      case 0x5BE, 0x5C0, 0x5C3, 0x5C6, 0x5F3, 0x5F4: return .right
      case 0x61B, 0x61D...0x61F, 0x66D, 0x6D4: return .arabic
      default: return .neutral
      }
    default: return .neutral
    }
  }
}
