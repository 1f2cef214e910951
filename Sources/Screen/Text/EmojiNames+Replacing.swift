extension EmojiNames {
  /// The most different names in a text that are looked up.
  private static let mostNames = 200
  /// The longest name, in characters.
  private static let longestName = 40

  /// Returns `text` with each name in colons replaced by its emoji: `:tada:`. Code, quoted lines,
  /// links, and what is part of a longer word stay as they are.
  package func replacingNames(in text: String) -> String {
    guard text.contains(where: Self.colons.contains) else { return text }
    var known: [Substring: String?] = [:]
    var isCode = false
    var lines: [String] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.drop(while: \.isWhitespace).hasPrefix("```") {
        isCode.toggle()
        lines.append(String(line))
      } else if isCode || line.hasPrefix(">") {
        lines.append(String(line))
      } else {
        lines.append(replacingNames(inLine: line, &known))
      }
    }
    return lines.joined(separator: "\n")
  }

  private func replacingNames(inLine line: Substring, _ known: inout [Substring: String?]) -> String
  {
    var result = ""
    // From "://" to the next blank: a colon in a query has no letter before it.
    var isInLink = false
    var index = line.startIndex
    while index < line.endIndex {
      let character = line[index]
      let next = line.index(after: index)
      if character.isWhitespace {
        isInLink = false
      } else if character == ":", line[next...].hasPrefix("//") {
        isInLink = true
      }
      if character == "`", let end = line[next...].firstIndex(of: "`") {
        result += line[index...end]
        index = line.index(after: end)
      } else if !isInLink, Self.colons.contains(character),
        let end = Self.endOfName(in: line[next...], between: result.last, character),
        let emoji = emoji(named: line[next..<end], &known)
      {
        result += emoji
        index = line.index(after: end)
      } else {
        result.append(character)
        index = next
      }
    }
    return result
  }

  private func emoji(named name: Substring, _ known: inout [Substring: String?]) -> String? {
    if let found = known[name] { return found }
    guard known.count < Self.mostNames else { return nil }
    let found = emoji(from: ":\(name):")
    known[name] = .some(found)
    return found
  }

  /// Returns the colon after the name with which `rest` begins; `nil` if it begins with none, or
  /// one of the two colons is part of a word, a time or an address.
  private static func endOfName(
    in rest: Substring, between before: Character?, _ colon: Character
  ) -> Substring.Index? {
    let name = rest.prefix(longestName + 1).prefix { character in
      character.isLetter || character.isNumber || ["_", "-", "+", "'", "’"].contains(character)
    }
    let end = name.endIndex
    guard !name.isEmpty, name.count <= longestName, end < rest.endIndex, colons.contains(rest[end])
    else { return nil }
    let after = rest[end...].dropFirst().first
    // A full-width colon is part of prose, as in `分类：猫：短毛`.
    let isProse = colon != ":" || rest[end] != ":"
    // A number between colons is mostly a part of a time or an address: `[::1]:100:`.
    let isNumber = name.allSatisfy(\.isNumber)
    guard before.map({ $0.isWhitespace || !isNumber && !joins($0, isProse) }) ?? true,
      after.map({ !isOfWord($0, isProse) && !(isNumber && colons.contains($0)) }) ?? true
    else { return nil }
    return end
  }

  /// Returns whether a colon after this character is part of a word, a time or an address.
  private static func joins(_ character: Character, _ isProse: Bool) -> Bool {
    isOfWord(character, isProse) || character == "/" || character == ":"
  }

  /// The first scalar of scripts that are written without blanks, Thai first, and of all that
  /// follow in Unicode.
  private static let firstWithoutBlanks: Unicode.Scalar = "\u{0E00}"

  /// Returns whether a character beside a colon makes it part of a word. In Chinese, Thai and the
  /// like any text may be before or after a name in colons.
  /// - Parameter isProse: counts their characters, too.
  private static func isOfWord(_ character: Character, _ isProse: Bool) -> Bool {
    guard character.isLetter || character.isNumber else { return false }
    return isProse || character.unicodeScalars.first.map { $0 < firstWithoutBlanks } ?? false
  }
}
