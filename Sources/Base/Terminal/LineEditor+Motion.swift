// Movements of the cursor, and their destinations.

extension LineEditor {
  /// Moves left (^B, Left). - Returns: `false` if the cursor is at the start.
  @discardableResult
  package mutating func moveLeft() -> Bool { move(to: cursor > 0 ? offset(before: cursor) : 0) }

  /// Moves right (^F, Right). - Returns: `false` if the cursor is at the end.
  @discardableResult
  package mutating func moveRight() -> Bool {
    move(to: cursor < text.utf8.count ? offset(after: cursor) : cursor)
  }

  /// Moves a word left (Alt+B, Ctrl+Left).
  package mutating func moveWordLeft() { move(to: wordStart(before: cursor)) }
  /// Moves a word right (Alt+F, Ctrl+Right).
  package mutating func moveWordRight() { move(to: wordEnd(after: cursor)) }
  /// Moves to the start of the line (^A, Home).
  package mutating func moveToLineStart() { move(to: lineStart(of: cursor)) }
  /// Moves to the end of the line (^E, End).
  package mutating func moveToLineEnd() { move(to: lineEnd(of: cursor)) }
  /// Moves to the start of the whole text.
  package mutating func moveToStart() { move(to: 0) }
  /// Moves to the end of the whole text.
  package mutating func moveToEnd() { move(to: text.utf8.count) }

  /// Moves the cursor to an offset in bytes, or to the next boundary of a cluster after it.
  package mutating func moveCursor(to offset: Int) { move(to: aligned(offset)) }

  /// Moves up, in text laid out at `width` columns.
  /// - Returns: `false` if the cursor is in the first row; it stays then.
  package mutating func moveUp(width: Int, spelling: ((String) -> String)? = nil) -> Bool {
    moveRows(-1, in: layout(width: width, spelling: spelling))
  }

  /// Moves down, in text laid out at `width` columns.
  /// - Returns: `false` if the cursor is in the last row; it stays then.
  package mutating func moveDown(width: Int, spelling: ((String) -> String)? = nil) -> Bool {
    moveRows(1, in: layout(width: width, spelling: spelling))
  }

  /// Returns the rows and the cursor position for a width of `width` columns.
  ///
  /// The last column is reserved for the cursor at the end of a full row.
  /// - Parameter spelling: returns the replacement that is drawn for a cluster; `nil` draws the
  ///   cluster itself.
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

  /// Returns the offset itself, or the end of the cluster that contains it.
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

  /// Returns the start of the run of `wanted` characters before an offset; unwanted ones directly
  /// before it are skipped.
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
