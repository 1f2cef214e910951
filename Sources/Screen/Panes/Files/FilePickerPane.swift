import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// Draws the file picker: the folder, the query, the files, and a preview of the selected one.
package final class FilePickerPane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false
  package var hintLine: HintLine { list.hintLine }

  private let viewModel: FilePickerViewModel
  private let glyphs: Glyphs
  private let localizer: Localizer
  private let pictures: PictureBoard
  private var list: OverlayList

  package init(
    viewModel: FilePickerViewModel, glyphs: Glyphs, localizer: Localizer,
    pictures: PictureBoard = PictureBoard()
  ) {
    list = OverlayList(glyphs: glyphs)
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

  package func use(_ bindings: KeyBindingTable) { list.use(bindings) }

  package func dismiss() {
    isDismissed = true
    viewModel.cancel()
  }

  // MARK: Drawing

  package func draw(into surface: inout Surface) {
    let mark = glyphs.ellipsis
    let inner = list.drawBox(viewModel, into: &surface)
    let (left, columns) = (inner.origin.column, inner.size.columns)
    var top = inner.origin.row
    var bottom = top + inner.size.rows
    drawHead(row: top, left: left, columns: columns, into: &surface)
    list.drawLine(viewModel, row: top + 1, left: left, columns: columns, into: &surface)
    top += inner.size.rows >= 9 ? 3 : 2
    if inner.size.rows >= 11 { bottom -= 1 }
    let isWide = columns >= 64 && !glyphs.isLinear
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
    let area = Rect(row: top, column: left, rows: max(0, bottom - top), columns: listColumns)
    list.drawRows(viewModel, in: area, textColumn: glyphs.isLinear ? 0 : 3, into: &surface) {
      index, row, surface in
      for item in viewModel.items(index..<index + 1) {
        draw(item, row: row, left: left, columns: listColumns, into: &surface)
      }
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
    // The end of a path is more important than its beginning.
    var path = Substring(viewModel.folder)
    while path.columns > room - 1, path.count > 1 { path.removeFirst() }
    let isCut = path.startIndex != viewModel.folder.startIndex
    surface.write(
      (isCut ? glyphs.ellipsis : "") + String(path), row: row, column: left, role: .strong,
      limit: room)
    let end = left + min(room, path.columns + (isCut ? glyphs.ellipsis.columns : 0))
    surface.write(
      marked, row: row, column: glyphs.isLinear ? end + 2 : left + columns - marked.columns,
      role: .statusInfo)
  }

  private func draw(
    _ item: PickerItem, row: Int, left: Int, columns: Int, into surface: inout Surface
  ) {
    if item.isMarked { surface.write("*", row: row, column: left + 1, role: .key) }
    if glyphs.isLinear {
      surface.writeLinear(
        [
          (item.name, item.isFolder ? .strong : .overlay),
          (item.size, .dim),
        ], row: row, column: left + 3, limit: columns - 3, mark: glyphs.ellipsis)
      return
    }
    let size = item.size.columns
    let room = max(1, columns - 3 - (size == 0 ? 0 : size + 1))
    surface.write(
      item.name.truncated(columns: room, mark: glyphs.ellipsis), row: row,
      column: left + 3, role: item.isFolder ? .strong : .overlay, limit: room)
    surface.write(item.size, row: row, column: left + columns - size, role: .dim)
  }

  private func drawPreview(_ rect: Rect, into surface: inout Surface) {
    guard let preview = viewModel.preview else { return }
    PreviewDrawing(preview: preview, localizer: localizer, glyphs: glyphs, pictures: pictures)
      .draw(in: rect, for: invalidation, into: &surface)
  }

  // MARK: Input

  package func handle(_ key: Key) -> KeyDisposition {
    let isEmpty = viewModel.query.isEmpty
    switch (key.code, key.modifiers) {
    case _ where OverlayList.closes(key): dismiss()
    case (.enter, []): viewModel.open()
    case (.character(" "), []): viewModel.toggleMark()
    case (.character("."), .alt): viewModel.toggleHidden()
    case (.home, .control): viewModel.moveSelection(.min)
    case (.end, .control): viewModel.moveSelection(.max)
    case (.tab, []): viewModel.openFolder()
    case (.backspace, []) where isEmpty, (.left, []) where isEmpty: viewModel.goUp()
    case (.right, []) where isEmpty: viewModel.openFolder()
    default: return list.take(key, for: viewModel)
    }
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition { list.paste(text, into: viewModel) }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    if let index = list.pressed(mouse, in: viewModel) {
      // The first click selects, the second one opens.
      if index == viewModel.selected { viewModel.open() } else { viewModel.select(index) }
    }
    return .handled
  }
}
