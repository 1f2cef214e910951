import NatterCore

/// The positions of search terms in a message.
nonisolated package enum FoundText {
  /// Returns the spans with `.found` added where one of `words` matches the beginning of a word, as
  /// in the search; anywhere in scripts without spaces. Case and diacritics are ignored. Quote
  /// marks stay whole: they are no part of the text.
  /// - Parameter spans: the parts of `text`; empty: all of it is plain.
  package static func painted(_ spans: [MarkupSpan], of text: String, words: [String])
    -> [MarkupSpan]
  {
    let ranges = ranges(of: words, in: text)
    guard !ranges.isEmpty else { return spans }
    var painted: [MarkupSpan] = []
    var rest = ranges[...]
    var start = 0
    for span in spans.isEmpty ? [MarkupSpan(text)] : spans {
      let characters = Array(span.text)
      guard !span.style.contains(.quoteMark) else {
        painted.append(span)
        start += characters.count
        continue
      }
      var at = 0
      while at < characters.count {
        while let first = rest.first, first.upperBound <= start + at { rest = rest.dropFirst() }
        let next = rest.first.map { ($0.lowerBound - start, $0.upperBound - start) }
        let isFound = next.map { $0.0 <= at } ?? false
        let end = min(characters.count, next.map { isFound ? $0.1 : $0.0 } ?? characters.count)
        var part = span
        part.text = String(characters[at..<end])
        if isFound { part.style.insert(.found) }
        painted.append(part)
        at = end
      }
      start += characters.count
    }
    return painted
  }

  /// Returns the ranges in order and disjoint, in characters.
  /// - Parameter limit: how many are looked for, from the beginning on.
  package static func ranges(of words: [String], in text: String, limit: Int = .max)
    -> [Range<Int>]
  {
    let wanted = words.map { $0.map { Form($0) } }.filter { !$0.isEmpty }
    guard let longest = wanted.map(\.count).max() else { return [] }
    var characters = text.makeIterator()
    var forms: [Form] = []
    var found: [Range<Int>] = []
    var at = 0
    while found.count < limit {
      // No further than the next match needs: a long text may begin with it.
      while forms.count < at + longest, let next = characters.next() { forms.append(Form(next)) }
      guard at < forms.count else { break }
      let isStart = at == 0 || !forms[at - 1].isWord || forms[at].isAlone
      let length =
        isStart || !forms[at].isWord
        ? wanted.filter { forms[at...].starts(with: $0) }.map(\.count).max() ?? 0 : 0
      if length > 0 { found.append(at..<at + length) }
      at += max(1, length)
    }
    return found
  }

  /// Returns a part of a text that has the first match in it, as long as `length` characters.
  /// - Parameter before: the characters that are kept of the text before the match.
  /// - Returns: the part, and whether the text begins before it.
  package static func excerpt(of text: String, having words: [String], before: Int, length: Int)
    -> (text: Substring, isCut: Bool)
  {
    let first = ranges(of: words, in: text, limit: 1).first?.lowerBound ?? 0
    let start = max(0, first - before)
    return (text.dropFirst(start).prefix(length), start > 0)
  }

  /// A character in its form for comparison; all blanks are equal.
  private struct Form: Equatable {
    let text: String
    let isWord: Bool
    /// True if a word may begin at it, whatever precedes it.
    let isAlone: Bool

    init(_ character: Character) {
      // The fast path for most characters: long texts are compared each time they are drawn.
      if character.utf8.count == 1, let byte = character.utf8.first {
        let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        let isBlank = lower == 0x20 || (0x09...0x0D).contains(lower)
        text = isBlank ? " " : String(UnicodeScalar(lower))
        isWord = (0x61...0x7A).contains(lower) || (0x30...0x39).contains(lower)
        isAlone = false
        return
      }
      let scalars = character.unicodeScalars
      if let scalar = scalars.first, (0x4E00...0x9FFF).contains(scalar.value), scalars.count == 1 {
        (text, isWord, isAlone) = (String(scalar), true, true)
        return
      }
      text = character.isWhitespace ? " " : SearchForm.of(String(character))
      isWord = character.isLetter || character.isNumber
      // From here on are scripts without spaces, and emoji, of which each character is a token.
      isAlone = (scalars.first?.value ?? 0) >= 0x0E00
    }

    static func == (a: Form, b: Form) -> Bool { a.text == b.text }
  }
}
