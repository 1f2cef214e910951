// Where the cursor can go, and where it would land.

extension LineEditor {
  /// ^B, Left. - Returns: `false` if the cursor is at the beginning.
  @discardableResult
  package mutating func moveLeft() -> Bool { move(to: cursor > 0 ? offset(before: cursor) : 0) }

  /// ^F, Right. - Returns: `false` if the cursor is at the end.
  @discardableResult
  package mutating func moveRight() -> Bool {
    move(to: cursor < text.utf8.count ? offset(after: cursor) : cursor)
  }

  /// Alt+B, Ctrl+Left.
  package mutating func moveWordLeft() { move(to: wordStart(before: cursor)) }
  /// Alt+F, Ctrl+Right.
  package mutating func moveWordRight() { move(to: wordEnd(after: cursor)) }
  /// ^A, Home: to the start of the line.
  package mutating func moveToLineStart() { move(to: lineStart(of: cursor)) }
  /// ^E, End: to the end of the line.
  package mutating func moveToLineEnd() { move(to: lineEnd(of: cursor)) }
  /// To the beginning of the whole text.
  package mutating func moveToStart() { move(to: 0) }
  /// To the end of the whole text.
  package mutating func moveToEnd() { move(to: text.utf8.count) }

  /// Puts the cursor at an offset in bytes, or at the next border of a cluster behind it.
  package mutating func moveCursor(to offset: Int) { move(to: aligned(offset)) }

  /// Up, in text laid out at `width` columns.
  /// - Returns: `false` if the cursor is in the first row; it stays then.
  package mutating func moveUp(width: Int, spelling: ((String) -> String)? = nil) -> Bool {
    moveRows(-1, in: layout(width: width, spelling: spelling))
  }

  /// Down, in text laid out at `width` columns.
  /// - Returns: `false` if the cursor is in the last row; it stays then.
  package mutating func moveDown(width: Int, spelling: ((String) -> String)? = nil) -> Bool {
    moveRows(1, in: layout(width: width, spelling: spelling))
  }

  /// Where rows and cursor are when the text is shown `width` columns wide.
  ///
  /// The last column is left to the cursor at the end of a full row.
  /// - Parameter spelling: what is drawn in place of a cluster; `nil`: the cluster itself.
  package func layout(width: Int, spelling: ((String) -> String)? = nil) -> EditorLayout {
    EditorLayout(text: text, cursor: cursor, width: width, spelling: spelling)
  }

  private mutating func moveRows(_ step: Int, in layout: EditorLayout) -> Bool {
    let row = layout.cursor.row + step
    guard layout.rows.indices.contains(row) else { return false }
    let goal = goalColumn ?? layout.cursor.column
    cursor = layout.offset(at: Point(row: row, column: goal), goesDown: step > 0)
    lastAction = .moved
    goalColumn = goal
    return true
  }

  @discardableResult
  private mutating func move(to offset: Int) -> Bool {
    let before = cursor
    cursor = offset
    moved(as: .moved)
    return cursor != before
  }

  // MARK: Parts

  func index(_ offset: Int) -> String.Index {
    text.utf8.index(text.startIndex, offsetBy: offset)
  }

  func slice(_ range: Range<Int>) -> Substring {
    text[index(range.lowerBound)..<index(range.upperBound)]
  }

  func offset(of index: String.Index) -> Int {
    text.utf8.distance(from: text.startIndex, to: index)
  }

  func offset(before offset: Int) -> Int {
    guard offset > 0 else { return 0 }
    return self.offset(of: text.index(before: index(offset)))
  }

  func offset(after offset: Int) -> Int {
    guard offset < text.utf8.count else { return text.utf8.count }
    return self.offset(of: text.index(after: index(offset)))
  }

  /// The offset itself, or the end of the cluster it is inside of.
  func aligned(_ offset: Int) -> Int {
    guard offset > 0 else { return 0 }
    guard offset < text.utf8.count else { return text.utf8.count }
    let index = index(offset)
    return String.Index(index, within: text) == nil
      ? self.offset(of: text.index(after: index)) : offset
  }

  func lineStart(of offset: Int) -> Int {
    let before = text[..<index(offset)]
    guard let end = before.lastIndex(where: \.isNewline) else { return 0 }
    return self.offset(of: text.index(after: end))
  }

  func lineEnd(of offset: Int) -> Int {
    let start = index(offset)
    guard let end = text[start...].firstIndex(where: \.isNewline) else { return text.utf8.count }
    return self.offset(of: end)
  }

  /// The start of the run of `wanted` characters before an offset; what is not wanted there is skipped.
  func start(ofRunBefore offset: Int, _ wanted: (Character) -> Bool) -> Int {
    var position = index(offset)
    while position > text.startIndex {
      let before = text.index(before: position)
      if wanted(text[before]) { break }
      position = before
    }
    while position > text.startIndex {
      let before = text.index(before: position)
      if !wanted(text[before]) { break }
      position = before
    }
    return self.offset(of: position)
  }

  func wordStart(before offset: Int) -> Int {
    start(ofRunBefore: offset, Self.isWord)
  }

  func wordEnd(after offset: Int) -> Int {
    var position = index(offset)
    while position < text.endIndex, !Self.isWord(text[position]) {
      position = text.index(after: position)
    }
    while position < text.endIndex, Self.isWord(text[position]) {
      position = text.index(after: position)
    }
    return self.offset(of: position)
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }
}
