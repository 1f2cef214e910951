// Small helpers for typed text.
nonisolated extension StringProtocol {
  /// True if it is a command: it begins with one slash, of any width (interface.md, "Languages"),
  /// as a double slash means the letter, and its first word has no other slash: that is a path.
  package var isCommandLine: Bool {
    guard first?.isSlash == true, !isSlashedText else { return false }
    return !dropFirst().prefix { !$0.isWhitespace }.contains(where: \.isSlash)
  }

  /// True if it is text that begins with a slash, which is typed twice.
  package var isSlashedText: Bool { prefix(2).count == 2 && prefix(2).allSatisfy(\.isSlash) }

  /// True if it looks like an address: it contains an at sign, also the wide one of Chinese input
  /// methods, or is a link to an address (RFC 5122).
  package var hasAddressMark: Bool {
    contains { $0 == "@" || $0 == "＠" } || prefix(5).lowercased() == "xmpp:"
  }

  /// True if it describes an action of the user, by `/me`.
  package var isOwnAction: Bool { isCommandLine && dropFirst().hasPrefix("me ") }
}

nonisolated extension Character {
  /// A slash, also the wide one of Chinese input methods.
  fileprivate var isSlash: Bool { self == "/" || self == "／" }
}

nonisolated extension String {
  /// The text without surrounding white space.
  package var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }

  /// The form in which it is typed to be sent unchanged: a slash at its beginning is doubled.
  package var asTyped: String {
    (isCommandLine || isSlashedText) && !hasPrefix("/me ") ? String(prefix(1)) + self : self
  }

  package var lineCount: Int { utf8.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) } }

  /// The text with line feeds as line ends, and without the control characters that XML excludes
  /// (XML 1.0 §2.2).
  package var pastable: String { pastablePart.withoutLastLineEnds }

  /// The same for a part of a text, which may end with a line end.
  package var pastablePart: String {
    var result = String.UnicodeScalarView()
    var last: Unicode.Scalar?
    for scalar in unicodeScalars {
      defer { last = scalar }
      switch scalar {
      case "\r": result.append("\n")
      case "\n": if last != "\r" { result.append(scalar) }
      case "\t": result.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: continue
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// The text without trailing line ends.
  package var withoutLastLineEnds: String {
    var result = self
    while result.last == "\n" { result.removeLast() }
    return result
  }
}
