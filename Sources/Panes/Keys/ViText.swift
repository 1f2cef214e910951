import Terminal

/// A text as vi sees it: characters under a cursor, lines, words. All positions are counted in
/// characters.
nonisolated struct ViText {
  let characters: [Character]
  let cursor: Int

  init(_ editor: LineEditor) {
    characters = Array(editor.text)
    var bytes = 0
    var place = 0
    while place < characters.count, bytes < editor.cursor {
      bytes += characters[place].utf8.count
      place += 1
    }
    cursor = place
  }

  var count: Int { characters.count }

  /// The offset in bytes of a position.
  func offset(_ place: Int) -> Int {
    characters.prefix(place).reduce(0) { $0 + $1.utf8.count }
  }

  func text(_ range: Range<Int>) -> String { String(characters[range]) }

  // MARK: Lines

  func lineStart(_ place: Int) -> Int {
    (characters[..<place].lastIndex(where: \.isNewline) ?? -1) + 1
  }

  /// The position of the line's end, or of the text's.
  func lineEnd(_ place: Int) -> Int {
    characters[place...].firstIndex(where: \.isNewline) ?? count
  }

  /// The first position of a line that is no blank; its end where there is none.
  func firstWord(_ place: Int) -> Int {
    let (start, end) = (lineStart(place), lineEnd(place))
    return characters[start..<end].firstIndex { !$0.isWhitespace } ?? end
  }

  /// The start of the line that is `step` lines below (above, if negative); `nil`: there are not so
  /// many.
  func line(_ step: Int, from place: Int) -> Int? {
    var start = lineStart(place)
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
  private func kind(_ place: Int, _ wide: Bool) -> Int {
    let character = characters[place]
    if character.isWhitespace { return 0 }
    return wide || character.isLetter || character.isNumber || character == "_" ? 1 : 2
  }

  /// The start of the next word.
  func nextWord(_ place: Int, wide: Bool) -> Int {
    var place = place
    if place < count {
      let here = kind(place, wide)
      while place < count, here != 0, kind(place, wide) == here { place += 1 }
    }
    while place < count, kind(place, wide) == 0 { place += 1 }
    return place
  }

  /// The last position of this word, or of the next one if the cursor is at the end of a word.
  func wordEnd(_ place: Int, wide: Bool) -> Int {
    var place = place + 1
    while place < count, kind(place, wide) == 0 { place += 1 }
    guard place < count else { return max(0, count - 1) }
    let here = kind(place, wide)
    while place + 1 < count, kind(place + 1, wide) == here { place += 1 }
    return place
  }

  /// The start of this word, or of the previous one.
  func wordStart(_ place: Int, wide: Bool) -> Int {
    var place = place - 1
    while place > 0, kind(place, wide) == 0 { place -= 1 }
    guard place > 0 else { return 0 }
    let here = kind(place, wide)
    while place > 0, kind(place - 1, wide) == here { place -= 1 }
    return place
  }

  /// The word, or the run of blanks, around the cursor; with `around` also the blanks after it, or
  /// else those before it.
  func word(_ place: Int, wide: Bool, around: Bool) -> Range<Int> {
    guard place < count else { return place..<place }
    func run(_ place: Int) -> Range<Int> {
      let (here, line) = (kind(place, wide), lineStart(place)..<lineEnd(place))
      var (start, end) = (place, place)
      while start > line.lowerBound, kind(start - 1, wide) == here { start -= 1 }
      while end < line.upperBound, kind(end, wide) == here { end += 1 }
      return start..<end
    }
    let inner = run(place)
    guard around else { return inner }
    let end = lineEnd(place)
    if inner.upperBound < end, kind(inner.upperBound, wide) == 0 || kind(place, wide) == 0 {
      return inner.lowerBound..<run(inner.upperBound).upperBound
    }
    if inner.lowerBound > lineStart(place), kind(inner.lowerBound - 1, wide) == 0 {
      return run(inner.lowerBound - 1).lowerBound..<inner.upperBound
    }
    return inner
  }

  /// The position of the `number`th such character in the line, before or after a position; `nil`:
  /// there are not so many.
  func find(_ wanted: Character, from place: Int, forward: Bool, number: Int) -> Int? {
    let line = lineStart(place)..<lineEnd(place)
    var left = number
    var place = place + (forward ? 1 : -1)
    while line.contains(place) {
      if characters[place] == wanted {
        left -= 1
        if left == 0 { return place }
      }
      place += forward ? 1 : -1
    }
    return nil
  }
}
