import NatterCore
import Terminal
import Text
import ViewModels

/// The line above the input. A text that is too long for one row takes up to three, or six in a
/// narrow pane, where three rows do not hold a sentence with the way on.
package final class StatusPane: Pane {
  private static let mostRows = 3
  private static let mostNarrowRows = 6
  /// The number of rows of a screen that has room for the latter.
  private static let roomyScreenRows = 15
  /// The number of columns between two items of scripts.
  private static let gap = 2

  private let viewModel: StatusViewModel
  private let glyphs: Glyphs
  private let items: () -> [ScriptStatusBar.Item]
  /// The positions of the keys that a question names.
  private(set) var hintLine = HintLine()

  /// - Parameter items: the items of scripts now. They have what the text and the side leave of its
  ///   last row, and no row of their own.
  package init(
    viewModel: StatusViewModel, glyphs: Glyphs,
    items: @escaping () -> [ScriptStatusBar.Item] = { [] }
  ) {
    self.viewModel = viewModel
    self.glyphs = glyphs
    self.items = items
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  /// The number of rows of its text in `width` columns; 0 when there is none.
  /// - Parameter screenRows: the number of rows of the whole screen.
  func rows(width: Int, screenRows: Int) -> Int {
    let isNarrow = width < ScreenLayout.narrowWidth && screenRows >= Self.roomyScreenRows
    let most = isNarrow ? Self.mostNarrowRows : Self.mostRows
    return viewModel.isEmpty ? 0 : max(1, min(most, lines(width: width).count))
  }

  /// Returns whether all of a text is visible on a screen of so many columns, without a side text.
  package static func fits(_ text: String, columns: Int) -> Bool {
    LineWrap.rows(of: text, width: max(1, columns - 2)).count <= mostRows
  }

  package func draw(into surface: inout Surface) {
    let width = surface.size.columns
    let role: StyleRole =
      switch viewModel.message.level {
      case .info: .statusInfo
      case .warning: .statusWarning
      case .error: .statusError
      }
    noteKeys(width: width, rows: surface.size.rows)
    let (shown, rows) = (lines(width: width), surface.size.rows)
    for (row, line) in shown.prefix(rows).enumerated() {
      // If there are too few rows, the last one shows that there is more.
      let isCut = row == rows - 1 && row < shown.count - 1
      let limit = textWidth(width)
      let text =
        isCut ? (line + glyphs.ellipsis).truncated(columns: limit, mark: glyphs.ellipsis) : line
      surface.write(text, row: row, column: 1, role: role, limit: limit)
    }
    viewModel.appeared()
    let side = viewModel.side
    guard glyphs.isLinear else {
      surface.write(
        side, row: rows - 1, column: max(0, width - 1 - side.columns), role: .badge)
      // A text that goes on has the whole row.
      guard shown.count <= rows else { return }
      let used = shown.count == rows ? shown.last?.columns ?? 0 : 0
      drawItems(
        from: used == 0 ? 1 : used + Self.gap + 1, upTo: textWidth(width) + 1, isAtEnd: used > 0,
        row: rows - 1, &surface)
      return
    }
    let last = min(shown.count, rows)
    let end = shown.dropFirst(max(0, last - 1)).first?.columns ?? -2
    let (row, column) = (max(0, last - 1), 1 + end + Self.gap)
    let sideEnd = surface.write(side, row: row, column: column, role: .badge)
    drawItems(
      from: side.isEmpty ? column : sideEnd + Self.gap, upTo: width - 1, isAtEnd: false, row: row,
      &surface)
    for row in 0..<last { surface.announce(row: row, number: viewModel.number) }
  }

  /// Draws the items of scripts that fit between two columns, in their order.
  /// - Parameter isAtEnd: whether they are at the end of that space, away from a text.
  private func drawItems(
    from start: Int, upTo end: Int, isAtEnd: Bool, row: Int, _ surface: inout Surface
  ) {
    var fitting: [(text: String, role: StyleRole)] = []
    var width = 0
    for item in items() {
      let text = item.text.truncated(columns: ScriptStatusItem.width, mark: glyphs.ellipsis)
      let more = text.columns + (fitting.isEmpty ? 0 : Self.gap)
      guard start + width + more <= end else { continue }
      fitting.append((text, item.role.style))
      width += more
    }
    var column = isAtEnd ? end - width : start
    for item in fitting {
      column = surface.write(item.text, row: row, column: column, role: item.role) + Self.gap
    }
  }

  /// Returns whether the text at the right, which reports hidden messages below, is at `point`.
  func isSide(_ point: Point, in size: Size) -> Bool {
    let columns = viewModel.side.columns
    return columns > 0 && point.row == size.rows - 1
      && (size.columns - 1 - columns..<size.columns - 1).contains(point.column)
  }

  // Only for Natter's own questions: a message may name keys as well.
  private func noteKeys(width: Int, rows: Int) {
    hintLine.clear()
    guard viewModel.asks else { return }
    let text = viewModel.message.text
    let start = text.lastIndex { "(（".contains($0) } ?? text.startIndex
    for (row, line) in LineWrap.rows(of: text, width: textWidth(width)).prefix(rows).enumerated() {
      for part in line.split(whereSeparator: { ":,：，、(（".contains($0) })
      where part.startIndex >= start {
        let word = part.drop { $0 == " " || $0 == "\u{a0}" }
        guard !word.isEmpty else { continue }
        let column = 1 + line[..<word.startIndex].columns
        hintLine.add(String(word), row: row, column: column)
      }
    }
  }

  private func textWidth(_ width: Int) -> Int {
    let side = viewModel.side.columns
    return max(1, width - 2 - (side == 0 ? 0 : side + 2))
  }

  private func lines(width: Int) -> [String] {
    let text = viewModel.message.text
    guard !text.isEmpty else { return [] }
    return LineWrap.rows(of: text, width: textWidth(width)).map(String.init)
  }
}
