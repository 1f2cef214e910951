extension StringProtocol {
  /// The text without surrounding blanks and line ends, which some XML contains for its layout.
  package var withoutBlanksAround: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}

extension String {
  /// Indicates whether it contains only blanks, line ends, and characters that are never drawn.
  package var saysNothing: Bool {
    unicodeScalars.allSatisfy {
      $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
    }
  }

  /// The text; `nil` when it is empty.
  var nonEmpty: String? { isEmpty ? nil : self }
}
