// Small things every typed text needs.
nonisolated extension StringProtocol {
  /// Whether it is a command: it begins with one slash, of any width (interface.md, "Languages"),
  /// as two stand for the letter, and its first word has no other: that is a path.
  package var isCommandLine: Bool {
    guard first?.isSlash == true, !isSlashedText else { return false }
    return !dropFirst().prefix { !$0.isWhitespace }.contains(where: \.isSlash)
  }

  /// Whether it is text that begins with a slash: that is typed twice.
  package var isSlashedText: Bool { prefix(2).count == 2 && prefix(2).allSatisfy(\.isSlash) }

  /// Whether it looks like an address: it has its sign, also the wide one that Chinese input methods type, or is a link to one
  /// (RFC 5122).
  package var hasAddressSign: Bool {
    contains { $0 == "@" || $0 == "＠" } || prefix(5).lowercased() == "xmpp:"
  }

  /// Whether it tells what the person does, by `/me`.
  var isOwnAction: Bool { isCommandLine && dropFirst().hasPrefix("me ") }
}

nonisolated extension Character {
  /// A slash, also the wide one that Chinese input methods type.
  fileprivate var isSlash: Bool { self == "/" || self == "／" }
}

nonisolated extension String {
  /// Without the blanks and line ends around it.
  package var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }

  var lineCount: Int { utf8.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) } }

  /// With line feeds for line ends, and without the control characters that XML cannot carry (XML 1.0 §2.2).
  var pastable: String { pastablePart.withoutLastLineEnds }

  /// The same of a part of one, which may end with a line.
  var pastablePart: String {
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

  /// Without the line ends at its end.
  var withoutLastLineEnds: String {
    var result = self
    while result.last == "\n" { result.removeLast() }
    return result
  }
}
