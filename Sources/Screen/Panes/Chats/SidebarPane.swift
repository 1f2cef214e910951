import NatterCore
import Terminal
import Text
import ViewModels

/// The list of conversations, with a border on its right where another pane is beside it.
package final class SidebarPane: Pane {
  /// Indicates whether the list is a separate page, without a border.
  var isPage = false { didSet { if isPage != oldValue { viewModel.invalidation.raise() } } }
  /// Opens the selected row as Enter does: for the mouse.
  var onOpen: () -> Void = {}

  private let viewModel: SidebarViewModel
  private let glyphs: Glyphs
  /// The first visible row, kept so that the list scrolls no more than it must.
  private var top = 0
  private var shownIDs: [SidebarItem.ID] = []
  /// Unread counts and presence as of the user's last action in the list: a screen reader would
  /// otherwise read every change.
  private var heard: [SidebarItem.ID: Heard] = [:]

  private struct Heard: Equatable {
    let badge: String
    let spokenPresence: String

    init(_ item: SidebarItem) { (badge, spokenPresence) = (item.badge, item.spokenPresence) }
  }

  package init(viewModel: SidebarViewModel, glyphs: Glyphs) {
    self.viewModel = viewModel
    self.glyphs = glyphs
    viewModel.holdsStill = glyphs.isLinear
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  /// Updates the counts to the current ones after an action of the user.
  func personActed() {
    guard glyphs.isLinear else { return }
    if !viewModel.isFocused { viewModel.settleOrder() }
    guard !heard.isEmpty else { return }
    let before = heard
    heard = [:]
    if viewModel.items.contains(where: { before[$0.id] != Heard($0) }) {
      viewModel.invalidation.raise()
    }
  }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let width = surface.drawSide(isPage: isPage, glyphs)
    var first = 0
    if let filter = viewModel.filter {
      let end = surface.write("/" + filter, row: 0, column: 1, role: .input, limit: width - 2)
      surface.cursor = Point(row: 0, column: min(end, width - 1))
      first = 1
    }
    let items = viewModel.items
    scroll(items, rows: size.rows - first)
    for (offset, item) in items.dropFirst(top).prefix(max(0, size.rows - first)).enumerated() {
      let row = first + offset
      draw(item, row: row, width: width, into: &surface)
      let hasCursor = viewModel.isFocused ? item.isSelected : item.isActive
      if hasCursor, viewModel.filter == nil { surface.cursor = Point(row: row, column: 0) }
    }
    if items.count > top + max(0, size.rows - first), !glyphs.isLinear {
      surface.write(glyphs.incoming, row: size.rows - 1, column: width - 1, role: .dim)
    }
    shownIDs = items.map(\.id)
  }

  private func draw(_ item: SidebarItem, row: Int, width: Int, into surface: inout Surface) {
    switch item.id {
    case .section:
      // As a page the list always has the focus: then the marker is at the selected row only.
      let isMarked = viewModel.isFocused && !isPage && row == 0
      surface.write(isMarked ? glyphs.marker : " ", row: row, column: 0, role: .heading)
      surface.write(
        item.name.truncated(columns: width - 2, mark: glyphs.ellipsis), row: row, column: 1,
        role: .heading)
    case .hint:
      surface.write(
        item.name.truncated(columns: width - 2, mark: glyphs.ellipsis), row: row, column: 1,
        role: .dim)
    case .conversation, .contact, .request, .invitation, .voice, .feed:
      let isMarked = viewModel.isFocused ? item.isSelected : item.isActive
      if isMarked { surface.write(glyphs.marker, row: row, column: 0, role: .strong) }
      surface.write(item.number, row: row, column: 1, role: .dim)
      if glyphs.isLinear {
        drawLinear(item, row: row, width: width, into: &surface)
      } else {
        drawColumns(item, row: row, width: width, into: &surface)
      }
      if viewModel.isFocused, item.isSelected {
        surface.restyle(Rect(row: row, column: 0, rows: 1, columns: width), role: .selection)
      }
    }
  }

  private func drawColumns(
    _ item: SidebarItem, row: Int, width: Int, into surface: inout Surface
  ) {
    surface.write(item.presence, row: row, column: 3, role: presenceRole(of: item))
    let badge = item.badge.columns
    let room = width - 5 - (badge == 0 ? 1 : badge + 2)
    surface.write(
      item.name.truncated(columns: max(0, room), mark: glyphs.ellipsis),
      row: row, column: 5, role: nameRole(of: item), limit: max(0, room))
    surface.write(
      item.badge, row: row, column: width - 1 - badge, role: badgeRole(of: item))
  }

  /// The same for a screen reader: text instead of glyphs.
  private func drawLinear(
    _ item: SidebarItem, row: Int, width: Int, into surface: inout Surface
  ) {
    let shown = heard[item.id] ?? Heard(item)
    heard[item.id] = shown
    surface.writeLinear(
      [
        (item.presence.isEmpty ? item.name : item.presence + " " + item.name, nameRole(of: item)),
        (shown.spokenPresence, presenceRole(of: item)),
        (shown.badge, badgeRole(of: item)),
      ], row: row, column: 3, limit: width - 4, kept: 3, mark: glyphs.ellipsis)
  }

  private func nameRole(of item: SidebarItem) -> StyleRole {
    if item.isMuted, !item.isActive { return .dim }
    return item.isActive || !item.badge.isEmpty ? .strong : .sidebar
  }

  private func badgeRole(of item: SidebarItem) -> StyleRole {
    item.isMuted ? .dim : item.isMentioned ? .badgeMention : .badge
  }

  private func presenceRole(of item: SidebarItem) -> StyleRole {
    if let availability = item.availability { return .presence(availability) }
    return switch item.id {
    case .request, .invitation, .voice: .statusWarning
    default: item.isShutOut ? .statusWarning : .dim
    }
  }

  // The marked row stays visible, with its section's title when it is the first.
  private func scroll(_ items: [SidebarItem], rows: Int) {
    guard rows > 0, items.count > rows else {
      top = 0
      return
    }
    let marked = items.firstIndex { viewModel.isFocused ? $0.isSelected : $0.isActive }
    if let marked {
      let first = marked == 1 ? 0 : marked
      if first < top { top = first }
      if marked >= top + rows { top = marked - rows + 1 }
    }
    top = max(0, min(top, items.count - rows))
  }

  package func handlePaste(_ text: String) -> KeyDisposition { viewModel.takePaste(text) }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .press where mouse.button == 1:
      let index = top + mouse.at.row - (viewModel.filter == nil ? 0 : 1)
      guard shownIDs.indices.contains(index) else { return .ignored }
      switch shownIDs[index] {
      case .section, .hint: return .ignored
      // A click only selects: a request is answered with a key.
      case .invitation, .request, .voice: viewModel.select(shownIDs[index])
      case .conversation, .contact, .feed:
        viewModel.select(shownIDs[index])
        onOpen()
      }
      return .handled
    case .wheelUp: viewModel.moveSelection(-1)
    case .wheelDown: viewModel.moveSelection(1)
    default: return .ignored
    }
    return .handled
  }
}
