import Keys
import Terminal
import Text
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
  /// Called on Enter on a page.
  var onOpen: () -> Void = {}

  private let viewModel: PageListViewModel
  private let frame: ShellFrame
  private var scroll = ListScroll()
  private var rows = 0

  package init(viewModel: PageListViewModel, frame: ShellFrame) {
    self.viewModel = viewModel
    self.frame = frame
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func restore(from other: any SubAppPane) {
    guard let other = other as? PageListPane else { return }
    let items = other.viewModel.items
    if items.indices.contains(other.viewModel.selected) {
      viewModel.select(items[other.viewModel.selected].id)
    }
    scroll = other.scroll
  }
  package var acceptedActions: Set<KeyAction>? {
    .moves.union([.open, .valueAfter, .toggle])
  }
  package var keyTexts: String { "pages" }
  package var hintedActions: Set<KeyAction>? { [.open, .selectNext] }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let glyphs = frame.glyphs
    let width = surface.drawSide(isPage: isPage, glyphs)
    rows = max(0, size.rows - 1)
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
    if viewModel.move(action, page: rows) { return .handled }
    switch action {
    case .open, .valueAfter, .toggle: onOpen()
    default: return .ignored
    }
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    if viewModel.move(mouse) { return .handled }
    let index = scroll.top + mouse.at.row - 1
    guard mouse.action == .press, mouse.button == 1, viewModel.items.indices.contains(index) else {
      return .ignored
    }
    viewModel.select(viewModel.items[index].id)
    if isPage { onOpen() }
    return .handled
  }
}
