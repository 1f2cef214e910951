// Changes of the case and order of a word.

extension LineEditor {
  /// Changes the word after the cursor to lower case (Alt+L).
  package mutating func lowercaseWord() { changeWord { $0.lowercased() } }

  /// Changes the word after the cursor to upper case (Alt+U).
  package mutating func uppercaseWord() { changeWord { $0.uppercased() } }

  /// Capitalises the word after the cursor (Alt+C).
  package mutating func capitalize() {
    changeWord { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
  }

  /// Swaps the word at or before the cursor with the previous one, and moves the cursor after both
  /// (Alt+T).
  package mutating func transposeWords() {
    let end = wordEnd(after: cursor)
    // After the last word, the last two are swapped.
    let last = wordStart(before: end)..<wordEnd(after: wordStart(before: end))
    let start = wordStart(before: last.lowerBound)
    let first = start..<wordEnd(after: start)
    guard !last.isEmpty, !first.isEmpty, first.upperBound <= last.lowerBound else { return }
    let between = String(slice(first.upperBound..<last.lowerBound))
    replaceText(
      first.lowerBound..<last.upperBound,
      with: String(slice(last)) + between + String(slice(first)))
  }

  /// Undoes all changes (Alt+R).
  package mutating func revert() { while undo() {} }

  private mutating func changeWord(_ change: (Substring) -> String) {
    let end = wordEnd(after: cursor)
    let from = max(wordStart(before: end), cursor)
    guard from < end else { return }
    replaceText(from..<end, with: change(slice(from..<end)))
  }
}
