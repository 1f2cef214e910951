import Terminal
import Text
import ViewModels

/// The keys that can follow a prefix such as `^X`, shown after a delay (interface.md, "Keys").
package final class WhichKeyPane: Pane {
  package let invalidation = Invalidation()

  /// The keys that change the page.
  var turning = ""

  private let glyphs: Glyphs
  private var title = ""
  private var entries: [HintItem] = []
  private var page = 0
  private var pages = 1
  private var grid = Grid(count: 1, width: 1, room: Size(rows: 1, columns: 80))

  package init(glyphs: Glyphs) { self.glyphs = glyphs }

  func show(title: String, _ entries: [HintItem]) {
    (self.title, self.entries) = (title, entries)
    page = 0
    invalidation.raise()
  }

  /// Shows the next page (`1`) or the previous one (`-1`).
  /// - Returns: whether there is more than one.
  func turn(by step: Int) -> Bool {
    guard pages > 1 else { return false }
    page = (page + step + pages) % pages
    invalidation.raise()
    return true
  }

  /// A box at the bottom of the screen, with as few columns of entries as the height allows.
  /// Entries that do not fit continue on further pages.
  func frame(in size: Size) -> Rect {
    if glyphs.isLinear {
      grid = Grid(listOn: size)
      pages = max(1, (entries.count + grid.capacity - 1) / grid.capacity)
      page = min(page, pages - 1)
      return Rect(row: 0, column: 0, rows: size.rows, columns: size.columns)
    }
    let grid = Grid(
      count: entries.count, width: natural, room: Size(rows: size.rows - 4, columns: size.columns))
    (self.grid, pages) = (grid, max(1, (entries.count + grid.capacity - 1) / grid.capacity))
    page = min(page, pages - 1)
    return Rect(
      row: max(0, size.rows - grid.rows - 3), column: (size.columns - grid.boxWidth) / 2,
      rows: grid.rows + 2, columns: grid.boxWidth)
  }

  /// The columns of the longest entry, with the gap after it.
  private var natural: Int {
    (entries.map { $0.keys.columns + 1 + $0.label.columns }.max() ?? 1) + 2
  }

  /// The arrangement of the entries.
  private struct Grid {
    var rows = 1
    var columns = 1
    var cell = 1
    var boxWidth = 4

    var capacity: Int { max(1, rows * columns) }

    /// The least width of a readable label.
    private static let least = 26
    /// The greatest width of a line that is read at a glance.
    private static let most = 120

    /// One entry per row from the second row on, for a screen reader.
    init(listOn size: Size) {
      rows = max(1, size.rows - 1)
      (cell, boxWidth) = (size.columns, size.columns)
    }

    /// - Parameters:
    ///   - width: the preferred columns of the longest entry.
    ///   - room: the rows for entries, and the columns of the screen.
    init(count: Int, width: Int, room: Size) {
      let rows = max(1, room.rows)
      let outer = max(4, min(room.columns, Self.most))
      let inner = max(1, outer - 4)
      columns = max(1, min(inner / max(1, width), count))
      // Labels are cut only if there are too few rows for whole ones.
      while columns * rows < count, inner / (columns + 1) >= Self.least { columns += 1 }
      cell = columns == 1 ? inner : min(width, inner / columns)
      boxWidth = columns == 1 ? min(outer, max(width, 40) + 4) : columns * cell + 4
      self.rows = max(1, min(rows, (count + columns - 1) / columns))
    }
  }

  package func draw(into surface: inout Surface) {
    surface.fill(
      Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      role: .overlay)
    let title = pages > 1 ? "\(title)   \(page + 1)/\(pages)  \(turning)" : title
    if glyphs.isLinear { return drawList(title, into: &surface) }
    surface.drawBox(glyphs, title: title)
    for (index, entry) in entries.dropFirst(page * grid.capacity).prefix(grid.capacity).enumerated()
    {
      let (row, column) = (1 + index % grid.rows, 2 + index / grid.rows * grid.cell)
      let edge = min(surface.size.columns - 2, column + grid.cell - (grid.columns > 1 ? 2 : 0))
      let end = surface.write(entry.keys, row: row, column: column, role: .key)
      surface.write(
        entry.label.truncated(columns: max(0, edge - end - 1), mark: glyphs.ellipsis),
        row: row, column: end + 1, role: .overlay)
    }
  }

  private func drawList(_ title: String, into surface: inout Surface) {
    surface.writeLinear(
      [(title, .heading)], row: 0, column: 0, limit: surface.size.columns, mark: glyphs.ellipsis)
    surface.cursor = Point(row: 0, column: 0)
    for (row, entry) in entries.dropFirst(page * grid.capacity).prefix(grid.capacity).enumerated() {
      surface.writeLinear(
        [("\(entry.keys): \(entry.label)", .overlay)], row: row + 1, column: 0,
        limit: surface.size.columns, mark: glyphs.ellipsis)
    }
  }
}
