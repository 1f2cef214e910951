/// The preparation of names and passwords before they are hashed (SASLprep, RFC 4013, in practice).
package enum SASLPrep {
  /// Returns the prepared form of `text`.
  /// - Throws: `SCRAMError.unusablePassword` for text with control characters and the like.
  package static func prepare(_ text: String) throws(SCRAMError) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    var mapped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isMappedToNothing(scalar) {
      mapped.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
    }
    let normalised = NormalForm.compatibility(mapped)
    for scalar in normalised.unicodeScalars where isProhibited(scalar) { throw .unusablePassword }
    return normalised
  }

  /// Returns whether the character is in RFC 3454 table B.1.
  private static func isMappedToNothing(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xAD, 0x34F, 0x1806, 0x180B...0x180D, 0x200B...0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF:
      true
    default: false
    }
  }

  /// Returns whether RFC 4013 §2.3 prohibits the character.
  private static func isProhibited(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .surrogate, .privateUse, .lineSeparator, .paragraphSeparator: true
    default: scalar.value >= 0xFFF9 && scalar.value <= 0xFFFD || scalar.value & 0xFFFE == 0xFFFE
    }
  }
}
