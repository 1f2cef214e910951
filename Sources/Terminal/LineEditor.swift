/// Text being typed, with its cursor: what readline does, as a value (interface.md, "Keys").
///
/// The text may have several lines. The cursor stands between grapheme clusters; one Backspace removes
/// one of them, however many scalars it has. Nothing here draws; `layout(width:)` says where
/// everything is.
package struct LineEditor: Equatable, Sendable {
  /// What has been typed, with LF between its lines.
  package private(set) var text = ""
  /// Where the cursor is: bytes of UTF-8 before it.
  package internal(set) var cursor = 0

  private var killRing: [String] = []
  var lastAction = Action.other
  private var undoSteps: [Edit] = []
  private var redoSteps: [Edit] = []
  /// The column that moving up and down aims at.
  var goalColumn: Int?

  private static let killLimit = 32
  private static let undoLimit = 500

  enum Action { case typed, killed, moved, other }

  /// A replacement of one part of the text by another.
  private struct Edit: Equatable {
    var offset: Int
    var removed: String
    var inserted: String
    /// The cursor before it.
    var cursor: Int
    /// Edits of one group can be taken back together.
    var group = 0
  }

  private var group = 0

  /// An editor with a text in it and the cursor at its end.
  package init(_ text: String = "") {
    self.text = text
    cursor = text.utf8.count
  }

  /// Text and cursor alone count; what could be undone or yanked does not.
  package static func == (left: LineEditor, right: LineEditor) -> Bool {
    left.cursor == right.cursor && left.text == right.text
  }

  /// Whether there is no text.
  package var isEmpty: Bool { text.isEmpty }

  /// Where the cursor is, as an index of `text`.
  package var cursorIndex: String.Index { index(cursor) }

  /// The text before the cursor.
  package var textBeforeCursor: Substring { text[..<cursorIndex] }

  // MARK: Replacing everything

  /// Puts another text in the place of this one, with the cursor at its end; it can be undone.
  package mutating func setText(_ new: String) {
    replace(0..<text.utf8.count, with: new)
    lastAction = .other
  }

  /// Removes everything; it can be undone and yanked.
  package mutating func clear() {
    kill(0..<text.utf8.count, forward: true)
    lastAction = .other
  }

  /// Forgets the text and every trace of it: after sending, for passwords.
  package mutating func reset() {
    let ring = killRing
    self = LineEditor()
    killRing = ring
  }

  /// Replaces a part of the text, given in bytes, as completion does; the cursor goes behind it.
  ///
  /// Offsets that are not borders of characters are moved to one.
  package mutating func replaceText(_ range: Range<Int>, with new: String) {
    let lower = aligned(range.lowerBound)
    replace(lower..<max(lower, aligned(range.upperBound)), with: new)
    lastAction = .other
  }

  // MARK: Inserting

  /// Inserts what was typed.
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

  /// Inserts what was pasted, as one step to undo; all kinds of line ends become LF.
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

  /// Backspace: removes the cluster before the cursor.
  /// - Returns: `false` if there is none.
  @discardableResult
  package mutating func deleteBackward() -> Bool {
    guard cursor > 0 else { return false }
    replace(offset(before: cursor)..<cursor, with: "")
    lastAction = .other
    return true
  }

  /// Del: removes the cluster behind the cursor.
  /// - Returns: `false` if there is none.
  @discardableResult
  package mutating func deleteForward() -> Bool {
    guard cursor < text.utf8.count else { return false }
    replace(cursor..<offset(after: cursor), with: "")
    lastAction = .other
    return true
  }

  /// ^W: cuts back to the last blank.
  package mutating func killToBlank() {
    kill(start(ofRunBefore: cursor) { !$0.isWhitespace }..<cursor, forward: false)
  }

  /// Alt+Backspace: cuts the word, or its beginning, before the cursor.
  package mutating func killWordBackward() {
    kill(wordStart(before: cursor)..<cursor, forward: false)
  }

  /// Alt+D: cuts the word, or its rest, behind the cursor.
  package mutating func killWordForward() {
    kill(cursor..<wordEnd(after: cursor), forward: true)
  }

  /// ^U: cuts back to the start of the line.
  package mutating func killToLineStart() {
    kill(lineStart(of: cursor)..<cursor, forward: false)
  }

  /// ^K: cuts to the end of the line, or the line end itself if the cursor is there.
  package mutating func killToLineEnd() {
    let end = lineEnd(of: cursor)
    kill(
      cursor..<(end == cursor && end < text.utf8.count ? offset(after: end) : end), forward: true)
  }

  /// ^Y: inserts what was cut last; cuts one after the other count as one.
  package mutating func yank() {
    guard let last = killRing.last else { return }
    replace(cursor..<cursor, with: last)
    lastAction = .other
  }

  /// Adds a text to what `yank` gives, without changing the text: for copying elsewhere.
  package mutating func remember(_ copied: String) {
    guard !copied.isEmpty else { return }
    killRing.append(copied)
    if killRing.count > Self.killLimit { killRing.removeFirst() }
    lastAction = .other
  }

  // MARK: Changing letters

  /// ^T: swaps the clusters around the cursor, or the last two at the end of a line.
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

  /// ^_: takes the last change back. Words that were typed are taken back one by one.
  /// - Returns: `false` if there is nothing to take back.
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

  /// Alt+_: does again what was taken back.
  /// - Returns: `false` if nothing was.
  @discardableResult
  package mutating func redo() -> Bool {
    guard let step = redoSteps.popLast() else { return false }
    apply(step)
    undoSteps.append(step)
    moved(as: .other)
    return true
  }

  /// What is changed from now on is another change for `undoGroup`.
  package mutating func beginUndoGroup() { group += 1 }

  /// Makes one change for `undoGroup` of all steps behind the first ones.
  /// - Parameter first: how many of those there are (`undoCount`).
  package mutating func joinUndoGroups(since first: Int) {
    for index in undoSteps.indices.dropFirst(first) { undoSteps[index].group = group }
  }

  /// How many steps can be taken back.
  package var undoCount: Int { undoSteps.count }

  /// Takes back everything since the last group began (vi's `u`).
  /// - Returns: `false` if there is nothing to take back.
  @discardableResult
  package mutating func undoGroup() -> Bool {
    guard let last = undoSteps.last?.group else { return false }
    while undoSteps.last?.group == last { undo() }
    return true
  }

  /// Does again what `undoGroup` took back.
  /// - Returns: `false` if nothing was.
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

  /// Replaces a part and remembers how to undo it; the cursor goes behind what is new.
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
