// Changing whole words.

extension LineEditor {
  /// Alt+L: the word behind the cursor in small letters.
  package mutating func lowercaseWord() { changeWord { $0.lowercased() } }

  /// Alt+U: the word behind the cursor in capitals.
  package mutating func uppercaseWord() { changeWord { $0.uppercased() } }

  /// Alt+C: makes the word behind the cursor begin with a capital letter.
  package mutating func capitalize() {
    changeWord { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
  }

  /// Alt+T: swaps the word at or before the cursor with the one before it; the cursor goes behind both.
  package mutating func transposeWords() {
    let end = wordEnd(after: cursor)
    // Behind the last word it is the last two that are meant.
    let last = wordStart(before: end)..<wordEnd(after: wordStart(before: end))
    let start = wordStart(before: last.lowerBound)
    let first = start..<wordEnd(after: start)
    guard !last.isEmpty, !first.isEmpty, first.upperBound <= last.lowerBound else { return }
    let between = String(slice(first.upperBound..<last.lowerBound))
    replaceText(
      first.lowerBound..<last.upperBound,
      with: String(slice(last)) + between + String(slice(first)))
  }

  /// Alt+R: takes back every change there was.
  package mutating func revert() { while undo() {} }

  private mutating func changeWord(_ change: (Substring) -> String) {
    let end = wordEnd(after: cursor)
    let from = max(wordStart(before: end), cursor)
    guard from < end else { return }
    replaceText(from..<end, with: change(slice(from..<end)))
  }
}
