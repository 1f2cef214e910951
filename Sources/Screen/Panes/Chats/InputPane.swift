import Keys
import Terminal
import ViewModels

/// The input: a prompt, the text on up to six rows, the hardware cursor.
///
/// Reports to the view model what the editing keys (interface.md, "Keys") did to the text.
package final class InputPane: Pane {
  private static let mostRows = 6

  /// On narrow screens the prompt begins in the first column.
  var isNarrow = false { didSet { if isNarrow != oldValue { viewModel.invalidation.raise() } } }

  /// Indicates whether the keys are vi's (`ui.keys`).
  var usesVi = false {
    didSet {
      vi.reset()
      viewModel.invalidation.raise()
    }
  }

  /// The current bindings, including those that edit text.
  var bindings: KeyBindingTable {
    didSet { vi.bindings = bindings }
  }

  /// Indicates whether letters are inserted: in vi's normal mode they are commands.
  var takesText: Bool { !usesVi || vi.mode == .insert }

  private let viewModel: InputViewModel
  /// Indicates whether rows are put into visual order here, because the terminal does not.
  private let ordersText: Bool
  /// The text drawn instead of a cluster, such as the name of an emoji; `nil`: the cluster itself.
  private let spelling: ((String) -> String)?
  private var vi = ViEditing()
  private var editor = LineEditor()
  private var revision = -1
  private var visit = -1
  /// The columns of the frame, for moving up and down in rows.
  private var width = 80
  private var top = 0

  /// - Parameters:
  ///   - ordersText: whether text from right to left is put into visual order here.
  ///   - spelling: what is drawn instead of a cluster; `nil`: the cluster itself.
  package init(
    viewModel: InputViewModel, ordersText: Bool = false, spelling: ((String) -> String)? = nil,
    bindings: KeyBindingTable = .natter
  ) {
    self.viewModel = viewModel
    self.ordersText = ordersText
    self.spelling = spelling
    self.bindings = bindings
    vi.bindings = bindings
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  /// The number of rows of the text on a screen of `size`, with `width` columns for the input.
  func rows(width: Int, screen size: Size) -> Int {
    takeOver()
    let most = max(1, min(Self.mostRows, size.rows / 3))
    return max(1, min(most, layout(width: width).rows.count))
  }

  /// The cursor's row and the number of rows, as for `12/40`; `nil` if all rows are visible.
  func position(width: Int, rows: Int) -> (row: Int, count: Int)? {
    let layout = layout(width: width)
    return layout.rows.count > rows ? (layout.cursor.row + 1, layout.rows.count) : nil
  }

  package func draw(into surface: inout Surface) {
    takeOver()
    width = surface.size.columns
    let rows = surface.size.rows
    let start = prompt.columns
    surface.fill(Rect(row: 0, column: 0, rows: rows, columns: width), role: .input)
    surface.write(prompt, row: 0, column: 0, role: .key)
    let layout = layout(width: width)
    top = min(top, layout.cursor.row, max(0, layout.rows.count - rows))
    if layout.cursor.row >= top + rows { top = layout.cursor.row - rows + 1 }
    for (offset, row) in layout.rows.dropFirst(top).prefix(rows).enumerated() {
      surface.writeAsIs(drawn(row, of: layout), row: offset, column: start, role: .input)
    }
    if editor.isEmpty {
      surface.write(viewModel.placeholder, row: 0, column: start, role: .placeholder)
    }
    surface.cursor = Point(
      row: layout.cursor.row - top,
      column: max(0, min(width - 1, start + cursorColumn(in: layout))))
  }

  // MARK: Text from right to left

  private func drawn(_ row: EditorLayout.Row, of layout: EditorLayout) -> String {
    ordersText
      ? BidiOrder.visual(row.text, isRightToLeft: isRightToLeft(row, of: layout)) : row.text
  }

  // The direction belongs to the line; all rows that it wraps to share it.
  private func isRightToLeft(_ row: EditorLayout.Row, of layout: EditorLayout) -> Bool {
    let bytes = Array(layout.drawnText.utf8)
    let position = min(row.range.lowerBound, bytes.count)
    let start = bytes[..<position].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
    return BidiOrder.isRightToLeft(String(decoding: bytes[start..<end], as: UTF8.self))
  }

  /// The column of the cluster after the cursor, wherever that is drawn; at the end of a row, the
  /// column of the next cluster.
  private func cursorColumn(in layout: EditorLayout) -> Int {
    let row = layout.rows[layout.cursor.row]
    guard ordersText, BidiOrder.concerns(row.text) else { return layout.cursor.column }
    let turns = isRightToLeft(row, of: layout)
    let before = layout.drawnCursor - row.range.lowerBound
    var bytes = 0
    for (cluster, column) in zip(row.text, BidiOrder.columns(row.text, isRightToLeft: turns)) {
      if bytes >= before { return column }
      bytes += cluster.utf8.count
    }
    return turns ? -1 : row.text.columns
  }

  /// The offset in the text of what is drawn at a column of a row.
  private func offset(at position: Point, in layout: EditorLayout) -> Int {
    let row = layout.rows[position.row]
    guard ordersText, BidiOrder.concerns(row.text) else { return layout.offset(at: position) }
    let turns = isRightToLeft(row, of: layout)
    var offset = row.range.lowerBound
    for (cluster, column) in zip(row.text, BidiOrder.columns(row.text, isRightToLeft: turns)) {
      if (column..<column + max(1, cluster.columns)).contains(position.column) {
        return layout.offset(ofDrawn: offset)
      }
      offset += cluster.utf8.count
    }
    // After the last cluster.
    return layout.offset(ofDrawn: offset)
  }

  // With vi's keys the glyph shows whether letters are text.
  private var prompt: String {
    let mark = usesVi && vi.mode == .normal ? ":" : ">"
    return isNarrow ? mark + " " : " " + mark + " "
  }

  /// The two keys of an Alt chord where Esc is a vi command: terminals and tmux join Esc and the
  /// letter after it (interface.md, "What terminals send"), and leaving insert mode must not hide a
  /// conversation. Empty for every other key, for an empty input, and for chords that the user
  /// bound.
  func partsOfChord(_ key: Key) -> [Key] {
    guard usesVi, !editor.isEmpty, let letter = key.withoutAlt, !bindings.isOwn([key], in: .input)
    else { return [] }
    return [.escape, letter]
  }

  /// Takes a key before all bindings: Esc and letters, with vi's keys.
  func takesFirst(_ key: Key) -> Bool {
    guard usesVi else { return false }
    takeOver()
    let before = (editor.text, editor.cursor, vi)
    let outcome = vi.take(key, in: &editor)
    guard outcome != .ignored else { return false }
    if before.0 != editor.text || before.1 != editor.cursor { report() }
    if before.2 != vi { viewModel.invalidation.raise() }
    switch outcome {
    case .up(let count): for _ in 0..<count where !moveUp() { break }
    case .down(let count): for _ in 0..<count where !moveDown() { break }
    case .ignored, .taken: return true
    }
    takeOver()
    let cursor = editor.cursor
    vi.settle(&editor)
    if cursor != editor.cursor { report() }
    return true
  }

  // MARK: Keys

  package func handle(_ key: Key) -> KeyDisposition {
    takeOver()
    guard editor.take(key, by: bindings) else { return .ignored }
    keep(.typed(key))
    report()
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition {
    guard !text.isEmpty else { return .handled }
    takeOver()
    editor.paste(text)
    keep(.pasted(text))
    report()
    return .handled
  }

  /// Makes a copied text available to the key that pastes the last cut.
  func remember(_ copied: String) {
    takeOver()
    editor.remember(copied)
    vi.remember(copied)
  }

  func insertNewline() {
    takeOver()
    editor.insertNewline()
    keep(.action(.newLine))
    report()
  }

  /// Applies an action to the text.
  /// - Returns: whether it changed the text or moved the cursor.
  func edit(_ action: KeyAction) -> Bool {
    takeOver()
    let before = (editor.text, editor.cursor)
    guard editor.perform(action) else { return false }
    keep(.action(action))
    report()
    return before != (editor.text, editor.cursor)
  }

  /// Moves up a row of the text, or from the first row to an older line of the history.
  /// - Returns: whether there was one.
  @discardableResult func moveUp() -> Bool {
    takeOver()
    guard editor.moveUp(width: textWidth(width), spelling: spelling) else {
      return viewModel.older()
    }
    report()
    return true
  }

  /// Moves down a row of the text, or from the last row to a newer line of the history.
  /// - Returns: whether there was one.
  @discardableResult func moveDown() -> Bool {
    takeOver()
    guard editor.moveDown(width: textWidth(width), spelling: spelling) else {
      return viewModel.newer()
    }
    report()
    return true
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    guard mouse.action == .press, mouse.button == 1 else { return .ignored }
    takeOver()
    let position = Point(row: top + mouse.at.row, column: mouse.at.column - prompt.columns)
    let layout = layout(width: width)
    guard layout.rows.indices.contains(position.row) else { return .handled }
    editor.moveCursor(
      to: offset(at: Point(row: position.row, column: max(0, position.column)), in: layout))
    if usesVi { vi.settle(&editor) }
    report()
    return .handled
  }

  /// Records a step for vi's `.`, which repeats it regardless of the keys that caused it.
  private func keep(_ step: ViEditing.Step) { if usesVi { vi.keep(step) } }

  // MARK: The editor and the view model

  /// Adopts a text that the view model set since the last call.
  private func takeOver() {
    guard revision != viewModel.revision else { return }
    revision = viewModel.revision
    if visit != viewModel.visit || viewModel.text.isEmpty {
      visit = viewModel.visit
      editor.reset()
      vi.reset()
    }
    if editor.text != viewModel.text {
      editor.beginUndoGroup()
      editor.setText(viewModel.text)
      editor.beginUndoGroup()
    }
    editor.moveCursor(to: viewModel.cursor)
  }

  private func report() { viewModel.textDidChange(editor.text, cursor: editor.cursor) }

  private func textWidth(_ width: Int) -> Int { max(2, width - prompt.columns) }

  private func layout(width: Int) -> EditorLayout {
    editor.layout(width: textWidth(width), spelling: spelling)
  }
}
