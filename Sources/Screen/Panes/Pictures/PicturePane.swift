import Terminal
import Text
import ViewModels

/// Draws one picture above everything else, with the way in which it is drawn and its key hints.
package final class PicturePane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false

  package private(set) var hintLine = HintLine()
  private let viewModel: PictureViewModel
  private let glyphs: Glyphs
  private let localizer: Localizer
  private let pictures: PictureBoard

  package init(
    viewModel: PictureViewModel, glyphs: Glyphs, localizer: Localizer, pictures: PictureBoard
  ) {
    (self.viewModel, self.glyphs, self.localizer) = (viewModel, glyphs, localizer)
    self.pictures = pictures
  }

  package func preferredSize(in size: Size) -> Size {
    size.columns < 60
      ? size : Size(rows: size.rows - (size.rows < 20 ? 1 : 4), columns: size.columns - 8)
  }

  package func dismiss() { isDismissed = true }

  package func draw(into surface: inout Surface) {
    let inner = BoxFrame.draw(
      Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      title: viewModel.title, glyphs: glyphs, into: &surface)
    let (top, left) = (inner.origin.row, inner.origin.column + 1)
    let columns = max(1, inner.size.columns - 2)
    hintLine.draw(
      viewModel.hints(drawnWith: means), row: top + inner.size.rows - 1, column: left,
      columns: columns, isLinear: glyphs.isLinear, into: &surface)
    let room = Size(rows: inner.size.rows - 2, columns: columns)
    guard let file = viewModel.file, let size = pictures.sizes.size(of: file, within: room) else {
      return drawNote(in: Rect(row: top, column: left, rows: room.rows, columns: columns), &surface)
    }
    pictures.draw(
      file, size: size, rows: 0..<size.rows,
      at: Point(
        row: top + (room.rows - size.rows) / 2, column: left + (columns - size.columns) / 2),
      isAlone: true, for: invalidation, into: &surface)
  }

  /// Shows why there is no picture, in the middle of its area.
  private func drawNote(_ rect: Rect, into surface: inout Surface, _ text: String) {
    let lines = LineWrap.rows(of: text, width: rect.size.columns)
    // In the middle, but at the beginning for a screen reader.
    let isLinear = glyphs.isLinear
    let top = rect.origin.row + (isLinear ? 0 : max(0, (rect.size.rows - lines.count) / 2))
    if isLinear { surface.cursor = rect.origin }
    for (offset, line) in lines.enumerated() where offset < rect.size.rows {
      surface.write(
        line, row: top + offset,
        column: rect.origin.column
          + (isLinear ? 0 : max(0, (rect.size.columns - String(line).columns) / 2)),
        role: .overlay)
    }
  }

  private func drawNote(in rect: Rect, _ surface: inout Surface) {
    let text = viewModel.text
    guard text.isEmpty else { return drawNote(rect, into: &surface, text) }
    if viewModel.file != nil { drawNote(rect, into: &surface, localizer("picture.notDrawn")) }
  }

  /// The way in which the picture is drawn; empty while there is none.
  private var means: String {
    guard let file = viewModel.file else { return "" }
    return switch pictures.way(of: file, isAlone: true) {
    case .terminal: localizer("picture.byTerminal")
    case .sixel: localizer("picture.bySixel")
    case .symbols:
      localizer(pictures.means.symbols == .blocks ? "picture.byBlocks" : "picture.byLetters")
    case nil: ""
    }
  }

  package func handle(_ key: Key) -> KeyDisposition {
    switch (key.code, key.modifiers) {
    case _ where OverlayList.closes(key), (.character("q"), []): isDismissed = true
    case (.left, []), (.character("h"), []), (.up, []), (.character("k"), []): viewModel.turn(-1)
    case (.right, []), (.character("l"), []), (.down, []), (.character("j"), []): viewModel.turn(1)
    case (.character("s"), []): viewModel.save()
    case (.character("o"), []), (.enter, []): viewModel.open()
    case (.character("y"), []): viewModel.copy()
    default: return .ignored
    }
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .wheelUp: viewModel.turn(-1)
    case .wheelDown: viewModel.turn(1)
    default: break
    }
    return .handled
  }
}
