import Terminal
import Text
import ViewModels

/// The candidates of a completion, in a box above the input.
package final class CompletionPopup: Pane {
  private static let mostRows = 8

  /// Raised by the input's view model too: the coordinator shows this pane only while there are
  /// candidates.
  package let invalidation = Invalidation()

  private let viewModel: InputViewModel
  private let glyphs: Glyphs
  /// The candidate in the first row, and the number of rows, at the last drawing.
  private var shownFirst = 0
  private var shownRows = 0

  package init(viewModel: InputViewModel, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
  }

  /// Its preferred size; `nil` when there are no candidates.
  func preferredSize(limit: Size) -> Size? {
    guard let completion = viewModel.completion, limit.rows >= 3, limit.columns >= 12 else {
      return nil
    }
    let items = completion.items
    if glyphs.isLinear {
      return Size(rows: min(items.count, Self.mostRows, limit.rows), columns: limit.columns)
    }
    let texts = items.map(\.text.columns).max() ?? 0
    let details = items.map(\.detail.columns).max() ?? 0
    let rows = min(items.count, Self.mostRows, limit.rows - 2)
    let position =
      items.count > rows ? Self.position(items.count, of: items.count).utf8.count + 4 : 0
    return Size(
      rows: rows + 2,
      columns: min(limit.columns, max(position, texts + (details == 0 ? 0 : details + 2) + 5)))
  }

  /// Its frame on the screen, above the input; `nil` when there are no candidates.
  func frame(above input: Rect) -> Rect? {
    preferredSize(limit: Size(rows: input.origin.row - 1, columns: input.size.columns)).map {
      Rect(
        row: input.origin.row - $0.rows, column: input.origin.column, rows: $0.rows,
        columns: $0.columns)
    }
  }

  private func first(of completion: Completion, rows: Int) -> Int {
    max(0, min(completion.index - rows / 2, completion.items.count - rows))
  }

  /// A click chooses its candidate, the wheel moves the selection; no event reaches the panes
  /// below.
  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .press where mouse.button == 1:
      let row = mouse.at.row - (glyphs.isLinear ? 0 : 1)
      if (0..<shownRows).contains(row) { viewModel.choose(candidate: shownFirst + row) }
    case .wheelUp: viewModel.complete(backwards: true)
    case .wheelDown: viewModel.complete()
    default: break
    }
    return .handled
  }

  /// One candidate a row, followed by its details, for a screen reader.
  private func drawList(of completion: Completion, into surface: inout Surface) {
    let size = surface.size
    let first = first(of: completion, rows: size.rows)
    (shownFirst, shownRows) = (first, size.rows)
    surface.fill(
      Rect(row: 0, column: 0, rows: size.rows, columns: size.columns), role: .completion)
    for (row, item) in completion.items.dropFirst(first).prefix(size.rows).enumerated() {
      let isSelected = first + row == completion.index
      if isSelected { surface.write(glyphs.marker, row: row, column: 1, role: .completion) }
      surface.writeLinear(
        [(item.text, .completion), (item.detail, .completion)], row: row, column: 3,
        limit: size.columns - 4, mark: glyphs.ellipsis)
      guard isSelected else { continue }
      surface.restyle(
        Rect(row: row, column: 0, rows: 1, columns: size.columns), role: .completionSelected)
    }
  }

  private static func position(_ number: Int, of count: Int) -> String { " \(number)/\(count) " }

  /// The position of the selected candidate, if there are more than fit.
  private func drawPosition(in completion: Completion, into surface: inout Surface) {
    let size = surface.size
    let position = Self.position(completion.index + 1, of: completion.items.count)
    guard completion.items.count > size.rows - 2, position.utf8.count + 4 <= size.columns else {
      return
    }
    surface.write(
      position, row: size.rows - 1, column: size.columns - position.utf8.count - 2, role: .border)
  }

  package func draw(into surface: inout Surface) {
    guard let completion = viewModel.completion else { return }
    let size = surface.size
    if glyphs.isLinear { return drawList(of: completion, into: &surface) }
    surface.drawBox(glyphs)
    drawPosition(in: completion, into: &surface)
    let count = size.rows - 2
    let first = first(of: completion, rows: count)
    (shownFirst, shownRows) = (first, count)
    let texts = min(
      completion.items.map(\.text.columns).max() ?? 0, max(1, size.columns - 5))
    for offset in 0..<max(0, count) where first + offset < completion.items.count {
      let item = completion.items[first + offset]
      let isSelected = first + offset == completion.index
      let row = 1 + offset
      surface.fill(
        Rect(row: row, column: 1, rows: 1, columns: size.columns - 2), role: .completion)
      if isSelected { surface.write(glyphs.marker, row: row, column: 1, role: .completion) }
      surface.write(
        item.text.truncated(columns: texts, mark: glyphs.ellipsis), row: row, column: 3,
        role: .completion)
      let room = size.columns - 2 - (3 + texts + 2)
      if room > 3 {
        surface.write(
          item.detail.truncated(columns: room, mark: glyphs.ellipsis), row: row,
          column: 3 + texts + 2, role: .completion)
      }
      if isSelected {
        surface.restyle(
          Rect(row: row, column: 1, rows: 1, columns: size.columns - 2), role: .completionSelected)
      }
    }
  }
}

extension Surface {
  /// Draws a border around the whole surface, with `title` in its top row.
  mutating func drawBox(_ glyphs: Glyphs, title: String = "", role: StyleRole = .border) {
    guard size.rows >= 2, size.columns >= 2, glyphs.corners.count == 4 else { return }
    let line = String(repeating: glyphs.horizontal, count: size.columns - 2)
    write(glyphs.corners[0] + line + glyphs.corners[1], row: 0, column: 0, role: role)
    write(glyphs.corners[2] + line + glyphs.corners[3], row: size.rows - 1, column: 0, role: role)
    for row in 1..<max(1, size.rows - 1) {
      write(glyphs.vertical, row: row, column: 0, role: role)
      write(glyphs.vertical, row: row, column: size.columns - 1, role: role)
    }
    guard !title.isEmpty, size.columns > 6 else { return }
    write(
      " " + title.truncated(columns: size.columns - 6, mark: glyphs.ellipsis) + " ", row: 0,
      column: 2, role: .heading)
  }
}
