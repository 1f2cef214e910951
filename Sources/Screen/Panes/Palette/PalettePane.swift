import Keys
import Terminal
import Text
import ViewModels

/// Draws the palette: the query on top, the matches below.
package final class PalettePane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false
  package var hintLine: HintLine { list.hintLine }

  private let viewModel: PaletteViewModel
  private let glyphs: Glyphs
  private var list: OverlayList

  package init(viewModel: PaletteViewModel, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
    list = OverlayList(glyphs: glyphs)
  }

  package func preferredSize(in size: Size) -> Size {
    size.columns < 60
      ? Size(rows: max(5, size.rows - 1), columns: size.columns)
      : Size(rows: min(size.rows - 4, 20), columns: min(size.columns - 16, 84))
  }

  // Its upper edge does not move while the query changes.
  package func frame(in size: Size) -> Rect {
    let wanted = preferredSize(in: size)
    let rows = min(max(1, wanted.rows), size.rows)
    let columns = min(max(1, wanted.columns), size.columns)
    return Rect(
      row: size.columns < 60 ? 0 : min(2, size.rows - rows), column: (size.columns - columns) / 2,
      rows: rows, columns: columns)
  }

  package func use(_ bindings: KeyBindingTable) { list.use(bindings) }

  package func dismiss() { isDismissed = true }

  package func draw(into surface: inout Surface) {
    let inner = list.drawBox(viewModel, into: &surface)
    let (top, left, columns) = (inner.origin.row, inner.origin.column, inner.size.columns)
    list.drawLine(viewModel, row: top, left: left, columns: columns, into: &surface)
    let gap = inner.size.rows >= 7 ? 2 : 1
    let items = viewModel.items
    if items.isEmpty {
      let rows = LineWrap.rows(of: viewModel.emptyText, width: max(8, columns - 2))
      for (offset, text) in rows.prefix(max(0, inner.size.rows - gap)).enumerated() {
        surface.write(String(text), row: top + gap + offset, column: left + 2, role: .dim)
      }
    }
    let area = Rect(
      row: top + gap, column: left, rows: max(0, inner.size.rows - gap), columns: columns)
    list.drawRows(viewModel, in: area, textColumn: glyphs.isLinear ? 0 : 4, into: &surface) {
      index, row, surface in
      draw(items[index], row: row, left: left, columns: columns, into: &surface)
    }
    surface.keepCursorInside()
  }

  private func draw(
    _ item: PaletteItem, row: Int, left: Int, columns: Int, into surface: inout Surface
  ) {
    if glyphs.isLinear {
      let parts = [
        (item.glyph.isEmpty ? item.title : item.glyph + " " + item.title, StyleRole.overlay),
        (item.detail, .dim), (item.keys, .key),
      ]
      surface.writeLinear(
        parts, row: row, column: left + 2, limit: columns - 2, mark: glyphs.ellipsis)
      return
    }
    let keys = item.keys.columns
    let room = max(0, columns - 4 - (keys == 0 ? 0 : keys + 1))
    surface.write(item.glyph, row: row, column: left + 2, role: .dim)
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
  }

  package func handle(_ key: Key) -> KeyDisposition {
    switch (key.code, key.modifiers) {
    case _ where OverlayList.closes(key), (.character("o"), .control): isDismissed = true
    case (.enter, []): run()
    case (.tab, []): return list.take(Key(.down), for: viewModel)
    case (.tab, .shift): return list.take(Key(.up), for: viewModel)
    default: return list.take(key, for: viewModel)
    }
    return .handled
  }

  private func run() {
    // Dismissed first: the entry may show something itself.
    isDismissed = true
    isDismissed = viewModel.run()
  }

  package func handlePaste(_ text: String) -> KeyDisposition { list.paste(text, into: viewModel) }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    if let index = list.pressed(mouse, in: viewModel) {
      viewModel.select(viewModel.items[index].id)
      run()
    }
    return .handled
  }
}
