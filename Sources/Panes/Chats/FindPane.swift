import Terminal
import ViewModels

/// What is looked for in a conversation, at the lower edge of the screen: the messages stay in sight.
package final class FindPane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false

  private let viewModel: MessageSearch
  private let glyphs: Glyphs
  private let editing = FieldEditing()

  package init(viewModel: MessageSearch, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
  }

  package func preferredSize(in size: Size) -> Size {
    Size(
      rows: BoxFrame.leastRows,
      columns: size.columns < 60 ? size.columns : min(72, size.columns - 8))
  }

  package func frame(in size: Size) -> Rect {
    let wanted = preferredSize(in: size)
    let rows = min(wanted.rows, size.rows)
    return Rect(
      row: max(0, size.rows - rows - 1), column: (size.columns - wanted.columns) / 2, rows: rows,
      columns: wanted.columns)
  }

  package func dismiss() { isDismissed = true }

  package func draw(into surface: inout Surface) {
    let inner = BoxFrame.draw(
      Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      title: viewModel.title, glyphs: glyphs, into: &surface)
    let left = inner.origin.column + 1
    let columns = max(1, inner.size.columns - 2)
    let row = inner.origin.row
    let status = viewModel.status
    surface.write(status, row: row, column: left + columns - status.columns, role: .dim)
    let start = surface.write(glyphs.marker + " ", row: row, column: left, role: .key)
    let width = max(1, columns - (start - left) - (status.isEmpty ? 0 : status.columns + 1))
    var before = Substring(viewModel.query.prefix(viewModel.cursor))
    while before.columns > width - 1, !before.isEmpty { before.removeFirst() }
    surface.write(
      (before + String(viewModel.query.dropFirst(viewModel.cursor))).padded(columns: width),
      row: row, column: start, role: .field, limit: width)
    surface.write(
      BoxFrame.hintLine(viewModel.hints, columns: columns),
      row: row + max(1, inner.size.rows - 1), column: left, role: .dim, limit: columns)
    surface.cursor = Point(row: row, column: start + before.columns)
    surface.keepCursorInside()
  }

  package func handle(_ key: Key) -> KeyDisposition {
    switch (key.code, key.modifiers) {
    case (.escape, []), (.character("g"), .control), (.character("c"), .control):
      isDismissed = true
    case (.enter, []), (.up, []), (.character("p"), .control), (.character("f"), .control):
      viewModel.move(1)
    case (.down, []), (.character("n"), .control): viewModel.move(-1)
    default:
      guard let edited = editing.handle(key, text: viewModel.query, cursor: viewModel.cursor)
      else { return .ignored }
      viewModel.edit(edited.text, cursor: edited.cursor)
    }
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition {
    let edited = editing.paste(text, text: viewModel.query, cursor: viewModel.cursor)
    viewModel.edit(edited.text, cursor: edited.cursor)
    return .handled
  }
}
