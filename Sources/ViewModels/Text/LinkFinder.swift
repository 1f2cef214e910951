/// Finds addresses in running text, as people write them: at the end of a sentence, in brackets.
nonisolated enum LinkFinder {
  /// What can be opened. Everything else that looks like an address is text.
  static let schemes = ["https://", "http://", "xmpp:", "mailto:", "natter://"]

  /// Where addresses stand in `text`.
  static func ranges(in text: Substring) -> [Range<String.Index>] {
    var found: [Range<String.Index>] = []
    var index = text.startIndex
    while let colon = text[index...].firstIndex(of: ":") {
      index = text.index(after: colon)
      guard let scheme = scheme(endingAt: colon, in: text) else { continue }
      var end = colon
      while end < text.endIndex, isPart(text[end]) { end = text.index(after: end) }
      end = trimmed(scheme.lowerBound..<end, in: text)
      // More than its scheme.
      guard text.distance(from: scheme.upperBound, to: end) > 0, end > scheme.upperBound else {
        continue
      }
      found.append(scheme.lowerBound..<end)
      index = end
    }
    return found
  }

  /// The scheme whose colon this is, with the slashes that belong to it.
  private static func scheme(endingAt colon: String.Index, in text: Substring)
    -> Range<String.Index>?
  {
    for scheme in schemes {
      let name = scheme.prefix { $0 != ":" }
      guard
        let start = text.index(colon, offsetBy: -name.count, limitedBy: text.startIndex),
        text[start..<colon].lowercased() == name
      else { continue }
      if start > text.startIndex {
        let before = text[text.index(before: start)]
        // Chinese and Japanese have no blank before it.
        if before.isASCII, before.isLetter || before.isNumber { continue }
      }
      let rest = scheme.dropFirst(name.count)
      guard text[colon...].hasPrefix(rest) else { continue }
      return start..<text.index(colon, offsetBy: rest.count)
    }
    return nil
  }

  private static func isPart(_ character: Character) -> Bool {
    if character.isWhitespace || character.isNewline { return false }
    // What cannot stand in an address (RFC 3986 §2), and what encloses one in Chinese text.
    return !"<>\"`「」『』《》（）。，、；".contains(character)
      && character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  /// Without the full stop of the sentence and the bracket that was opened before it.
  private static func trimmed(_ range: Range<String.Index>, in text: Substring) -> String.Index {
    var end = range.upperBound
    while end > range.lowerBound {
      let last = text.index(before: end)
      switch text[last] {
      case ".", ",", ";", ":", "!", "?", "'", "*", "_", "~", "…": end = last
      case ")", "]", "}":
        let pairs: [Character: Character] = [")": "(", "]": "[", "}": "{"]
        let part = text[range.lowerBound..<end]
        let opened = part.count { $0 == pairs[text[last]] }
        guard part.count(where: { $0 == text[last] }) > opened else { return end }
        end = last
      default: return end
      }
    }
    return end
  }
}
