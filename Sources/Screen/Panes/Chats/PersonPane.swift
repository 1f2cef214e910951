import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// The details of the open conversation's contact, beside it or above it.
package final class PersonPane: Pane {
  private let viewModel: PersonViewModel
  private let frame: ShellFrame
  private var top = 0
  /// The row of the cursor, for a screen reader, where Up and Down go from row to row.
  private var line = 0
  /// The number of rows at the last drawing, and how many of them fit.
  private var drawn = (rows: 0, room: 0)

  package init(viewModel: PersonViewModel, frame: ShellFrame) {
    self.viewModel = viewModel
    self.frame = frame
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let glyphs = frame.glyphs
    surface.fill(Rect(row: 0, column: 0, rows: size.rows, columns: size.columns), role: .sidebar)
    for row in 0..<size.rows {
      surface.write(glyphs.vertical, row: row, column: 0, role: .border)
    }
    let end = surface.write(
      (viewModel.isFocused ? glyphs.marker : " ") + viewModel.title, row: 0, column: 1,
      role: .heading, limit: size.columns - 1)
    surface.write(
      frame.keys(of: .toggleDetails), row: 0, column: end + 2, role: .dim,
      limit: max(0, size.columns - end - 2))
    let rows = rows(columns: max(1, size.columns - 3))
    let room = max(0, size.rows - 2)
    drawn = (rows.count, room)
    top = max(0, min(top, rows.count - room))
    for (offset, row) in rows.dropFirst(top).prefix(room).enumerated() {
      surface.write(row, row: offset + 2, column: 2, limit: size.columns - 3)
    }
    line = max(top, min(line, min(rows.count, top + max(1, room)) - 1))
    guard viewModel.isFocused else { return }
    surface.cursor =
      glyphs.isLinear && room > 0 && !rows.isEmpty
      ? Point(row: 2 + line - top, column: 2) : Point(row: 0, column: 1)
  }

  private func rows(columns: Int) -> [StyledText] {
    var rows: [StyledText] = []
    var before: PersonLine.LineKind?
    for line in viewModel.lines {
      // A blank row before each new part.
      if line.kind == .heading || line.kind == .term || before == .text && line.kind != .text {
        if !rows.isEmpty { rows.append(StyledText()) }
      }
      rows += wrapped(line, columns: columns).map { StyledText($0, role(of: line.kind)) }
      before = line.kind
    }
    return rows
  }

  private func wrapped(_ line: PersonLine, columns: Int) -> [String] {
    // A file is one row, however long its name is.
    if line.kind == .file {
      return [line.text.truncated(columns: columns, mark: frame.glyphs.ellipsis)]
    }
    return LineWrap.rows(of: line.text, width: columns).map(String.init)
  }

  private func role(of kind: PersonLine.LineKind) -> StyleRole {
    switch kind {
    case .name: .strong
    case .address, .status, .term: .dim
    case .presence(let availability): .presence(availability)
    case .warning: .statusWarning
    case .heading: .heading
    case .text, .file: .plain
    }
  }

  /// Scrolls by rows; `.min` and `.max` go to its ends.
  func scroll(by step: Int) {
    let most = max(0, drawn.rows - drawn.room)
    if frame.glyphs.isLinear {
      let last = max(0, drawn.rows - 1)
      line = step == .min ? 0 : step == .max ? last : max(0, min(last, line + step))
      top = max(min(top, line), line - max(1, drawn.room) + 1)
      return invalidation.raise()
    }
    let next = step == .min ? 0 : step == .max ? most : max(0, min(most, top + step))
    guard next != top else { return }
    top = next
    invalidation.raise()
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .wheelUp: scroll(by: -3)
    case .wheelDown: scroll(by: 3)
    default: return .ignored
    }
    return .handled
  }
}
