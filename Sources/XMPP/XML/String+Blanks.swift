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
    unicodeScalars.allSatisfy { $0.isBlank || $0.properties.isDefaultIgnorableCodePoint }
  }

  /// The text; `nil` when it is empty.
  var nonEmpty: String? { isEmpty ? nil : self }
}

extension Unicode.Scalar {
  /// Indicates whether it is a blank or a line end. The property is looked up only beyond ASCII.
  fileprivate var isBlank: Bool {
    value < 0x80 ? value == 0x20 || (0x09...0x0D).contains(value) : properties.isWhitespace
  }
}
