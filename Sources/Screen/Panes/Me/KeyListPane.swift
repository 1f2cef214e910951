import Keys
import Terminal
import Text
import ViewModels

/// The list of all keys, by context, with a filter.
package final class KeyListPane: SubAppPane {
  package var isPage = false {
    didSet { if isPage != oldValue { viewModel.invalidation.raise() } }
  }
  package var isFocused: Bool {
    get { viewModel.isFocused }
    set {
      viewModel.isFocused = newValue
      // Called before each frame.
      read()
    }
  }

  private let viewModel: KeysViewModel
  private let frame: ShellFrame
  private let accent: StyleRole
  /// Further keys, such as those of vi's editing.
  private let others: () -> [HelpPage]
  private var table: KeyBindingTable?
  private var scroll = ListScroll()
  private var shown: [KeysViewModel.Line] = []

  package init(
    viewModel: KeysViewModel, frame: ShellFrame, accent: StyleRole,
    others: @escaping () -> [HelpPage]
  ) {
    (self.viewModel, self.frame, self.accent) = (viewModel, frame, accent)
    self.others = others
    read()
  }

  package var invalidation: Invalidation { viewModel.invalidation }
  package var hintedActions: Set<KeyAction>? { [.selectNext, .filter, .editFile] }
  package var keyTexts: String { "keys" }
  package var acceptedActions: Set<KeyAction>? { .moves.union([.filter, .editFile]) }

  package func restore(from other: any SubAppPane) {
    guard let other = other as? KeyListPane else { return }
    viewModel.restore(from: other.viewModel)
    scroll = other.scroll
  }

  /// Reads the current keys, if they have changed.
  private func read() {
    guard table != frame.bindings else { return }
    table = frame.bindings
    viewModel.show(HelpPages.keys(frame.bindings, others: others(), localizer: frame.localizer))
  }

  // MARK: Drawing

  private static let firstRow = 2

  package func draw(into surface: inout Surface) {
    read()
    let size = surface.size
    let left = 1
    let columns = max(1, size.columns - left - 1)
    drawHead(left: left, columns: columns, into: &surface)
    let help = viewModel.help.flatMap { LineWrap.rows(of: $0, width: columns).map(String.init) }
    let hasHelp = size.rows >= Self.firstRow + help.count + 4
    let room = max(1, size.rows - Self.firstRow - (hasHelp ? help.count + 1 : 0))
    let (lines, selected) = viewModel.lines
    scroll.show(selected, of: lines.count, rows: room)
    shown = Array(lines.dropFirst(scroll.top).prefix(room))
    let keys = min(viewModel.items.reduce(0) { max($0, $1.keys.columns) }, columns * 2 / 5)
    for (offset, line) in shown.enumerated() {
      let row = Self.firstRow + offset
      switch line {
      case .heading(let text):
        surface.write(text, row: row, column: left, role: .heading, limit: columns)
      case .item(let index):
        draw(
          viewModel.items[index], row: row, left: left, columns: columns, keys: keys, into: &surface
        )
        guard scroll.top + offset == selected else { continue }
        surface.write(frame.glyphs.marker, row: row, column: left, role: .strong)
        guard isFocused else { continue }
        surface.restyle(
          Rect(row: row, column: left, rows: 1, columns: columns), role: .selection)
        if viewModel.rows.filter == nil { surface.cursor = Point(row: row, column: left) }
      }
    }
    guard hasHelp else { return }
    for (offset, line) in help.enumerated() {
      surface.write(
        line, row: size.rows - help.count + offset, column: left, role: .dim, limit: columns)
    }
  }

  private func drawHead(left: Int, columns: Int, into surface: inout Surface) {
    surface.write(
      (isFocused ? frame.glyphs.marker + " " : "") + viewModel.title, row: 0, column: left,
      role: isFocused ? .strong : accent, limit: columns)
    let count = viewModel.count
    let room = max(0, columns - count.columns - 2)
    var end = left
    if let filter = viewModel.rows.filter {
      end = surface.write(
        frame.filterLabel, row: 1, column: left, role: .dim, limit: room)
      var typed = Substring(filter)
      while typed.columns > max(1, left + room - end), !typed.isEmpty { typed.removeFirst() }
      end = surface.write(String(typed), row: 1, column: end, role: .input)
      surface.cursor = Point(row: 1, column: min(end, surface.size.columns - 1))
    } else {
      end = surface.write(
        frame.localizer("contacts.filterHint"), row: 1, column: left, role: .placeholder,
        limit: room)
    }
    surface.write(
      count, row: 1,
      column: frame.glyphs.isLinear ? end + 2 : max(left, left + columns - count.columns),
      role: .dim, limit: columns)
  }

  private func draw(
    _ item: KeyItem, row: Int, left: Int, columns: Int, keys: Int, into surface: inout Surface
  ) {
    let mark = frame.glyphs.ellipsis
    if frame.glyphs.isLinear {
      surface.writeLinear(
        [(item.keys + ":", .key), (item.text, .plain)], row: row, column: left + 2,
        limit: columns - 2, mark: mark)
      return
    }
    surface.write(
      item.keys.truncated(columns: keys, mark: mark), row: row, column: left + 2, role: .key)
    let column = left + keys + 4
    let room = left + columns - column
    guard room > 0 else { return }
    surface.write(
      item.text.truncated(columns: room, mark: mark), row: row, column: column, role: .plain)
  }

  // MARK: Input

  package func takesFirst(_ key: Key) -> Bool { viewModel.rows.take(key, by: frame.bindings) }

  package func handlePaste(_ text: String) -> KeyDisposition { viewModel.rows.takePaste(text) }

  package func perform(_ action: KeyAction) -> KeyDisposition {
    if viewModel.rows.move(action, page: shown.count) { return .handled }
    switch action {
    case .filter: viewModel.rows.beginFilter()
    case .editFile: viewModel.edit()
    case .cancel: return viewModel.rows.endFilter() ? .handled : .ignored
    default: return .ignored
    }
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    if viewModel.rows.move(mouse) { return .handled }
    let index = mouse.at.row - Self.firstRow
    guard mouse.action == .press, mouse.button == 1, shown.indices.contains(index),
      case .item(let item) = shown[index]
    else { return .ignored }
    viewModel.rows.select(viewModel.items[item].id)
    return .handled
  }
}

extension HelpPages {
  /// Every action with all its keys, by context, and after them those of further pages.
  package static func keys(
    _ bindings: KeyBindingTable, others: [HelpPage] = [], localizer: Localizer
  ) -> [KeyItem] {
    let spelling = KeySpelling(localizer: localizer)
    let bound = KeyBinding.Context.allCases.flatMap { context in
      bindings.bindings(in: context).map { binding in
        KeyItem(
          id: "\(context.rawValue) \(binding.action.rawValue)",
          heading: name(of: context, localizer),
          keys: binding.sequences.map { spelling($0) }.joined(separator: ", "),
          text: localizer(binding.descriptionKey),
          name: (binding.action.rawValue, context.rawValue))
      }
    }
    let further = others.flatMap { page in
      page.sections.flatMap { section in
        section.entries.enumerated().map { index, entry in
          KeyItem(
            id: "\(page.id) \(index) \(entry.term)", heading: page.title, keys: entry.term,
            text: entry.text)
        }
      }
    }
    return bound + further
  }
}
