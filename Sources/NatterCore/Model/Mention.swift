/// Finds mentions of a nick in a text (interface.md, "Messages"): as a whole word, in any case.
package enum Mention {
  /// Returns the ranges where `nick` is a whole word in `text`.
  package static func ranges(of nick: String, in text: String) -> [Range<String.Index>] {
    guard !nick.isEmpty, text.utf8.count >= nick.utf8.count else { return [] }
    let name = Array(nick.lowercased())
    var found: [Range<String.Index>] = []
    var index = text.startIndex
    var isAtWordStart = true
    while index < text.endIndex {
      if isAtWordStart, let end = match(name, in: text, at: index),
        end == text.endIndex || !isPartOfWord(text[end])
      {
        found.append(index..<end)
        index = end
        isAtWordStart = true
        continue
      }
      isAtWordStart = !isPartOfWord(text[index])
      index = text.index(after: index)
    }
    return found
  }

  /// Returns whether `text` contains `nick` as a whole word.
  package static func contains(_ nick: String, in text: String) -> Bool {
    !ranges(of: nick, in: text).isEmpty
  }

  private static func match(_ name: [Character], in text: String, at start: String.Index)
    -> String.Index?
  {
    var index = start
    var count = 0
    while count < name.count {
      guard index < text.endIndex else { return nil }
      // One character can become several in lower case.
      for letter in text[index].lowercased() {
        guard count < name.count, letter == name[count] else { return nil }
        count += 1
      }
      index = text.index(after: index)
    }
    return index
  }

  private static func isPartOfWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}
