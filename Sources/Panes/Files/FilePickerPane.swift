import NatterCore
import Terminal
import ViewModels

/// Draws the list that files are chosen from: the folder, what is typed, the files, and what the selected one looks like.
package final class FilePickerPane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false

  private let viewModel: FilePickerViewModel
  private let glyphs: Glyphs
  private let localizer: Localizer
  private let pictures: PictureBoard
  private let editing = FieldEditing()
  private var scroll = ListScroll()
  private var firstRow = 0
  private var rows = 0
  /// Whether the last key went through the list and not into what is typed.
  private var hasMoved = false

  package init(
    viewModel: FilePickerViewModel, glyphs: Glyphs, localizer: Localizer,
    pictures: PictureBoard = PictureBoard()
  ) {
    self.pictures = pictures
    self.viewModel = viewModel
    self.glyphs = glyphs
    self.localizer = localizer
  }

  package func preferredSize(in size: Size) -> Size {
    size.columns < 60
      ? Size(rows: max(5, size.rows - 1), columns: size.columns)
      : Size(rows: max(5, size.rows - 4), columns: min(size.columns - 8, 110))
  }

  package func dismiss() {
    isDismissed = true
    viewModel.cancel()
  }

  // MARK: Drawing

  package func draw(into surface: inout Surface) {
    let mark = glyphs.ellipsis
    let inner = BoxFrame.draw(
      Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      title: viewModel.title, glyphs: glyphs, into: &surface)
    let left = inner.origin.column + 1
    let columns = max(1, inner.size.columns - 2)
    var top = inner.origin.row
    var bottom = top + inner.size.rows
    drawHead(row: top, left: left, columns: columns, into: &surface)
    drawQuery(row: top + 1, left: left, columns: columns, into: &surface)
    top += inner.size.rows >= 10 ? 3 : 2
    if inner.size.rows >= 6 {
      bottom -= 1
      surface.write(
        BoxFrame.hintLine(viewModel.hints, columns: columns), row: bottom, column: left,
        role: .dim, limit: columns)
      if inner.size.rows >= 12 { bottom -= 1 }
    }
    let isWide = columns >= 64
    let listColumns = isWide ? columns * 3 / 5 - 1 : columns
    if isWide {
      for row in top..<max(top, bottom) {
        surface.write(glyphs.vertical, row: row, column: left + listColumns + 1, role: .border)
      }
      drawPreview(
        Rect(
          row: top, column: left + listColumns + 3, rows: bottom - top,
          columns: columns - listColumns - 3), into: &surface)
    } else if bottom - top >= 14 {
      let height = min(8, (bottom - top) / 3)
      bottom -= height + 1
      surface.write(
        String(repeating: glyphs.horizontal, count: columns), row: bottom, column: left,
        role: .border)
      drawPreview(
        Rect(row: bottom + 1, column: left, rows: height, columns: columns), into: &surface)
    }
    (firstRow, rows) = (top, max(0, bottom - top))
    scroll.show(viewModel.selected, of: viewModel.count, rows: rows)
    for (offset, item) in viewModel.items(scroll.top..<scroll.top + rows).enumerated() {
      draw(item, row: top + offset, left: left, columns: listColumns, into: &surface)
    }
    if !viewModel.message.isEmpty {
      let lines = LineWrap.rows(of: viewModel.message, width: max(1, listColumns - 2))
      for (offset, line) in lines.enumerated() where top + viewModel.count + offset < bottom {
        surface.write(
          String(line).truncated(columns: listColumns - 2, mark: mark),
          row: top + viewModel.count + offset, column: left + 2, role: .dim)
      }
    }
    surface.keepCursorInside()
  }

  private func drawHead(row: Int, left: Int, columns: Int, into surface: inout Surface) {
    let marked = viewModel.markedText
    let room = max(1, columns - (marked.isEmpty ? 0 : marked.columns + 2))
    // The end of a path says more than its beginning.
    var path = Substring(viewModel.folder)
    while path.columns > room - 1, path.count > 1 { path.removeFirst() }
    let isCut = path.startIndex != viewModel.folder.startIndex
    surface.write(
      (isCut ? glyphs.ellipsis : "") + String(path), row: row, column: left, role: .strong,
      limit: room)
    surface.write(marked, row: row, column: left + columns - marked.columns, role: .statusInfo)
  }

  private func drawQuery(row: Int, left: Int, columns: Int, into surface: inout Surface) {
    let start = surface.write(glyphs.marker + " ", row: row, column: left, role: .key)
    let width = max(1, left + columns - start)
    var before = Substring(viewModel.query.prefix(viewModel.cursor))
    while before.columns > width - 1, !before.isEmpty { before.removeFirst() }
    surface.write(
      (before + String(viewModel.query.dropFirst(viewModel.cursor))).padded(columns: width),
      row: row, column: start, role: .field, limit: width)
    surface.cursor = Point(row: row, column: start + before.columns)
  }

  private func draw(
    _ item: PickerItem, row: Int, left: Int, columns: Int, into surface: inout Surface
  ) {
    if item.isSelected { surface.write(glyphs.marker, row: row, column: left, role: .strong) }
    if item.isMarked { surface.write("*", row: row, column: left + 1, role: .key) }
    let size = item.size.columns
    let room = max(1, columns - 3 - (size == 0 ? 0 : size + 1))
    surface.write(
      SafeText.line(item.name).truncated(columns: room, mark: glyphs.ellipsis), row: row,
      column: left + 3, role: item.isFolder ? .strong : .overlay, limit: room)
    surface.write(item.size, row: row, column: left + columns - size, role: .dim)
    guard item.isSelected else { return }
    surface.restyle(Rect(row: row, column: left, rows: 1, columns: columns), role: .selection)
    // What is read aloud is where the cursor stands.
    if glyphs.isLinear, hasMoved { surface.cursor = Point(row: row, column: left + 3) }
  }

  private func drawPreview(_ rect: Rect, into surface: inout Surface) {
    guard let preview = viewModel.preview else { return }
    PreviewDrawing(preview: preview, localizer: localizer, glyphs: glyphs, pictures: pictures)
      .draw(in: rect, for: invalidation, into: &surface)
  }

  // MARK: Input

  package func handle(_ key: Key) -> KeyDisposition {
    let query = viewModel.query
    defer { hasMoved = viewModel.query == query }
    switch (key.code, key.modifiers) {
    case (.escape, []), (.character("g"), .control), (.character("c"), .control): dismiss()
    case (.enter, []): viewModel.open()
    case (.character(" "), []): viewModel.toggleMark()
    case (.character("."), .alt): viewModel.toggleHidden()
    case (.down, []), (.character("n"), .control): viewModel.moveSelection(1)
    case (.up, []), (.character("p"), .control): viewModel.moveSelection(-1)
    case (.pageDown, []): viewModel.moveSelection(max(2, rows - 1))
    case (.pageUp, []): viewModel.moveSelection(-max(2, rows - 1))
    case (.home, .control): viewModel.moveSelection(.min)
    case (.end, .control): viewModel.moveSelection(.max)
    case (.tab, []): viewModel.openFolder()
    case (.backspace, []) where query.isEmpty, (.left, []) where query.isEmpty: viewModel.goUp()
    case (.right, []) where query.isEmpty: viewModel.openFolder()
    default:
      guard let edited = editing.handle(key, text: query, cursor: viewModel.cursor)
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
      let row = mouse.at.row - firstRow
      guard (0..<rows).contains(row), scroll.top + row < viewModel.count else { return .handled }
      // The first click selects, the second one opens.
      if scroll.top + row == viewModel.selected {
        viewModel.open()
      } else {
        viewModel.select(scroll.top + row)
      }
    case .wheelUp: viewModel.moveSelection(-1)
    case .wheelDown: viewModel.moveSelection(1)
    default: break
    }
    return .handled
  }
}
