import Terminal
import ViewModels

/// Draws the palette: what is typed on top, what it can mean below.
package final class PalettePane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false

  private let viewModel: PaletteViewModel
  private let glyphs: Glyphs
  private let editing = FieldEditing()
  private var scroll = ListScroll()
  private var shown: [PaletteItem] = []
  /// Whether the last key went through the list and not into the query.
  private var hasMoved = false
  private var firstRow = 0

  package init(viewModel: PaletteViewModel, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
  }

  package func preferredSize(in size: Size) -> Size {
    size.columns < 60
      ? Size(rows: max(5, size.rows - 1), columns: size.columns)
      : Size(rows: min(size.rows - 4, 20), columns: min(size.columns - 16, 84))
  }

  // It does not jump up and down while it is typed into.
  package func frame(in size: Size) -> Rect {
    let wanted = preferredSize(in: size)
    let rows = min(max(1, wanted.rows), size.rows)
    let columns = min(max(1, wanted.columns), size.columns)
    return Rect(
      row: size.columns < 60 ? 0 : min(2, size.rows - rows), column: (size.columns - columns) / 2,
      rows: rows, columns: columns)
  }

  package func dismiss() { isDismissed = true }

  package func draw(into surface: inout Surface) {
    let inner = BoxFrame.draw(
      Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      title: viewModel.title, glyphs: glyphs, into: &surface)
    let left = inner.origin.column + 1
    let columns = max(1, inner.size.columns - 2)
    var top = inner.origin.row
    let start = surface.write(glyphs.marker + " ", row: top, column: left, role: .key)
    let width = max(1, left + columns - start)
    var before = Substring(viewModel.query.prefix(viewModel.cursor))
    while before.columns > width - 1, !before.isEmpty { before.removeFirst() }
    surface.write(
      (before + String(viewModel.query.dropFirst(viewModel.cursor))).padded(columns: width),
      row: top, column: start, role: .field, limit: width)
    surface.cursor = Point(row: top, column: start + before.columns)
    top += inner.size.rows >= 8 ? 2 : 1
    var bottom = inner.origin.row + inner.size.rows
    if inner.size.rows >= 6 {
      bottom -= 1
      surface.write(
        BoxFrame.hintLine(viewModel.hints, columns: columns), row: bottom, column: left,
        role: .dim, limit: columns)
    }
    firstRow = top
    let items = viewModel.items
    let rows = max(0, bottom - top)
    scroll.show(items.firstIndex(where: \.isSelected), of: items.count, rows: rows)
    shown = Array(items.dropFirst(scroll.top).prefix(rows))
    if items.isEmpty {
      surface.write(viewModel.emptyText, row: top, column: left + 2, role: .dim, limit: columns - 2)
    }
    for (offset, item) in shown.enumerated() {
      draw(item, row: top + offset, left: left, columns: columns, into: &surface)
      // What is read aloud is where the cursor stands.
      if glyphs.isLinear, item.isSelected, hasMoved {
        surface.cursor = Point(row: top + offset, column: left + 4)
      }
    }
    surface.keepCursorInside()
  }

  private func draw(
    _ item: PaletteItem, row: Int, left: Int, columns: Int, into surface: inout Surface
  ) {
    let keys = item.keys.columns
    let room = max(0, columns - 4 - (keys == 0 ? 0 : keys + 1))
    if item.isSelected { surface.write(glyphs.marker, row: row, column: left, role: .strong) }
    surface.write(item.sign, row: row, column: left + 2, role: .dim)
    let end = surface.write(
      item.title.truncated(columns: room, mark: glyphs.ellipsis), row: row, column: left + 4,
      role: .overlay, limit: room)
    let rest = left + 4 + room - end - 2
    if rest >= 6 {
      surface.write(
        item.detail.truncated(columns: rest, mark: glyphs.ellipsis), row: row, column: end + 2,
        role: .dim, limit: rest)
    }
    surface.write(item.keys, row: row, column: left + columns - keys, role: .key)
    if item.isSelected {
      surface.restyle(Rect(row: row, column: left, rows: 1, columns: columns), role: .selection)
    }
  }

  package func handle(_ key: Key) -> KeyDisposition {
    let query = viewModel.query
    defer { hasMoved = viewModel.query == query }
    switch (key.code, key.modifiers) {
    case (.escape, []), (.character("g"), .control), (.character("c"), .control),
      (.character("o"), .control):
      isDismissed = true
    case (.enter, []):
      // First away with it: what is run may show something of its own.
      isDismissed = true
      isDismissed = viewModel.run()
    case (.down, []), (.character("n"), .control), (.tab, []): viewModel.moveSelection(1)
    case (.up, []), (.character("p"), .control), (.tab, .shift): viewModel.moveSelection(-1)
    case (.pageDown, []): viewModel.moveSelection(max(2, shown.count - 1))
    case (.pageUp, []): viewModel.moveSelection(-max(2, shown.count - 1))
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

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .press where mouse.button == 1:
      let index = mouse.at.row - firstRow
      guard shown.indices.contains(index) else { return .handled }
      viewModel.select(shown[index].id)
      isDismissed = viewModel.run()
    case .wheelUp: viewModel.moveSelection(-1)
    case .wheelDown: viewModel.moveSelection(1)
    default: break
    }
    return .handled
  }
}
