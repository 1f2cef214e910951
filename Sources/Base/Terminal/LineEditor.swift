/// An edited text with its cursor: the functions of readline, as a value (interface.md, "Keys").
///
/// The text may have several lines. The cursor is between grapheme clusters; one Backspace removes
/// one cluster, regardless of its number of scalars. Nothing is drawn here; `layout(width:)`
/// returns the positions.
package struct LineEditor: Equatable, Sendable {
  /// The text, with LF between its lines.
  package private(set) var text = ""
  /// The position of the cursor: the bytes of UTF-8 before it.
  package internal(set) var cursor = 0

  private var killRing: [String] = []
  var lastAction = Action.other
  private var undoSteps: [Edit] = []
  private var redoSteps: [Edit] = []
  /// The preferred column of vertical movements.
  var goalColumn: Int?

  private static let killLimit = 32
  private static let undoLimit = 500

  enum Action { case typed, killed, moved, other }

  /// A replacement of one part of the text by another.
  private struct Edit: Equatable {
    var offset: Int
    var removed: String
    var inserted: String
    /// The cursor before the edit.
    var cursor: Int
    /// The group of edits that are undone together.
    var group = 0
  }

  private var group = 0

  /// Creates an editor with a text and the cursor at its end.
  package init(_ text: String = "") {
    self.text = text
    cursor = text.utf8.count
  }

  /// Compares only text and cursor, not the history of undo and yank.
  package static func == (left: LineEditor, right: LineEditor) -> Bool {
    left.cursor == right.cursor && left.text == right.text
  }

  /// Indicates whether there is no text.
  package var isEmpty: Bool { text.isEmpty }

  /// The position of the cursor as an index of `text`.
  package var cursorIndex: String.Index { index(cursor) }

  /// The text before the cursor.
  package var textBeforeCursor: Substring { text[..<cursorIndex] }

  // MARK: Replacing everything

  /// Replaces the whole text, with the cursor at its end; this can be undone.
  package mutating func setText(_ new: String) {
    replace(0..<text.utf8.count, with: new)
    lastAction = .other
  }

  /// Removes everything; this can be undone and yanked.
  package mutating func clear() {
    kill(0..<text.utf8.count, forward: true)
    lastAction = .other
  }

  /// Removes the text and its history: after sending, and for passwords.
  package mutating func reset() {
    let ring = killRing
    self = LineEditor()
    killRing = ring
  }

  /// Replaces a part of the text, given in bytes, as completion does; the cursor moves after it.
  ///
  /// Offsets that are not boundaries of characters are moved to one.
  package mutating func replaceText(_ range: Range<Int>, with new: String) {
    let lower = aligned(range.lowerBound)
    replace(lower..<max(lower, aligned(range.upperBound)), with: new)
    lastAction = .other
  }

  // MARK: Inserting

  /// Inserts typed text.
  package mutating func insert(_ new: String) {
    guard !new.isEmpty else { return }
    let isBlank = new.allSatisfy(\.isWhitespace)
    // Letters of one word are undone together.
    if lastAction == .typed, !isBlank, var step = undoSteps.last, step.removed.isEmpty,
      step.group == group,
      step.offset + step.inserted.utf8.count == cursor
    {
      apply(Edit(offset: cursor, removed: "", inserted: new, cursor: cursor))
      step.inserted += new
      undoSteps[undoSteps.count - 1] = step
      redoSteps = []
    } else {
      replace(cursor..<cursor, with: new)
    }
    lastAction = .typed
  }

  /// Inserts pasted text, as one step of undo; all kinds of line ends become LF.
  package mutating func paste(_ new: String) {
    let hasReturns = new.utf8.contains(0x0D)
    var clean = new
    if hasReturns {
      clean = ""
      for character in new {
        if character == "\r\n" || character == "\r" {
          clean += "\n"
        } else {
          clean.append(character)
        }
      }
    }
    replace(cursor..<cursor, with: clean)
    lastAction = .other
  }

  /// Starts a new line at the cursor.
  package mutating func insertNewline() {
    replace(cursor..<cursor, with: "\n")
    lastAction = .other
  }

  // MARK: Deleting

  /// Removes the cluster before the cursor (Backspace).
  /// - Returns: `false` if there is none.
  @discardableResult
  package mutating func deleteBackward() -> Bool {
    guard cursor > 0 else { return false }
    replace(offset(before: cursor)..<cursor, with: "")
    lastAction = .other
    return true
  }

  /// Removes the cluster after the cursor (Del).
  /// - Returns: `false` if there is none.
  @discardableResult
  package mutating func deleteForward() -> Bool {
    guard cursor < text.utf8.count else { return false }
    replace(cursor..<offset(after: cursor), with: "")
    lastAction = .other
    return true
  }

  /// Cuts back to the last blank (^W).
  package mutating func killToBlank() {
    kill(start(ofRunBefore: cursor) { !$0.isWhitespace }..<cursor, forward: false)
  }

  /// Cuts the word, or its start, before the cursor (Alt+Backspace).
  package mutating func killWordBackward() {
    kill(wordStart(before: cursor)..<cursor, forward: false)
  }

  /// Cuts the word, or its rest, after the cursor (Alt+D).
  package mutating func killWordForward() {
    kill(cursor..<wordEnd(after: cursor), forward: true)
  }

  /// Cuts back to the start of the line (^U).
  package mutating func killToLineStart() {
    kill(lineStart(of: cursor)..<cursor, forward: false)
  }

  /// Cuts to the end of the line, or the line end itself if the cursor is there (^K).
  package mutating func killToLineEnd() {
    let end = lineEnd(of: cursor)
    kill(
      cursor..<(end == cursor && end < text.utf8.count ? offset(after: end) : end), forward: true)
  }

  /// Inserts the last cut (^Y); consecutive cuts count as one.
  package mutating func yank() {
    guard let last = killRing.last else { return }
    replace(cursor..<cursor, with: last)
    lastAction = .other
  }

  /// Adds a text to the yank history without changing the text, for a copy from another part of the
  /// screen.
  package mutating func remember(_ copied: String) {
    guard !copied.isEmpty else { return }
    killRing.append(copied)
    if killRing.count > Self.killLimit { killRing.removeFirst() }
    lastAction = .other
  }

  // MARK: Changing letters

  /// Swaps the clusters around the cursor, or the last two at the end of a line (^T).
  package mutating func transpose() {
    var middle = cursor
    if middle == lineEnd(of: cursor) { middle = offset(before: middle) }
    let start = lineStart(of: cursor)
    guard middle > start, middle < text.utf8.count else { return }
    let first = offset(before: middle)
    let last = offset(after: middle)
    replace(first..<last, with: String(slice(middle..<last)) + String(slice(first..<middle)))
    lastAction = .other
  }

  // MARK: Undo

  /// Undoes the last change (^_). Typed text is undone word by word.
  /// - Returns: `false` if there is nothing to undo.
  @discardableResult
  package mutating func undo() -> Bool {
    guard let step = undoSteps.popLast() else { return false }
    apply(
      Edit(offset: step.offset, removed: step.inserted, inserted: step.removed, cursor: cursor))
    cursor = step.cursor
    redoSteps.append(step)
    moved(as: .other)
    return true
  }

  /// Redoes the last undone change (Alt+_).
  /// - Returns: `false` if there is none.
  @discardableResult
  package mutating func redo() -> Bool {
    guard let step = redoSteps.popLast() else { return false }
    apply(step)
    undoSteps.append(step)
    moved(as: .other)
    return true
  }

  /// Begins another group of changes for `undoGroup`.
  package mutating func beginUndoGroup() { group += 1 }

  /// Joins all steps after the first ones into one group for `undoGroup`.
  /// - Parameter first: the number of the first ones (`undoCount`).
  package mutating func joinUndoGroups(since first: Int) {
    for index in undoSteps.indices.dropFirst(first) { undoSteps[index].group = group }
  }

  /// The number of steps that can be undone.
  package var undoCount: Int { undoSteps.count }

  /// Undoes everything since the last group began (vi's `u`).
  /// - Returns: `false` if there is nothing to undo.
  @discardableResult
  package mutating func undoGroup() -> Bool {
    guard let last = undoSteps.last?.group else { return false }
    while undoSteps.last?.group == last { undo() }
    return true
  }

  /// Redoes the changes that `undoGroup` undid.
  /// - Returns: `false` if there are none.
  @discardableResult
  package mutating func redoGroup() -> Bool {
    guard let last = redoSteps.last?.group else { return false }
    while redoSteps.last?.group == last { redo() }
    return true
  }

  // MARK: Changing

  mutating func moved(as action: Action) {
    lastAction = action
    goalColumn = nil
  }

  private mutating func kill(_ range: Range<Int>, forward: Bool) {
    guard !range.isEmpty else {
      goalColumn = nil
      return
    }
    let cut = String(slice(range))
    if lastAction == .killed, let last = killRing.popLast() {
      killRing.append(forward ? last + cut : cut + last)
    } else {
      remember(cut)
    }
    replace(range, with: "")
    lastAction = .killed
  }

  /// Replaces a part and records the undo step; the cursor moves after the new text.
  private mutating func replace(_ range: Range<Int>, with new: String) {
    guard !range.isEmpty || !new.isEmpty else { return }
    let edit = Edit(
      offset: range.lowerBound, removed: String(slice(range)), inserted: new, cursor: cursor,
      group: group)
    apply(edit)
    undoSteps.append(edit)
    if undoSteps.count > Self.undoLimit { undoSteps.removeFirst() }
    redoSteps = []
  }

  private mutating func apply(_ edit: Edit) {
    let start = index(edit.offset)
    let end = text.utf8.index(start, offsetBy: edit.removed.utf8.count)
    if start == text.endIndex {
      text += edit.inserted
    } else {
      text.replaceSubrange(start..<end, with: edit.inserted)
    }
    // New text may join a mark that follows it.
    cursor = aligned(edit.offset + edit.inserted.utf8.count)
    goalColumn = nil
  }
}
