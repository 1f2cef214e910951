import Terminal
import ViewModels

/// What may follow `^X`: shown when somebody waits before the second key (UX.md 2.4).
package final class WhichKeyPane: Pane {
  package let invalidation = Invalidation()

  private let glyphs: Glyphs
  private var title = ""
  private var entries: [HintItem] = []

  package init(glyphs: Glyphs) { self.glyphs = glyphs }

  func show(title: String, _ entries: [HintItem]) {
    (self.title, self.entries) = (title, entries)
    invalidation.raise()
  }

  /// As many columns of entries as fit, in a box at the bottom of the screen.
  func frame(in size: Size) -> Rect {
    let columns = min(size.columns, 80)
    let rows = min(max(3, size.rows - 2), rowCount(columns) + 2)
    return Rect(
      row: max(0, size.rows - rows - 1), column: (size.columns - columns) / 2, rows: rows,
      columns: columns)
  }

  private static let mostInOneColumn = 16

  private var cellWidth: Int {
    let natural = (entries.map { $0.keys.columns + 1 + $0.label.columns }.max() ?? 1) + 2
    // Many of them go into two columns, if need be with their ends cut off.
    return entries.count > Self.mostInOneColumn ? min(natural, 38) : natural
  }

  private func rowCount(_ columns: Int) -> Int {
    let perRow = max(1, (columns - 4) / cellWidth)
    return (entries.count + perRow - 1) / perRow
  }

  package func draw(into surface: inout Surface) {
    surface.fill(
      Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      role: .overlay)
    surface.drawBox(glyphs, title: title)
    let rows = max(1, surface.size.rows - 2)
    for (index, entry) in entries.enumerated() {
      let column = 2 + index / rows * cellWidth
      guard column < surface.size.columns - 2 else { return }
      let end = surface.write(entry.keys, row: 1 + index % rows, column: column, role: .key)
      surface.write(
        entry.label.truncated(
          columns: max(0, min(surface.size.columns - 2, column + cellWidth) - end - 2),
          mark: glyphs.ellipsis),
        row: 1 + index % rows, column: end + 1, role: .overlay)
    }
  }
}
