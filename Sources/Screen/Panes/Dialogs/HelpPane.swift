import Keys
import Terminal
import Text
import ViewModels

/// Draws the help: sections side by side where there is room, stacked otherwise
/// (interface.md, "Screens").
package final class HelpPane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false
  package private(set) var hintLine = HintLine()
  private let viewModel: HelpViewModel
  private let glyphs: Glyphs
  private let editing = FieldEditing()
  // Results of the last drawing.
  private var rowCount = 0
  private var visible = 1
  /// The row of the cursor, for a screen reader, where Up and Down go from row to row.
  private var line = 0

  package init(viewModel: HelpViewModel, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
  }

  package func preferredSize(in size: Size) -> Size { BoxFrame.pageSize(in: size) }

  package func dismiss() {
    viewModel.cancel()
    isDismissed = true
  }

  package func use(_ bindings: KeyBindingTable) { editing.bindings = bindings }

  /// Removes the pane from the screen, for example before the guide is shown.
  package func close() { isDismissed = true }

  // MARK: - Drawing

  package func draw(into surface: inout Surface) {
    let inner = BoxFrame.draw(
      Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      title: viewModel.title, glyphs: glyphs, into: &surface)
    let isWide = inner.size.columns >= 64 && !glyphs.isLinear
    let left = inner.origin.column + (isWide ? 2 : 1)
    let columns = max(1, inner.size.columns - (isWide ? 4 : 2))
    var top = inner.origin.row
    var bottom = inner.origin.row + inner.size.rows
    hintLine.clear()
    if inner.size.rows >= 3 {
      bottom -= 1
      hintLine.draw(
        viewModel.keyHints, row: bottom, column: left, columns: columns,
        isLinear: glyphs.isLinear, into: &surface)
    }
    let footer = viewModel.footer.flatMap { LineWrap.rows(of: $0, width: columns).map(String.init) }
    let footerRows = inner.size.rows >= 14 || viewModel.sections.isEmpty ? footer : []
    for line in footerRows.reversed() {
      bottom -= 1
      surface.write(line, row: bottom, column: left, role: .overlay, limit: columns)
    }
    if inner.size.rows >= 16 {
      top += 1
      bottom -= 1
    }
    if let query = viewModel.query {
      drawQuery(query, row: top, left: left, columns: columns, into: &surface)
      top += 1
    }
    let rows =
      glyphs.isLinear
      ? Self.linearRows(viewModel.sections, columns: columns)
      : Self.rows(
        viewModel.sections, columns: columns, sideBySide: isWide && viewModel.query == nil)
    rowCount = rows.count
    visible = max(1, bottom - top)
    let first = min(viewModel.scroll, max(0, rowCount - visible))
    for (offset, row) in rows.dropFirst(first).prefix(max(0, bottom - top)).enumerated() {
      surface.write(row, row: top + offset, column: left, limit: columns)
    }
    if !viewModel.isTyping {
      line = min(max(first, line), max(first, min(rowCount, first + visible) - 1))
      let row = glyphs.isLinear ? top + line - first : top
      surface.cursor = Point(row: min(row, surface.size.rows - 1), column: left)
    }
    surface.keepCursorInside()
    guard inner.size.rows < surface.size.rows, !glyphs.isLinear else { return }
    let mark = surface.size.columns - 3
    if first > 0 { surface.write("^", row: 0, column: mark, role: .key) }
    if first + visible < rowCount {
      surface.write("v", row: surface.size.rows - 1, column: mark, role: .key)
    }
  }

  private func drawQuery(
    _ query: String, row: Int, left: Int, columns: Int, into surface: inout Surface
  ) {
    let start = surface.write(
      viewModel.searchLabel + " ", row: row, column: left, role: .overlay, limit: columns)
    let width = max(1, left + columns - start)
    let end = surface.writeField(
      query, cursor: viewModel.cursor, row: row, column: start, columns: width, role: .field)
    if viewModel.isTyping { surface.cursor = Point(row: row, column: end) }
  }

  /// All rows of the sections; two of them side by side where `sideBySide`.
  private static func rows(_ sections: [HelpSection], columns: Int, sideBySide: Bool)
    -> [StyledText]
  {
    let gap = 3
    guard sideBySide, sections.count > 1 else {
      return sections.enumerated().flatMap { index, section in
        (index == 0 ? [] : [StyledText()]) + rows(of: section, columns: columns)
      }
    }
    let half = (columns - gap) / 2
    var result: [StyledText] = []
    for index in stride(from: 0, to: sections.count, by: 2) {
      if index > 0 { result.append(StyledText()) }
      let left = rows(of: sections[index], columns: half)
      let right = index + 1 < sections.count ? rows(of: sections[index + 1], columns: half) : []
      for number in 0..<max(left.count, right.count) {
        var row = number < left.count ? left[number] : StyledText()
        if number < right.count {
          row.append(String(repeating: " ", count: half + gap - row.columns), .overlay)
          row.append(right[number])
        }
        result.append(row)
      }
    }
    return result
  }

  /// All rows of the sections for a screen reader: a key, followed by its description.
  private static func linearRows(_ sections: [HelpSection], columns: Int) -> [StyledText] {
    sections.flatMap { section in
      [StyledText(section.heading.truncated(columns: columns), .heading)]
        + section.entries.flatMap { entry in
          LineWrap.rows(of: "\(entry.term): \(entry.text)", width: columns).map {
            StyledText(String($0), .overlay)
          }
        }
    }
  }

  /// Moves the cursor for a screen reader, and scrolls only if it leaves the visible rows.
  private func moveLine(_ step: Int) {
    line = max(0, min(rowCount - 1, line + step))
    let first = min(viewModel.scroll, max(0, rowCount - visible))
    if line < first { viewModel.scroll(by: line - first, rows: rowCount, visible: visible) }
    if line >= first + visible {
      viewModel.scroll(by: line - first - visible + 1, rows: rowCount, visible: visible)
    }
    invalidation.raise()
  }

  private static func rows(of section: HelpSection, columns: Int) -> [StyledText] {
    let longest = section.entries.reduce(0) { max($0, $1.term.columns) }
    let termColumns = min(max(10, longest), max(8, columns * 2 / 5))
    // For two keys in one entry, the gap shrinks before the text does.
    let textColumn = termColumns + (termColumns == 12 ? 1 : 2)
    var rows = [StyledText(section.heading.truncated(columns: columns), .heading)]
    for entry in section.entries {
      let width = max(8, columns - textColumn)
      var term = entry.term
      if term.columns > termColumns {
        rows += Self.rows(ofKeys: term, columns: columns)
        term = ""
      }
      for (index, part) in LineWrap.rows(of: entry.text, width: width).enumerated() {
        var row = StyledText((index == 0 ? term : "").padded(columns: textColumn), .key)
        row.append(String(part), .overlay)
        rows.append(row)
      }
    }
    return rows
  }

  /// Several keys on as many rows as they need: no key is broken, as `^X b` would be at its blank.
  private static func rows(ofKeys term: String, columns: Int) -> [StyledText] {
    var lines: [String] = []
    for key in term.split(separator: ", ") {
      if let last = lines.last, (last + ", " + key).columns < columns {
        lines[lines.count - 1] = last + ", " + key
      } else {
        lines.append(String(key))
      }
    }
    return lines.enumerated().map { index, line in
      let end = index == lines.count - 1 ? "" : ","
      return StyledText((line + end).truncated(columns: columns), .key)
    }
  }

  // MARK: - Input

  package func handle(_ key: Key) -> KeyDisposition {
    if viewModel.isTyping { return handleTyping(key) }
    let before = (viewModel.page, viewModel.scroll)
    defer {
      // Another page is read from its beginning.
      if before.0 != viewModel.page { line = viewModel.scroll }
    }
    switch (key.code, key.modifiers) {
    case (.escape, []), (.character("g"), .control), (.function(1), []), (.character("q"), []):
      let wasSearching = viewModel.query != nil
      viewModel.cancel()
      if !wasSearching { isDismissed = true }
    case (.pageDown, []), (.character(" "), []):
      viewModel.turn(by: 1, rows: rowCount, visible: visible)
      line = viewModel.scroll
    case (.pageUp, []), (.backspace, []):
      viewModel.turn(by: -1, rows: rowCount, visible: visible)
      line = viewModel.scroll
    case (.down, []) where glyphs.isLinear, (.character("j"), []) where glyphs.isLinear:
      moveLine(1)
    case (.up, []) where glyphs.isLinear, (.character("k"), []) where glyphs.isLinear:
      moveLine(-1)
    case (.end, []) where glyphs.isLinear: moveLine(rowCount)
    case (.home, []) where glyphs.isLinear: moveLine(-rowCount)
    case (.down, []), (.character("j"), []):
      viewModel.scroll(by: 1, rows: rowCount, visible: visible)
    case (.up, []), (.character("k"), []):
      viewModel.scroll(by: -1, rows: rowCount, visible: visible)
    case (.right, []), (.tab, []): viewModel.showPage(by: 1)
    case (.left, []), (.tab, .shift): viewModel.showPage(by: -1)
    case (.home, []): viewModel.scroll(by: -rowCount, rows: rowCount, visible: visible)
    case (.end, []): viewModel.scroll(by: rowCount, rows: rowCount, visible: visible)
    case (.character("/"), []), (.character("f"), .control): viewModel.beginSearch()
    case (.character("g"), []):
      isDismissed = true
      viewModel.showGuide()
    // The help is shown again afterwards.
    case (.character("m"), []): viewModel.showManual()
    case (.character, []), (.enter, []): break
    default: return .ignored
    }
    return .handled
  }

  private func handleTyping(_ key: Key) -> KeyDisposition {
    switch (key.code, key.modifiers) {
    case (.escape, []), (.character("g"), .control): viewModel.cancel()
    case (.enter, []), (.tab, []), (.down, []), (.up, []): viewModel.endTyping()
    case (.pageDown, []): viewModel.turn(by: 1, rows: rowCount, visible: visible)
    case (.pageUp, []): viewModel.turn(by: -1, rows: rowCount, visible: visible)
    default:
      guard let edited = editing.handle(key, text: viewModel.query ?? "", cursor: viewModel.cursor)
      else { return .ignored }
      viewModel.edit(edited.text, cursor: edited.cursor)
    }
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition {
    if viewModel.isTyping {
      let edited = editing.paste(text, text: viewModel.query ?? "", cursor: viewModel.cursor)
      viewModel.edit(edited.text, cursor: edited.cursor)
    }
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .wheelUp: viewModel.scroll(by: -1, rows: rowCount, visible: visible)
    case .wheelDown: viewModel.scroll(by: 1, rows: rowCount, visible: visible)
    default: break
    }
    return .handled
  }
}
