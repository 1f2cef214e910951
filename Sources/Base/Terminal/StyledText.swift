/// One line of text whose parts are drawn in different roles.
package struct StyledText: Equatable, Sendable, ExpressibleByStringLiteral {
  /// A part in one role.
  package struct Run: Equatable, Sendable {
    package var text: String
    package var role: StyleRole
    package init(_ text: String, _ role: StyleRole = .plain) {
      self.text = text
      self.role = role
    }
  }

  /// The parts in order; none of them is empty.
  package private(set) var runs: [Run] = []

  /// Creates an empty text.
  package init() {}

  /// Creates a text in one role.
  package init(_ text: String, _ role: StyleRole = .plain) {
    append(text, role)
  }

  /// Creates a text of several parts; empty ones are left out.
  package init(runs: [Run]) {
    for run in runs { append(run.text, run.role) }
  }

  /// Creates a plain text.
  package init(stringLiteral value: String) {
    self.init(value)
  }

  /// Indicates whether there is no text.
  package var isEmpty: Bool { runs.isEmpty }

  /// Returns the text with `prefix` before each line but the first.
  package func indented(by prefix: String) -> StyledText {
    guard !prefix.isEmpty, runs.contains(where: { $0.text.contains(where: Self.endsLine) }) else {
      return self
    }
    return StyledText(
      runs: runs.map { run in
        Run(
          run.text.reduce(into: "") { text, character in
            text.append(character)
            if Self.endsLine(character) { text += prefix }
          }, run.role)
      })
  }

  /// Returns whether a row ends with `character`; Unicode's other line ends are drawn as a glyph
  /// (`LineWrap`).
  private static func endsLine(_ character: Character) -> Bool {
    ["\n", "\r\n", "\u{2028}", "\u{2029}"].contains(character)
  }

  /// The text without its roles.
  package var text: String {
    runs.count == 1 ? runs[0].text : runs.reduce(into: "") { $0 += $1.text }
  }

  /// The columns of the text on the screen.
  package var columns: Int { runs.reduce(0) { $0 + $1.text.columns } }

  /// Appends text; text in the role of the last run becomes part of that run.
  package mutating func append(_ text: String, _ role: StyleRole = .plain) {
    guard !text.isEmpty else { return }
    if let last = runs.indices.last, runs[last].role == role {
      runs[last].text += text
    } else {
      runs.append(Run(text, role))
    }
  }

  /// Appends another text.
  package mutating func append(_ other: StyledText) {
    for run in other.runs { append(run.text, run.role) }
  }

  /// Returns the concatenation of both.
  package static func + (left: StyledText, right: StyledText) -> StyledText {
    var sum = left
    sum.append(right)
    return sum
  }

  /// Returns the prefix that fits in `limit` columns.
  package func prefix(columns limit: Int) -> StyledText {
    var result = StyledText()
    var left = limit
    for run in runs where left > 0 {
      let part = run.text.prefix(columns: left)
      result.append(String(part), run.role)
      if part.endIndex != run.text.endIndex { break }
      left -= part.columns
    }
    return result
  }

  /// Returns the text itself, or its prefix and `mark` if it is wider than `limit` columns; the
  /// mark gets the role of the text that it follows.
  package func truncated(columns limit: Int, mark: String = "…") -> StyledText {
    if columns <= limit { return self }
    let markColumns = mark.columns
    guard markColumns <= limit else { return prefix(columns: limit) }
    var result = prefix(columns: limit - markColumns)
    result.append(mark, result.runs.last?.role ?? runs.first?.role ?? .plain)
    return result
  }

  /// Returns the rows of the text, broken as `LineWrap` does.
  package func wrapped(width: Int, firstWidth: Int? = nil) -> [StyledText] {
    let whole = text
    let ranges = whole.withBytes { LineWrap.ranges(in: $0, width: width, firstWidth: firstWidth) }
    if runs.count <= 1 {
      return ranges.map { StyledText(whole[utf8: $0.range], runs.first?.role ?? .plain) }
    }
    var rows: [StyledText] = []
    rows.reserveCapacity(ranges.count)
    var run = 0
    var runStart = 0
    for range in ranges {
      var row = StyledText()
      // Ranges ascend, so runs that end before this one are not needed again.
      while run < runs.count, runStart + runs[run].text.utf8.count <= range.lowerBound {
        runStart += runs[run].text.utf8.count
        run += 1
      }
      var index = run
      var start = runStart
      while index < runs.count, start < range.upperBound {
        let count = runs[index].text.utf8.count
        let part = max(range.lowerBound, start)..<min(range.upperBound, start + count)
        if !part.isEmpty {
          row.append(
            runs[index].text[utf8: part.lowerBound - start..<part.upperBound - start],
            runs[index].role)
        }
        start += count
        index += 1
      }
      rows.append(row)
    }
    return rows
  }
}

extension Sequence<StyledText> {
  /// Returns all texts joined, with `separator` between them.
  package func joined(separator: StyledText = StyledText()) -> StyledText {
    var result = StyledText()
    for (index, text) in enumerated() {
      if index > 0 { result.append(separator) }
      result.append(text)
    }
    return result
  }
}

extension String {
  /// The part between two offsets in bytes, both at the boundary of a scalar.
  fileprivate subscript(utf8 range: Range<Int>) -> String {
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    return String(self[start..<utf8.index(start, offsetBy: range.count)])
  }
}
