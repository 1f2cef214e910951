/// Finds addresses in running text, as people write them: at the end of a sentence, in brackets.
nonisolated package enum LinkFinder {
  /// The schemes that can be opened. Anything else that looks like an address is text.
  static let schemes = ["https://", "http://", "xmpp:", "mailto:", "natter://"]

  /// Returns the ranges of the addresses in `text`.
  package static func ranges(in text: Substring) -> [Range<String.Index>] {
    var found: [Range<String.Index>] = []
    var index = text.startIndex
    while let colon = text[index...].firstIndex(where: isColon) {
      index = text.index(after: colon)
      guard let scheme = scheme(endingAt: colon, in: text) else { continue }
      var end = colon
      while end < text.endIndex, isPart(text[end]) { end = text.index(after: end) }
      end = trimmed(scheme.lowerBound..<end, in: text)
      // It must be longer than its scheme.
      guard end > scheme.upperBound else { continue }
      found.append(scheme.lowerBound..<end)
      index = end
    }
    return found
  }

  // Not as a character: a cluster with thousands of marks would be normalized for the comparison.
  private static func isColon(_ character: Character) -> Bool {
    character.utf8.count == 1 && character.utf8.first == UInt8(ascii: ":")
  }

  /// Returns the scheme that ends with this colon, including the slashes that follow it.
  private static func scheme(endingAt colon: String.Index, in text: Substring)
    -> Range<String.Index>?
  {
    // Most colons do not follow a name.
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
        // Chinese and Japanese have no space before it.
        if before.isASCII, before.isLetter || before.isNumber { continue }
      }
      let rest = scheme.dropFirst(name.count)
      guard text[colon...].hasPrefix(rest) else { continue }
      return start..<text.index(colon, offsetBy: rest.count)
    }
    return nil
  }

  /// Characters that an address cannot contain (RFC 3986 §2), and those that enclose or end it in
  /// Chinese and Japanese text.
  private static let enders = Set(
    "<>\"`「」『』《》〈〉【】〔〕〖〗（）［］｛｝｢｣。，、；：！？｡､".unicodeScalars)

  private static func isPart(_ character: Character) -> Bool {
    if character.isWhitespace { return false }
    return character.unicodeScalars.first.map { !enders.contains($0) } == true
      && character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  /// Returns the end without the sentence's full stop and a bracket that opens before the address.
  private static func trimmed(_ range: Range<String.Index>, in text: Substring) -> String.Index {
    var end = range.upperBound
    // The surplus of closing brackets by kind; computed at the first bracket.
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

  /// True if a final character belongs to the text around the address. `/`, `#` and `-` are valid
  /// ends of an address.
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
