import Terminal
import ViewModels

/// The list of pages at the side.
package final class PageListPane: SubAppPane {
  package var isPage = false {
    didSet { if isPage != oldValue { viewModel.invalidation.raise() } }
  }
  package var isFocused: Bool {
    get { viewModel.isFocused }
    set { viewModel.isFocused = newValue }
  }
  /// Enter on a page.
  var onOpen: () -> Void = {}

  private let viewModel: PageListViewModel
  private let frame: ShellFrame
  private var scroll = ListScroll()

  package init(viewModel: PageListViewModel, frame: ShellFrame) {
    self.viewModel = viewModel
    self.frame = frame
  }

  package var invalidation: Invalidation { viewModel.invalidation }
  package var hintedActions: Set<KeyAction>? { [.open, .selectNext] }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let glyphs = frame.glyphs
    surface.fill(Rect(row: 0, column: 0, rows: size.rows, columns: size.columns), role: .sidebar)
    let width = isPage ? size.columns : size.columns - 1
    if !isPage {
      for row in 0..<size.rows {
        surface.write(glyphs.vertical, row: row, column: width, role: .border)
      }
    }
    let rows = max(0, size.rows - 1)
    scroll.show(viewModel.selected, of: viewModel.items.count, rows: rows)
    for (offset, item) in viewModel.items.dropFirst(scroll.top).prefix(rows).enumerated() {
      let isSelected = scroll.top + offset == viewModel.selected
      if isSelected {
        surface.write(glyphs.marker, row: offset + 1, column: 1, role: .strong)
        surface.cursor = Point(row: offset + 1, column: 1)
      }
      surface.write(
        item.title.truncated(columns: max(0, width - 4), mark: glyphs.ellipsis), row: offset + 1,
        column: 3, role: isSelected ? .strong : .sidebar)
      if isSelected, isFocused {
        surface.restyle(Rect(row: offset + 1, column: 0, rows: 1, columns: width), role: .selection)
      }
    }
  }

  package func perform(_ action: KeyAction) -> KeyDisposition {
    switch action {
    case .selectNext: viewModel.moveSelection(1)
    case .selectPrevious: viewModel.moveSelection(-1)
    case .selectFirst, .oldest: viewModel.moveSelection(.min)
    case .selectLast, .newest: viewModel.moveSelection(.max)
    case .open, .valueAfter, .toggle: onOpen()
    default: return .ignored
    }
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .press where mouse.button == 1:
      let index = scroll.top + mouse.at.row - 1
      guard viewModel.items.indices.contains(index) else { return .ignored }
      viewModel.select(viewModel.items[index].id)
      if isPage { onOpen() }
    case .wheelUp: viewModel.moveSelection(-1)
    case .wheelDown: viewModel.moveSelection(1)
    default: return .ignored
    }
    return .handled
  }
}
