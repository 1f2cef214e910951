import Terminal
import Text
import ViewModels

/// The user's accounts below the list of conversations, each in its colour, with a marker on the
/// visible one and the unread counts of the others.
package final class AccountListPane: Pane {
  /// Indicates whether it is on a separate page, without a border.
  var isPage = false { didSet { if isPage != oldValue { viewModel.invalidation.raise() } } }
  /// Called when an account was clicked.
  var onSelect: (AccountItem.ID) -> Void = { _ in }

  private let viewModel: AccountListViewModel
  private let glyphs: Glyphs
  private var targets: [Target<AccountItem.ID>] = []

  package init(viewModel: AccountListViewModel, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  /// Its preferred rows: its title and one for each account; 0 where there is only one account.
  var wantedRows: Int {
    let count = viewModel.items.count
    return count == 0 ? 0 : count + 1
  }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let width = surface.drawSide(isPage: isPage, glyphs)
    surface.write(
      viewModel.title.truncated(columns: width - 2, mark: glyphs.ellipsis), row: 0, column: 1,
      role: .heading)
    targets = []
    let items = viewModel.items
    let rows = max(0, size.rows - 1)
    // If there is no room for all of them: at least the marked one.
    let marked = items.firstIndex(where: isMarked) ?? 0
    for (offset, item) in items.dropFirst(max(0, marked - rows + 1)).prefix(rows).enumerated() {
      draw(item, row: 1 + offset, width: width, into: &surface)
      if item.isSelected { surface.cursor = Point(row: 1 + offset, column: 0) }
      targets.append(
        Target(rect: Rect(row: 1 + offset, column: 0, rows: 1, columns: width), id: item.id))
    }
  }

  private func isMarked(_ item: AccountItem) -> Bool {
    viewModel.isFocused ? item.isSelected : item.isShown
  }

  private func draw(_ item: AccountItem, row: Int, width: Int, into surface: inout Surface) {
    if isMarked(item) { surface.write(glyphs.marker, row: row, column: 0, role: .strong) }
    surface.write(item.number, row: row, column: 1, role: .dim)
    let badgeRole: StyleRole = item.isMentioned ? .badgeMention : .badge
    if glyphs.isLinear {
      surface.writeLinear(
        [
          (item.name, .nick(item.color)), (item.glyph, .presence(item.availability)),
          (item.badge, badgeRole),
        ], row: row, column: 3, limit: width - 4, kept: 3, mark: glyphs.ellipsis)
    } else {
      surface.write(item.glyph, row: row, column: 3, role: .presence(item.availability))
      let badge = item.badge.columns
      let room = max(0, width - 5 - (badge == 0 ? 1 : badge + 2))
      surface.write(
        item.name.truncated(columns: room, mark: glyphs.ellipsis), row: row, column: 5,
        role: .nick(item.color), limit: room)
      surface.write(item.badge, row: row, column: width - 1 - badge, role: badgeRole)
    }
    if item.isSelected {
      surface.restyle(Rect(row: row, column: 0, rows: 1, columns: width), role: .selection)
    }
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    guard mouse.action == .press, mouse.button == 1,
      let target = targets.first(where: { $0.rect.contains(mouse.at) })
    else { return .ignored }
    onSelect(target.id)
    return .handled
  }
}
