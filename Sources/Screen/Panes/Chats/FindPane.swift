import Keys
import Terminal
import Text
import ViewModels

/// The search in a conversation, at the lower edge of the screen: the messages stay visible.
package final class FindPane: OverlayPane {
  package var invalidation: Invalidation { viewModel.invalidation }
  package private(set) var isDismissed = false
  package var hintLine: HintLine { list.hintLine }

  private let viewModel: MessageSearch
  private var list: OverlayList
  private let isLinear: Bool

  package var showsOthers: Bool { true }

  package init(viewModel: MessageSearch, glyphs: Glyphs) {
    self.viewModel = viewModel
    list = OverlayList(glyphs: glyphs)
    isLinear = glyphs.isLinear
  }

  package func use(_ bindings: KeyBindingTable) { list.use(bindings) }

  package func preferredSize(in size: Size) -> Size {
    Size(
      rows: BoxFrame.leastRows,
      columns: size.columns < 60 ? size.columns : min(72, size.columns - 8))
  }

  package func frame(in size: Size) -> Rect {
    if isLinear {
      // The title, the query, the number of matches, the key hints.
      let rows = min(4, size.rows)
      return Rect(row: size.rows - rows, column: 0, rows: rows, columns: size.columns)
    }
    let wanted = preferredSize(in: size)
    let rows = min(wanted.rows, size.rows)
    return Rect(
      row: max(0, size.rows - rows - 1), column: (size.columns - wanted.columns) / 2, rows: rows,
      columns: wanted.columns)
  }

  package func dismiss() { isDismissed = true }

  package func draw(into surface: inout Surface) {
    let inner = list.drawBox(viewModel, leastRows: 2, into: &surface)
    list.drawLine(
      viewModel, row: inner.origin.row, left: inner.origin.column, columns: inner.size.columns,
      status: viewModel.status, into: &surface)
    surface.keepCursorInside()
  }

  package func handle(_ key: Key) -> KeyDisposition {
    switch (key.code, key.modifiers) {
    case _ where OverlayList.closes(key): isDismissed = true
    case (.enter, []), (.up, []), (.character("p"), .control), (.character("f"), .control):
      viewModel.move(1)
    case (.down, []), (.character("n"), .control): viewModel.move(-1)
    default: return list.edit(key, in: viewModel)
    }
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition { list.paste(text, into: viewModel) }
}
