import Terminal

/// A text as vi sees it: characters under a cursor, lines, words. All positions are counted in
/// characters.
nonisolated struct ViText {
  let characters: [Character]
  let cursor: Int

  init(_ editor: LineEditor) {
    characters = Array(editor.text)
    var bytes = 0
    var position = 0
    while position < characters.count, bytes < editor.cursor {
      bytes += characters[position].utf8.count
      position += 1
    }
    cursor = position
  }

  var count: Int { characters.count }

  /// The offset in bytes of a position.
  func offset(_ position: Int) -> Int {
    characters.prefix(position).reduce(0) { $0 + $1.utf8.count }
  }

  func text(_ range: Range<Int>) -> String { String(characters[range]) }

  // MARK: Lines

  func lineStart(_ position: Int) -> Int {
    (characters[..<position].lastIndex(where: \.isNewline) ?? -1) + 1
  }

  /// The position of the line's end, or of the text's.
  func lineEnd(_ position: Int) -> Int {
    characters[position...].firstIndex(where: \.isNewline) ?? count
  }

  /// The first position of a line that is no blank; its end where there is none.
  func firstWord(_ position: Int) -> Int {
    let (start, end) = (lineStart(position), lineEnd(position))
    return characters[start..<end].firstIndex { !$0.isWhitespace } ?? end
  }

  /// The start of the line that is `step` lines below (above, if negative); `nil`: there are not so
  /// many.
  func line(_ step: Int, from position: Int) -> Int? {
    var start = lineStart(position)
    for _ in 0..<abs(step) {
      if step < 0 {
        guard start > 0 else { return nil }
        start = lineStart(start - 1)
      } else {
        let end = lineEnd(start)
        guard end < count else { return nil }
        start = end + 1
      }
    }
    return start
  }

  /// The start of a line by its number from 1; the last one where there are not so many.
  func line(number: Int) -> Int {
    var start = 0
    for _ in 1..<max(1, number) {
      let end = lineEnd(start)
      guard end < count else { break }
      start = end + 1
    }
    return start
  }

  // MARK: Words

  /// 0 for blanks, 1 for letters and digits, 2 for other characters; with `wide` only 0 for blanks
  /// and 1 for all others.
  private func kind(_ position: Int, _ wide: Bool) -> Int {
    let character = characters[position]
    if character.isWhitespace { return 0 }
    return wide || character.isLetter || character.isNumber || character == "_" ? 1 : 2
  }

  /// The start of the next word.
  func nextWord(_ position: Int, wide: Bool) -> Int {
    var position = position
    if position < count {
      let here = kind(position, wide)
      while position < count, here != 0, kind(position, wide) == here { position += 1 }
    }
    while position < count, kind(position, wide) == 0 { position += 1 }
    return position
  }

  /// The last position of this word, or of the next one if the cursor is at the end of a word.
  func wordEnd(_ position: Int, wide: Bool) -> Int {
    var position = position + 1
    while position < count, kind(position, wide) == 0 { position += 1 }
    guard position < count else { return max(0, count - 1) }
    let here = kind(position, wide)
    while position + 1 < count, kind(position + 1, wide) == here { position += 1 }
    return position
  }

  /// The start of this word, or of the previous one.
  func wordStart(_ position: Int, wide: Bool) -> Int {
    var position = position - 1
    while position > 0, kind(position, wide) == 0 { position -= 1 }
    guard position > 0 else { return 0 }
    let here = kind(position, wide)
    while position > 0, kind(position - 1, wide) == here { position -= 1 }
    return position
  }

  /// The word, or the run of blanks, around the cursor; with `around` also the blanks after it, or
  /// else those before it.
  func word(_ position: Int, wide: Bool, around: Bool) -> Range<Int> {
    guard position < count else { return position..<position }
    func run(_ position: Int) -> Range<Int> {
      let (here, line) = (kind(position, wide), lineStart(position)..<lineEnd(position))
      var (start, end) = (position, position)
      while start > line.lowerBound, kind(start - 1, wide) == here { start -= 1 }
      while end < line.upperBound, kind(end, wide) == here { end += 1 }
      return start..<end
    }
    let inner = run(position)
    guard around else { return inner }
    let end = lineEnd(position)
    if inner.upperBound < end, kind(inner.upperBound, wide) == 0 || kind(position, wide) == 0 {
      return inner.lowerBound..<run(inner.upperBound).upperBound
    }
    if inner.lowerBound > lineStart(position), kind(inner.lowerBound - 1, wide) == 0 {
      return run(inner.lowerBound - 1).lowerBound..<inner.upperBound
    }
    return inner
  }

  /// The position of the `number`th such character in the line, before or after a position; `nil`:
  /// there are not so many.
  func find(_ wanted: Character, from position: Int, forward: Bool, number: Int) -> Int? {
    let line = lineStart(position)..<lineEnd(position)
    var left = number
    var position = position + (forward ? 1 : -1)
    while line.contains(position) {
      if characters[position] == wanted {
        left -= 1
        if left == 0 { return position }
      }
      position += forward ? 1 : -1
    }
    return nil
  }
}
