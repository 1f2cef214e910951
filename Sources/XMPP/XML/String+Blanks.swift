extension StringProtocol {
  /// Without the blanks and line ends around it, with which people lay out their XML.
  package var withoutBlanksAround: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}

extension String {
  /// Whether there are only blanks and line ends in it.
  package var saysNothing: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }

  /// `nil` when it is empty.
  var nonEmpty: String? { isEmpty ? nil : self }
}
