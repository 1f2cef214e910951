import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// The contact list by group, with a border on its right where the details are beside it.
package final class ContactListPane: SubAppPane {
  package var isPage = false {
    didSet { if isPage != oldValue { viewModel.invalidation.raise() } }
  }
  package var isFocused: Bool {
    get { viewModel.isFocused }
    set { viewModel.isFocused = newValue }
  }
  /// Called when Right moves from a contact to its details.
  var onDetails: () -> Void = {}

  private let viewModel: ContactsViewModel
  private let frame: ShellFrame
  private var scroll = ListScroll()
  private var shown: [ContactItem] = []
  /// The row of the first of them.
  private var top = 1

  package init(viewModel: ContactsViewModel, frame: ShellFrame) {
    self.viewModel = viewModel
    self.frame = frame
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func restore(from other: any SubAppPane) {
    guard let other = other as? ContactListPane else { return }
    viewModel.restore(from: other.viewModel)
    scroll = other.scroll
  }
  static let actions: Set<KeyAction> = .moves.union([
    .open, .toggle, .valueBefore, .valueAfter, .filter, .add, .rename, .remove, .sort,
  ])
  package var acceptedActions: Set<KeyAction>? { Self.actions }
  package var hintedActions: Set<KeyAction>? { [.open, .selectNext, .filter, .add, .remove] }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let glyphs = frame.glyphs
    let width = surface.drawSide(isPage: isPage, glyphs)
    let count = viewModel.count
    let label = frame.filterLabel
    var headEnd = 1
    if let filter = viewModel.filter {
      let start = surface.write(label, row: 0, column: 1, role: .dim)
      let end = surface.write(
        filter, row: 0, column: start, role: .input,
        limit: max(0, width - 3 - count.columns - start))
      surface.cursor = Point(row: 0, column: min(end, width - 1))
      headEnd = end
    } else {
      headEnd = surface.write(
        frame.localizer("contacts.filterHint").truncated(
          columns: max(0, width - 4 - count.columns), mark: glyphs.ellipsis), row: 0, column: 1,
        role: .placeholder)
    }
    surface.write(
      count, row: 0,
      column: glyphs.isLinear ? headEnd + 2 : max(1, width - 1 - count.columns), role: .dim)
    if let age = viewModel.age {
      surface.write(
        age.truncated(columns: max(0, width - 2), mark: glyphs.ellipsis), row: 1, column: 1,
        role: .dim)
    }
    top = viewModel.age == nil ? 1 : 2
    let items = viewModel.items
    let rows = max(0, size.rows - top)
    scroll.show(viewModel.selectedRow, of: items.count, rows: rows)
    shown = Array(items.dropFirst(scroll.top).prefix(rows))
    for (offset, item) in shown.enumerated() {
      draw(item, row: offset + top, width: width, into: &surface)
      if item.isSelected, viewModel.filter == nil {
        surface.cursor = Point(row: offset + top, column: 0)
      }
    }
    if surface.cursor == nil { surface.cursor = Point(row: min(top, size.rows - 1), column: 0) }
  }

  private func draw(_ item: ContactItem, row: Int, width: Int, into surface: inout Surface) {
    let glyphs = frame.glyphs
    switch item.id {
    case .hint:
      for (offset, line) in LineWrap.rows(of: item.name, width: max(1, width - 2)).enumerated() {
        surface.write(line, row: row + offset, column: 1, role: .dim)
      }
      return
    case .group where glyphs.isLinear, .requests where glyphs.isLinear:
      surface.writeLinear(
        [
          (item.name, .heading),
          (frame.localizer(item.isOpen ? "contacts.isOpen" : "contacts.isClosed"), .dim),
        ], row: row, column: 2, limit: max(0, width - 3), kept: 2, mark: glyphs.ellipsis)
    case .request where glyphs.isLinear, .contact where glyphs.isLinear:
      surface.writeLinear(
        [
          (item.name, isHere(item) ? .strong : .sidebar),
          (item.detail, item.availability.map { StyleRole.presence($0) } ?? .statusWarning),
        ], row: row, column: 2, limit: max(0, width - 3), mark: glyphs.ellipsis)
    case .group, .requests:
      surface.write(item.isOpen ? "v" : glyphs.marker, row: row, column: 1, role: .dim)
      surface.write(
        item.name.truncated(columns: max(0, width - 4), mark: glyphs.ellipsis), row: row,
        column: 3, role: .heading)
    case .request, .contact:
      surface.write(
        item.glyph, row: row, column: 3,
        role: item.availability.map { StyleRole.presence($0) } ?? .statusWarning)
      // The status text is dropped before the name is cut.
      let room = max(0, width - 6)
      let name = item.name.truncated(columns: room, mark: glyphs.ellipsis)
      let column = max(name.columns + 2, min(20, room / 2))
      surface.write(name, row: row, column: 5, role: isHere(item) ? .strong : .sidebar)
      if room - column >= 4 {
        surface.write(
          item.detail.truncated(columns: room - column, mark: glyphs.ellipsis), row: row,
          column: 5 + column, role: .dim)
      }
    }
    guard item.isSelected else { return }
    surface.write(glyphs.marker, row: row, column: 0, role: .strong)
    if isFocused {
      surface.restyle(Rect(row: row, column: 0, rows: 1, columns: width), role: .selection)
    }
  }

  private func isHere(_ item: ContactItem) -> Bool {
    item.availability.map { $0 != .offline } ?? true
  }

  package func takesFirst(_ key: Key) -> Bool {
    viewModel.take(key, by: frame.bindings)
  }

  package func perform(_ action: KeyAction) -> KeyDisposition {
    switch action {
    case .selectNext: viewModel.moveSelection(1)
    case .selectPrevious: viewModel.moveSelection(-1)
    case .selectFirst, .oldest: viewModel.moveSelection(.min)
    case .selectLast, .newest: viewModel.moveSelection(.max)
    case .pageDown: viewModel.moveSelection(max(1, shown.count - 2))
    case .pageUp: viewModel.moveSelection(-max(1, shown.count - 2))
    case .open: viewModel.open()
    case .toggle, .valueBefore: viewModel.toggleGroup()
    case .valueAfter: if viewModel.selected == nil { viewModel.toggleGroup() } else { onDetails() }
    case .filter: viewModel.beginFilter()
    case .add: viewModel.add()
    case .rename: viewModel.rename()
    case .remove: viewModel.remove()
    case .sort: viewModel.changeOrder()
    case .cancel: return viewModel.endFilter() ? .handled : .ignored
    default: return .ignored
    }
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition { viewModel.takePaste(text) }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .press where mouse.button == 1:
      let index = mouse.at.row - top
      guard shown.indices.contains(index), shown[index].isSelectable else { return .ignored }
      // The first click selects, the second one opens; a request is answered with a key.
      let item = shown[index]
      if item.isSelected, item.glyph != frame.glyphs.request {
        viewModel.open()
      } else {
        viewModel.select(item.id)
      }
    case .wheelUp: viewModel.moveSelection(-1)
    case .wheelDown: viewModel.moveSelection(1)
    default: return .ignored
    }
    return .handled
  }
}
