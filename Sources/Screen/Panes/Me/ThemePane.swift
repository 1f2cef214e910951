import Keys
import Terminal
import Text
import ViewModels

/// The list of themes, with a sample conversation in the selected one.
package final class ThemePane: SubAppPane {
  package var isPage = false {
    didSet { if isPage != oldValue { viewModel.invalidation.raise() } }
  }
  package var isFocused: Bool {
    get { viewModel.isFocused }
    set { viewModel.isFocused = newValue }
  }

  private let viewModel: ThemesViewModel
  private let frame: ShellFrame
  private let accent: StyleRole
  private var scroll = ListScroll()
  private var shown: [ThemeItem] = []
  /// The frames of the buttons and of the check box in the first row, for the mouse.
  private var buttons: [(frame: Rect, action: KeyAction)] = []

  package init(viewModel: ThemesViewModel, frame: ShellFrame, accent: StyleRole) {
    (self.viewModel, self.frame, self.accent) = (viewModel, frame, accent)
  }

  package var invalidation: Invalidation { viewModel.invalidation }

  package func restore(from other: any SubAppPane) {
    guard let other = other as? ThemePane else { return }
    viewModel.restore(from: other.viewModel)
    scroll = other.scroll
  }
  static let actions: Set<KeyAction> = .moves.union([
    .open, .toggle, .add, .editFile, .dayOrNight,
  ])
  package var acceptedActions: Set<KeyAction>? { Self.actions }
  package var keyTexts: String { "theme" }
  package var hintedActions: Set<KeyAction>? {
    [.open, .selectNext, .cancel, .toggleTheme, .add, .editFile, .dayOrNight]
  }

  private static let firstRow = 2
  private static let previewColumns = 28

  package func draw(into surface: inout Surface) {
    let size = surface.size
    let left = 1
    let columns = max(1, size.columns - left - 1)
    buttons = []
    let end = surface.write(
      (isFocused ? frame.glyphs.marker + " " : "") + viewModel.title, row: 0, column: left,
      role: isFocused ? .strong : accent, limit: columns)
    var column = end + 3
    if frame.glyphs.isLinear { column = surface.write(", ", row: 0, column: end, role: .dim) }
    drawAutomatic(column: column, limit: left + columns, into: &surface)
    if frame.glyphs.isLinear { return drawLinear(left: left, columns: columns, into: &surface) }
    let isWide = columns >= Self.previewColumns + 27 && size.rows >= 14
    let listColumns = isWide ? columns - Self.previewColumns - 1 : columns
    // The colours, the buttons, and a sample line where there is no box.
    let hasButtons = size.rows >= 14
    let below = size.rows >= 8 ? (isWide ? 2 : 3) + (hasButtons ? 1 : 0) : 0
    drawList(left: left, columns: listColumns, bottom: size.rows - below, into: &surface)
    guard below > 0 else { return }
    let last = size.rows - (hasButtons ? 2 : 1)
    surface.write(
      viewModel.colors.truncated(columns: columns, mark: frame.glyphs.ellipsis),
      row: last, column: left, role: .dim)
    if hasButtons { drawButtons(row: size.rows - 1, left: left, columns: columns, into: &surface) }
    guard isWide else {
      surface.write(
        shortSample.truncated(columns: columns, mark: frame.glyphs.ellipsis), row: last - 1,
        column: left)
      return
    }
    let lines = sample
    let box = Rect(
      row: Self.firstRow, column: left + listColumns + 1,
      rows: min(lines.count + 2, size.rows - below - Self.firstRow), columns: Self.previewColumns)
    let inner = BoxFrame.draw(
      box, title: frame.localizer("themes.preview"), role: .border, glyphs: frame.glyphs,
      into: &surface)
    surface.fill(inner, role: .plain)
    for (offset, line) in lines.prefix(inner.size.rows).enumerated() {
      surface.write(
        line.truncated(columns: inner.size.columns - 1, mark: frame.glyphs.ellipsis),
        row: inner.origin.row + offset, column: inner.origin.column + 1)
    }
  }

  /// Draws the box for a theme that follows the surroundings: Space, or a click, changes that.
  private func drawAutomatic(column: Int, limit: Int, into surface: inout Surface) {
    let room = limit - column
    let box = viewModel.isAutomatic ? "[x] " : "[ ] "
    let (long, short) = viewModel.automatic
    let text = box + (box.columns + long.columns <= room ? long : short)
    guard text.columns <= room else { return }
    surface.write(text, row: 0, column: column, role: .plain)
    buttons.append((Rect(row: 0, column: column, rows: 1, columns: text.columns), .toggle))
  }

  private func drawButtons(row: Int, left: Int, columns: Int, into surface: inout Surface) {
    var column = left
    for (key, action) in [
      ("themes.keep", KeyAction.open), ("themes.undo", .cancel), ("themes.newFrom", .add),
    ] {
      let text = "[ \(frame.localizer(key)) ]"
      guard column + text.columns <= left + columns else { break }
      // A button that has no effect now is shown dimmed.
      let role: StyleRole =
        action == .cancel && !viewModel.isTrying
        ? .dim : action == .open ? .buttonDefault : .button
      surface.write(text, row: row, column: column, role: role)
      buttons.append((Rect(row: row, column: column, rows: 1, columns: text.columns), action))
      column += text.columns + 2
    }
  }

  /// The list, and below it the conversation and the colours, for a screen reader.
  private func drawLinear(left: Int, columns: Int, into surface: inout Surface) {
    let size = surface.size
    let sample =
      size.rows >= 16
      ? self.sample.map { line -> StyledText in
        // Blanks that separate things are only visual.
        var isBlank = true
        return StyledText(
          runs: line.runs.map { run in
            let letters = run.text.filter { letter in
              defer { isBlank = letter == " " }
              return !(isBlank && letter == " ")
            }
            return .init(letters, run.role)
          })
      } : []
    let most = size.rows - Self.firstRow - sample.count - (sample.isEmpty ? 1 : 3)
    let rows = max(1, min(viewModel.items.count, most))
    drawList(left: left, columns: columns, bottom: Self.firstRow + rows, into: &surface)
    var row = Self.firstRow + rows + 1
    if !sample.isEmpty {
      surface.write(
        text("themes.preview") + ":", row: row, column: left, role: .heading, limit: columns)
    }
    for line in sample {
      row += 1
      surface.write(
        line.truncated(columns: columns, mark: frame.glyphs.ellipsis), row: row, column: left)
    }
    surface.write(
      viewModel.colors.truncated(columns: columns, mark: frame.glyphs.ellipsis),
      row: size.rows - 1, column: left, role: .dim)
  }

  private func drawList(left: Int, columns: Int, bottom: Int, into surface: inout Surface) {
    let mark = frame.glyphs.ellipsis
    let items = viewModel.items
    let rows = max(1, bottom - Self.firstRow)
    scroll.show(items.firstIndex(where: \.isSelected), of: items.count, rows: rows)
    shown = Array(items.dropFirst(scroll.top).prefix(rows))
    let notes = items.reduce(0) { max($0, $1.note.columns) }
    for (offset, item) in shown.enumerated() {
      let row = Self.firstRow + offset
      if frame.glyphs.isLinear {
        surface.writeLinear(
          [(item.title, item.isKept ? .strong : .plain), (item.note, .dim)], row: row,
          column: left + 2, limit: columns - 2, mark: mark)
        if item.isSelected {
          surface.select(
            row: row, column: left, columns: columns, marker: frame.glyphs.marker,
            isFocused: isFocused)
        }
        continue
      }
      if item.isKept { surface.write("*", row: row, column: left + 1, role: .key) }
      surface.write(item.mark, row: row, column: left + 2, role: .dim)
      let room = max(1, columns - 4 - (item.note.isEmpty ? 0 : notes + 1))
      surface.write(
        item.title.truncated(columns: room, mark: mark), row: row, column: left + 4,
        role: item.isKept ? .strong : .plain)
      surface.write(item.note, row: row, column: left + columns - notes, role: .dim)
      if item.isSelected {
        surface.select(
          row: row, column: left, columns: columns, marker: frame.glyphs.marker,
          isFocused: isFocused)
      }
    }
  }

  // MARK: What it looks like

  private func text(_ key: String) -> String { frame.localizer(key) }

  private var shortSample: StyledText {
    StyledText(runs: [
      .init("14:01 ", .time), .init("Bob ", .nick3), .init(text("themes.sample.hello") + " "),
      .init(text("themes.sample.bold"), .strong), .init("  @alice ", .mention),
      .init(text("themes.sample.link"), .link),
    ])
  }

  /// A conversation with a sample of each style, and a note about the contrast.
  private var sample: [StyledText] {
    let glyphs = frame.glyphs
    let rule = String(repeating: glyphs.horizontal, count: 2)
    let new = String(repeating: glyphs.newRule, count: 3)
    let contrast = viewModel.contrast
    return [
      StyledText("\(rule) \(text("themes.sample.date")) \(rule)", .day),
      StyledText(runs: [
        .init("14:01 ", .time), .init("Bob  ", .nick3), .init(text("themes.sample.hello") + " "),
        .init(text("themes.sample.bold"), .strong),
      ]),
      StyledText(runs: [
        .init("14:02 ", .time), .init(frame.localizer("timeline.you") + "  ", .nickMe),
        .init(text("themes.sample.hi") + "   "), .init(glyphs.read, .tickRead),
      ]),
      StyledText("\(new) \(text("themes.sample.new")) \(new)", .unreadMarker),
      StyledText(runs: [
        .init("14:03 ", .time), .init("Chloe  ", .nick6), .init("@alice", .mention),
        .init(" " + text("themes.sample.look")),
      ]),
      StyledText(runs: [
        .init(text("themes.sample.link"), .link), .init(text("list.separator")),
        .init("`\(text("themes.sample.code"))`", .code), .init(text("list.separator")),
        .init("> " + text("themes.sample.quote"), .quote),
      ]),
      StyledText(runs: [
        .init(glyphs.online, .presenceOnline), .init(" "), .init(glyphs.away, .presenceAway),
        .init(" "), .init(glyphs.busy, .presenceBusy), .init(" "),
        .init(glyphs.offline, .presenceOffline), .init("  "), .init(" 2 ", .badge), .init(" "),
        .init(" @1 ", .badgeMention),
      ]),
      StyledText(contrast.text, contrast.isEnough ? .statusOK : .statusWarning),
    ]
  }

  // MARK: Input

  package func perform(_ action: KeyAction) -> KeyDisposition {
    if viewModel.move(action, page: shown.count) { return .handled }
    switch action {
    case .open: viewModel.keep()
    case .toggle: viewModel.toggleAutomatic()
    case .add: viewModel.askForCopy()
    case .editFile: viewModel.edit()
    case .dayOrNight: viewModel.keepForHours()
    case .cancel: return viewModel.undo() ? .handled : .ignored
    default: return .ignored
    }
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    if viewModel.move(mouse) { return .handled }
    if mouse.action == .press, mouse.button == 1,
      let button = buttons.first(where: { $0.frame.contains(mouse.at) })
    {
      _ = perform(button.action)
      return .handled
    }
    let index = mouse.at.row - Self.firstRow
    guard mouse.action == .press, mouse.button == 1, shown.indices.contains(index) else {
      return .ignored
    }
    if shown[index].isSelected { viewModel.keep() } else { viewModel.select(shown[index].id) }
    return .handled
  }
}
