import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// Draws a pane of a script: its lines, broken at the edge, and its keys.
package final class ScriptTextPane: OverlayPane {
  /// A row of a line.
  private struct Row {
    let line: Int
    let text: StyledText
  }

  package var invalidation: Invalidation { viewModel.invalidation }
  package var isDismissed: Bool { viewModel.isClosed }
  package private(set) var hintLine = HintLine()
  private let viewModel: ScriptPaneViewModel
  private let glyphs: Glyphs
  /// The rows of the last drawing, and what they were made of.
  private var rows: [Row] = []
  private var made: (version: Int, columns: Int)?
  private var top = 0
  private var visible = 1
  /// The selected line of the last drawing.
  private var shownLine: Int?

  package init(viewModel: ScriptPaneViewModel, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
  }

  package func preferredSize(in size: Size) -> Size { BoxFrame.pageSize(in: size) }

  package func dismiss() { viewModel.close() }

  // MARK: - Drawing

  package func draw(into surface: inout Surface) {
    let inner = BoxFrame.draw(
      Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      title: viewModel.title, glyphs: glyphs, into: &surface)
    let left = inner.origin.column + 1
    let columns = max(1, inner.size.columns - 2)
    var bottom = inner.origin.row + inner.size.rows
    let hasHints = inner.size.rows >= 3
    if hasHints { bottom -= 1 }
    makeRows(columns)
    visible = max(1, bottom - inner.origin.row)
    hintLine.clear()
    if hasHints {
      hintLine.draw(
        viewModel.hints(scrolls: rows.count > visible), row: bottom, column: left,
        columns: columns, isLinear: glyphs.isLinear, into: &surface)
    }
    showSelection()
    top = max(0, min(top, rows.count - visible))
    for (offset, row) in rows.dropFirst(top).prefix(visible).enumerated() {
      let position = inner.origin.row + offset
      surface.write(row.text, row: position, column: left, limit: columns)
      guard viewModel.isList, row.line == viewModel.selected else { continue }
      let frame = Rect(row: position, column: left, rows: 1, columns: columns)
      surface.restyle(frame, role: .selection)
    }
    let selected = viewModel.isList ? rows.firstIndex { $0.line == viewModel.selected } : nil
    surface.cursor = Point(
      row: inner.origin.row + max(0, min((selected ?? top) - top, visible - 1)), column: left)
    surface.keepCursorInside()
    guard inner.size.rows < surface.size.rows, !glyphs.isLinear else { return }
    let mark = surface.size.columns - 3
    if top > 0 { surface.write("^", row: 0, column: mark, role: .key) }
    if top + visible < rows.count {
      surface.write("v", row: surface.size.rows - 1, column: mark, role: .key)
    }
  }

  private func makeRows(_ columns: Int) {
    if let placeholder = viewModel.placeholder {
      rows = LineWrap.rows(of: placeholder, width: columns).map {
        Row(line: 0, text: StyledText(String($0), .dim))
      }
      made = nil
      return
    }
    if let made, made == (viewModel.version, columns) { return }
    made = (viewModel.version, columns)
    rows = viewModel.lines.enumerated().flatMap { index, parts in
      let text = StyledText(runs: parts.map { StyledText.Run($0.text, $0.role.paneStyle) })
      return text.wrapped(width: columns).map { Row(line: index, text: $0) }
    }
  }

  /// Scrolls to the selected line, when it is another one.
  private func showSelection() {
    guard viewModel.isList else {
      shownLine = nil
      return
    }
    guard shownLine != viewModel.selected else { return }
    shownLine = viewModel.selected
    guard let first = rows.firstIndex(where: { $0.line == viewModel.selected }),
      let last = rows.lastIndex(where: { $0.line == viewModel.selected })
    else { return }
    if last >= top + visible { top = last - visible + 1 }
    if first < top { top = first }
  }

  // MARK: - Input

  package func handle(_ key: Key) -> KeyDisposition {
    if case .character(let character) = key.code, key.modifiers == [], viewModel.press(character) {
      return .handled
    }
    switch (key.code, key.modifiers) {
    case (.escape, []), (.character("g"), .control), (.character("q"), []): viewModel.close()
    case (.down, []), (.character("j"), []): move(1)
    case (.up, []), (.character("k"), []): move(-1)
    case (.pageDown, []), (.character(" "), []): move(max(1, visible - 1))
    case (.pageUp, []), (.backspace, []): move(-max(1, visible - 1))
    case (.home, []): move(-rows.count)
    case (.end, []): move(rows.count)
    case (.character, []), (.enter, []): break
    default: return .ignored
    }
    return .handled
  }

  private func move(_ step: Int) {
    guard !viewModel.isList else { return viewModel.moveSelection(step) }
    let wanted = max(0, min(top + step, rows.count - visible))
    guard wanted != top else { return }
    top = wanted
    invalidation.raise()
  }

  package func handlePaste(_ text: String) -> KeyDisposition { .handled }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .wheelUp: move(-1)
    case .wheelDown: move(1)
    default: break
    }
    return .handled
  }
}
