// By scalars: by characters, a text of blanks as long as a stanza takes many times as long.

extension StringProtocol {
  /// The text without surrounding blanks and line ends, which some XML contains for its layout.
  package var withoutBlanksAround: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.isBlank }),
      let last = scalars.lastIndex(where: { !$0.isBlank })
    else { return "" }
    return String(self[first..<scalars.index(after: last)])
  }
}

extension String {
  /// Indicates whether it contains only blanks, line ends, and characters that are never drawn.
  package var saysNothing: Bool {
    unicodeScalars.allSatisfy { $0.isBlank || $0.isNeverDrawn }
  }

  /// The text; `nil` when it is empty.
  package var nonEmpty: String? { isEmpty ? nil : self }
}

extension Unicode.Scalar {
  /// Indicates whether it is a blank or a line end: `White_Space` of Unicode, a short list that no
  /// longer grows. A look-up of the property for each scalar of a text of blanks takes longer than
  /// everything else that is done with it.
  fileprivate var isBlank: Bool {
    switch value {
    case 0x20, 0x09...0x0D, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
      0x3000:
      true
    default: false
    }
  }

  /// Indicates whether it is never drawn. The property is looked up beyond the most frequent.
  fileprivate var isNeverDrawn: Bool {
    switch value {
    case 0..<0xAD: false
    case 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }
}
