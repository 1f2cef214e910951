import NatterCore
import Terminal
import Text
import ViewModels

/// The occupants of the room, beside the conversation or above it.
package final class MembersPane: Pane {
  /// Opens the selected row as Enter does: for the mouse.
  var onOpen: () -> Void = {}

  private let viewModel: MembersViewModel
  private let glyphs: Glyphs
  /// The first visible row, kept so that the list scrolls no more than it must.
  private var top = 0
  private var shownIDs: [MemberItem.ID] = []

  package init(viewModel: MembersViewModel, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    surface.fill(Rect(row: 0, column: 0, rows: size.rows, columns: size.columns), role: .sidebar)
    for row in 0..<size.rows {
      surface.write(glyphs.vertical, row: row, column: 0, role: .border)
    }
    surface.write(
      (viewModel.isFocused ? glyphs.marker : " ")
        + viewModel.title.truncated(columns: size.columns - 3, mark: glyphs.ellipsis),
      row: 0, column: 1, role: .heading)
    let items = viewModel.items
    let rows = max(0, size.rows - 1)
    scroll(items, rows: rows)
    // Only the visible rows are drawn: there may be two thousand occupants.
    let shown = items.dropFirst(top).prefix(rows)
    for (offset, item) in shown.enumerated() {
      draw(item, row: offset + 1, width: size.columns, into: &surface)
      if viewModel.isFocused, item.isSelected {
        surface.cursor = Point(row: offset + 1, column: 1)
      }
    }
    if viewModel.isFocused, surface.cursor == nil { surface.cursor = Point(row: 0, column: 1) }
    shownIDs = shown.map(\.id)
  }

  private func draw(_ item: MemberItem, row: Int, width: Int, into surface: inout Surface) {
    switch item.id {
    case .heading:
      surface.write(
        item.name.truncated(columns: width - 3, mark: glyphs.ellipsis), row: row, column: 2,
        role: .heading)
    case .person:
      if viewModel.isFocused, item.isSelected {
        surface.write(glyphs.marker, row: row, column: 1, role: .strong)
      }
      let presenceRole = item.availability.map { StyleRole.presence($0) } ?? .dim
      let nameRole = item.isOwn ? StyleRole.nickMe : .hue(item.hue)
      if glyphs.isLinear {
        surface.writeLinear(
          [(item.name, nameRole), (item.detail, presenceRole)], row: row, column: 3,
          limit: width - 4,
          kept: 2, mark: glyphs.ellipsis)
      } else {
        surface.write(item.glyph, row: row, column: 2, role: presenceRole)
        let room = width - 5 - (item.mark.isEmpty ? 0 : 2)
        surface.write(
          item.name.truncated(columns: max(0, room), mark: glyphs.ellipsis), row: row, column: 4,
          role: nameRole)
        surface.write(item.mark, row: row, column: width - 2, role: .dim)
      }
      if viewModel.isFocused, item.isSelected {
        surface.restyle(
          Rect(row: row, column: 1, rows: 1, columns: width - 1), role: .selection)
      }
    }
  }

  private func scroll(_ items: [MemberItem], rows: Int) {
    guard rows > 0, items.count > rows else {
      top = 0
      return
    }
    if viewModel.isFocused, let marked = items.firstIndex(where: \.isSelected) {
      // With its heading when it is the first below it.
      let first = marked == 1 ? 0 : marked
      if first < top { top = first }
      if marked >= top + rows { top = marked - rows + 1 }
    }
    top = max(0, min(top, items.count - rows))
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .press where mouse.button == 1:
      let index = mouse.at.row - 1
      guard shownIDs.indices.contains(index), case .person(let nick) = shownIDs[index] else {
        return .ignored
      }
      // The first click selects, the second one opens.
      if viewModel.selection == nick { onOpen() } else { viewModel.select(nick) }
    case .wheelUp:
      top = max(0, top - 3)
      viewModel.invalidation.raise()
    case .wheelDown:
      top += 3
      viewModel.invalidation.raise()
    default: return .ignored
    }
    return .handled
  }
}
