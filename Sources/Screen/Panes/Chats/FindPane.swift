import Keys
import Terminal
import Text
import ViewModels

/// The search for messages, at the lower edge of the screen: the messages stay visible, above the
/// list of matches where more than the open conversation is searched.
package final class FindPane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package var isDismissed: Bool { isClosed || viewModel.isOver }
  package var hintLine: HintLine { list.hintLine }

  private let viewModel: MessageSearch
  private var isClosed = false
  private var list: OverlayList
  private let glyphs: Glyphs
  private var isLinear: Bool { glyphs.isLinear }

  package var showsOthers: Bool { true }

  package init(viewModel: MessageSearch, glyphs: Glyphs) {
    self.viewModel = viewModel
    list = OverlayList(glyphs: glyphs)
    self.glyphs = glyphs
  }

  package func use(_ bindings: KeyBindingTable) { list.use(bindings) }

  package func preferredSize(in size: Size) -> Size {
    Size(
      rows: viewModel.list == nil
        ? BoxFrame.leastRows : max(BoxFrame.leastRows, min(16, size.rows - 6)),
      columns: size.columns < 60
        ? size.columns : min(viewModel.list == nil ? 72 : 100, size.columns - 8))
  }

  package func frame(in size: Size) -> Rect {
    if isLinear {
      // The title, the query, the number of matches, the list, the key hints.
      let rows = min(viewModel.list == nil ? 4 : 16, size.rows)
      return Rect(row: size.rows - rows, column: 0, rows: rows, columns: size.columns)
    }
    let wanted = preferredSize(in: size)
    let rows = min(wanted.rows, size.rows)
    return Rect(
      row: max(0, size.rows - rows - 1), column: (size.columns - wanted.columns) / 2, rows: rows,
      columns: wanted.columns)
  }

  package func dismiss() {
    viewModel.cancel()
    isClosed = true
  }

  package func draw(into surface: inout Surface) {
    let inner = list.drawBox(
      viewModel, leastRows: 2, short: viewModel.hints(isNarrow: true), into: &surface)
    let isNarrow = inner.size.columns < 68
    // A screen reader has one line for both.
    let isShort = isNarrow && !isLinear
    let note = viewModel.note(isNarrow: isNarrow, hasAsides: isShort)
    list.drawLine(
      viewModel, row: inner.origin.row, left: inner.origin.column, columns: inner.size.columns,
      status: isLinear && !note.isEmpty ? note : viewModel.status(isNarrow: isShort),
      into: &surface)
    if !isLinear, inner.size.rows > 1 {
      surface.write(
        note.truncated(columns: inner.size.columns, mark: glyphs.ellipsis),
        row: inner.origin.row + 1, column: inner.origin.column, role: .dim)
    }
    if let found = viewModel.list {
      draw(found, below: inner, hasNote: !note.isEmpty, into: &surface)
    }
    surface.keepCursorInside()
  }

  private func draw(
    _ found: FoundMessages, below inner: Rect, hasNote: Bool, into surface: inout Surface
  ) {
    // The query, and the note where there is one; for a screen reader, the number of matches.
    let gap = isLinear || hasNote ? 2 : 1
    let (left, columns) = (inner.origin.column, inner.size.columns)
    let area = Rect(
      row: inner.origin.row + gap, column: left, rows: max(0, inner.size.rows - gap),
      columns: columns)
    let widths = FoundColumns(found.rows, columns: columns - 2, glyphs)
    list.drawRows(viewModel, in: area, textColumn: isLinear ? 0 : 2, into: &surface) {
      index, row, surface in
      widths.draw(found.rows[index], row: row, left: left + 2, into: &surface)
    }
  }

  package func handle(_ key: Key) -> KeyDisposition {
    switch (key.code, key.modifiers) {
    case _ where OverlayList.closes(key): dismiss()
    case (.tab, []): if !viewModel.complete() { viewModel.changeScope() }
    // In one conversation, too: unhandled it would count as Escape and a letter for the input.
    case (.character("p"), .alt): viewModel.changeOrder()
    case (.character("h"), .alt): viewModel.askServer()
    case _ where viewModel.list != nil: return handleInList(key)
    case (.enter, []), (.up, []), (.character("p"), .control), (.character("f"), .control):
      viewModel.move(1)
    case (.down, []), (.character("n"), .control): viewModel.move(-1)
    default: return list.edit(key, in: viewModel)
    }
    return .handled
  }

  /// Handles a key while there is a list.
  private func handleInList(_ key: Key) -> KeyDisposition {
    switch (key.code, key.modifiers) {
    case (.enter, []): open(viewModel.selection)
    default: return list.take(key, for: viewModel)
    }
    return .handled
  }

  private func open(_ row: Int?) {
    if let row, viewModel.open(row) { isClosed = true }
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    guard viewModel.list != nil else { return .handled }
    open(list.pressed(mouse, in: viewModel))
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition { list.paste(text, into: viewModel) }
}
