import Keys
import Terminal
import Text
import ViewModels

/// A page of values: one a row, with the help of the selected one below them.
package final class ValueListPane: SubAppPane {
  package var isPage = false {
    didSet { if isPage != oldValue { viewModel.invalidation.raise() } }
  }
  package var isFocused: Bool {
    get { viewModel.isFocused }
    set { viewModel.isFocused = newValue }
  }

  private let viewModel: any ValueListing
  private let frame: ShellFrame
  private let accent: StyleRole
  private var scroll = ListScroll()
  private var shown: [ValueItem] = []
  private let own: OwnKeys?

  /// The actions that only one page has.
  struct OwnKeys {
    /// The prefix of the key descriptions.
    let texts: String
    var actions: [KeyAction: () -> Void] = [:]
    /// The texts of the hint bar for actions that are called something else here.
    var hints: [KeyAction: String] = [:]
    /// Indicates whether Del does something.
    var removes = true
    /// Handles Esc.
    /// - Returns: `false` if the pane itself is to be left.
    var leave: () -> Bool = { false }

    /// Enter, Del and the actions of the page.
    var all: Set<KeyAction> { Set(actions.keys).union(removes ? [.open, .remove] : [.open]) }
  }

  package convenience init(viewModel: any ValueListing, frame: ShellFrame, accent: StyleRole) {
    self.init(viewModel: viewModel, frame: frame, accent: accent, own: nil)
  }

  init(viewModel: any ValueListing, frame: ShellFrame, accent: StyleRole, own: OwnKeys?) {
    self.viewModel = viewModel
    self.frame = frame
    self.accent = accent
    self.own = own
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func restore(from other: any SubAppPane) {
    guard let other = other as? ValueListPane else { return }
    if let selected = other.viewModel.items.first(where: \.isSelected) {
      viewModel.select(selected.id)
    }
    scroll = other.scroll
  }
  package var acceptedActions: Set<KeyAction>? {
    if let own { return .moves.union(own.all) }
    return .moves.union([.open, .toggle, .valueBefore, .valueAfter, .remove])
      .union(viewModel.isEditable ? [.editFile] : []).union(viewModel.takesMore ? [.add] : [])
  }
  package var keyTexts: String { own?.texts ?? (viewModel.takesMore ? "blocked" : "values") }
  package var hintKeys: [KeyAction: String] { own?.hints ?? [:] }
  package var hintedActions: Set<KeyAction>? {
    if let own { return own.all }
    return [.open, .selectNext, viewModel.isEditable ? .editFile : .valueAfter]
  }

  /// Selects the value of that name.
  func select(_ key: String) { viewModel.select(key: key) }

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let glyphs = frame.glyphs
    let items = viewModel.items
    let left = 1
    let columns = max(1, size.columns - left - 1)
    surface.write(
      (isFocused ? glyphs.marker + " " : "") + viewModel.title, row: 0, column: left,
      role: isFocused ? .strong : accent, limit: columns)
    let help = viewModel.help.flatMap { LineWrap.rows(of: $0, width: columns).map(String.init) }
    let rows = max(1, min(items.count, size.rows - 3 - help.count))
    scroll.show(items.firstIndex(where: \.isSelected), of: items.count, rows: rows)
    shown = Array(items.dropFirst(scroll.top).prefix(rows))
    let titles = min(items.reduce(0) { max($0, $1.title.columns) } + 2, columns * 3 / 5)
    for (offset, item) in shown.enumerated() {
      let row = offset + 2
      guard row < size.rows else { break }
      if glyphs.isLinear {
        let title = item.value.isEmpty ? item.title : item.title + ":"
        let end = surface.write(
          title.truncated(columns: columns - 2, mark: glyphs.ellipsis), row: row,
          column: left + 2, role: item.isSelected ? .strong : .plain)
        surface.writeLinear(
          [
            (item.value, item.isChanged ? .strong : .dim),
            (item.note, item.isWrong ? .statusError : .dim),
          ], row: row, column: end + 1, limit: left + columns - end - 1, mark: glyphs.ellipsis)
        if item.isSelected {
          surface.select(
            row: row, column: left, columns: columns, marker: glyphs.marker, isFocused: isFocused)
        }
        continue
      }
      surface.write(
        item.title.truncated(columns: titles - 1, mark: glyphs.ellipsis), row: row,
        column: left + 2, role: item.isSelected ? .strong : .plain)
      let room = max(0, columns - titles - 2)
      let end = surface.write(
        item.value.truncated(columns: room, mark: glyphs.ellipsis),
        row: row, column: left + 2 + titles, role: item.isChanged ? .strong : .dim)
      // The value takes precedence over the note about it.
      let rest = left + columns - end - 2
      if !item.note.isEmpty, rest >= 4 {
        surface.write(
          item.note.truncated(columns: rest, mark: glyphs.ellipsis), row: row, column: end + 2,
          role: item.isWrong ? .statusError : .dim, limit: rest)
      }
      if item.isSelected {
        surface.select(
          row: row, column: left, columns: columns, marker: glyphs.marker, isFocused: isFocused)
      }
    }
    markMore(items.count, column: left + columns, into: &surface)
    if let file = viewModel.picture {
      // Below everything else, where there is room.
      let top = shown.count + 3 + help.count + 1
      if let drawn = frame.pictures.sizes.size(
        of: file, within: Size(rows: min(8, size.rows - top), columns: min(24, columns)))
      {
        frame.pictures.draw(
          file, size: drawn, rows: 0..<drawn.rows, at: Point(row: top, column: left + 2),
          for: invalidation, into: &surface)
      }
    }
    for (offset, line) in help.enumerated() where shown.count + 3 + offset < size.rows {
      surface.write(line, row: shown.count + 3 + offset, column: left, role: .dim, limit: columns)
    }
  }

  /// Draws marks at the right edge if the list continues beyond the visible rows.
  private func markMore(_ count: Int, column: Int, into surface: inout Surface) {
    guard !frame.glyphs.isLinear else { return }
    if scroll.top > 0 { surface.write("^", row: 2, column: column, role: .scrollbar) }
    let last = shown.count + 1
    if scroll.top + shown.count < count, last > 2 {
      surface.write("v", row: last, column: column, role: .scrollbar)
    }
  }

  package func perform(_ action: KeyAction) -> KeyDisposition {
    if let change = own?.actions[action] {
      change()
      return .handled
    }
    switch action {
    case .selectNext: viewModel.moveSelection(1)
    case .selectPrevious: viewModel.moveSelection(-1)
    case .selectFirst, .oldest: viewModel.moveSelection(.min)
    case .selectLast, .newest: viewModel.moveSelection(.max)
    case .pageDown: viewModel.moveSelection(max(1, shown.count - 2))
    case .pageUp: viewModel.moveSelection(-max(1, shown.count - 2))
    case .open: viewModel.open()
    case .cancel: return own?.leave() == true ? .handled : .ignored
    case .toggle, .valueAfter: viewModel.turn(1)
    case .valueBefore: viewModel.turn(-1)
    case .remove: viewModel.reset()
    case .add: return viewModel.add() ? .handled : .ignored
    case .editFile where viewModel.isEditable: viewModel.edit()
    default: return .ignored
    }
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    switch mouse.action {
    case .press where mouse.button == 1:
      let index = mouse.at.row - 2
      guard shown.indices.contains(index) else { return .ignored }
      if shown[index].isSelected { viewModel.open() } else { viewModel.select(shown[index].id) }
    case .wheelUp: viewModel.moveSelection(-1)
    case .wheelDown: viewModel.moveSelection(1)
    default: return .ignored
    }
    return .handled
  }
}
