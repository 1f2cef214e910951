/// Finds addresses in running text, as people write them: at the end of a sentence, in brackets.
nonisolated enum LinkFinder {
  /// What can be opened. Everything else that looks like an address is text.
  static let schemes = ["https://", "http://", "xmpp:", "mailto:", "natter://"]

  /// Where addresses stand in `text`.
  static func ranges(in text: Substring) -> [Range<String.Index>] {
    var found: [Range<String.Index>] = []
    var index = text.startIndex
    while let colon = text[index...].firstIndex(where: isColon) {
      index = text.index(after: colon)
      guard let scheme = scheme(endingAt: colon, in: text) else { continue }
      var end = colon
      while end < text.endIndex, isPart(text[end]) { end = text.index(after: end) }
      end = trimmed(scheme.lowerBound..<end, in: text)
      // More than its scheme.
      guard end > scheme.upperBound else { continue }
      found.append(scheme.lowerBound..<end)
      index = end
    }
    return found
  }

  // Not as a character: one with thousands of marks would be put in order for the comparison.
  private static func isColon(_ character: Character) -> Bool {
    character.utf8.count == 1 && character.utf8.first == UInt8(ascii: ":")
  }

  /// The scheme whose colon this is, with the slashes that belong to it.
  private static func scheme(endingAt colon: String.Index, in text: Substring)
    -> Range<String.Index>?
  {
    // Most colons have no name before them.
    guard colon > text.startIndex else { return nil }
    let last = text[text.index(before: colon)]
    guard last.isASCII, last.isLetter else { return nil }
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

  /// What cannot stand in an address (RFC 3986 §2), and what encloses or ends one in Chinese and Japanese text.
  private static let enders = Set(
    "<>\"`「」『』《》〈〉【】〔〕〖〗（）［］｛｝｢｣。，、；：！？｡､".unicodeScalars)

  private static func isPart(_ character: Character) -> Bool {
    if character.isWhitespace { return false }
    return character.unicodeScalars.first.map { !enders.contains($0) } == true
      && character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  /// Without the full stop of the sentence and the bracket that was opened before it.
  private static func trimmed(_ range: Range<String.Index>, in text: Substring) -> String.Index {
    var end = range.upperBound
    // How many more of the brackets close than open, by the one that closes; counted when the first of them is met.
    var excess: [Character: Int]?
    while end > range.lowerBound {
      let last = text.index(before: end)
      let character = text[last]
      if character.utf8.count == 1, ")]}".contains(character) {
        var counts = excess ?? surplus(in: text[range.lowerBound..<end])
        let count = counts[character] ?? 0
        guard count > 0 else { return end }
        counts[character] = count - 1
        excess = counts
      } else if !endsSentence(character) {
        return end
      }
      end = last
    }
    return end
  }

  private static func surplus(in text: Substring) -> [Character: Int] {
    var counts: [Character: Int] = [:]
    for character in text where character.utf8.count == 1 {
      switch character {
      case "(": counts[")", default: 0] -= 1
      case "[": counts["]", default: 0] -= 1
      case "{": counts["}", default: 0] -= 1
      case ")", "]", "}": counts[character, default: 0] += 1
      default: break
      }
    }
    return counts
  }

  /// Whether it belongs to the text around an address where that ends with it. `/`, `#` and `-` may well be the last of one.
  private static func endsSentence(_ character: Character) -> Bool {
    guard let first = character.unicodeScalars.first else { return false }
    if first.isASCII {
      return ".,;:!?'*_~|\\".unicodeScalars.contains(first) && character.utf8.count == 1
    }
    return switch first.properties.generalCategory {
    case .initialPunctuation, .finalPunctuation, .openPunctuation, .closePunctuation,
      .dashPunctuation, .otherPunctuation:
      true
    default: false
    }
  }
}
