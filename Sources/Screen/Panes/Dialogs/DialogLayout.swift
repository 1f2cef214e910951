import Terminal
import Text
import ViewModels

/// The layout of a dialog on the screen: its rows for a width, their scroll position, the positions
/// of its buttons.
struct DialogLayout {
  /// The effect of a key on a dialog.
  nonisolated enum Command: Hashable, Sendable {
    case press, cancel, scrolled
    case move(Int)
    case choose(Dialog.Button.ID)
    /// Neither for the dialog nor for what is behind it.
    case swallow
    case ignore
  }

  /// The positions of its key hints.
  private(set) var hintLine = HintLine()
  private var scroll = 0
  private var scrollLimit = 0
  private var page = 1
  private var drawn: Dialog?
  /// Indicates whether the buttons are stacked, for a screen reader.
  private var isLinear = false
  private var targets: [Target<Dialog.Button.ID>] = []

  init() {}

  /// The size that shows all of `dialog` on a screen of `size`.
  static func size(of dialog: Dialog, in size: Size, hints: [KeyHint]) -> Size {
    let columns = size.columns < 60 ? max(1, size.columns - 2) : min(64, size.columns - 4)
    let isCompact = columns < 58
    let lines = Self.rows(of: dialog, columns: columns - 4, isCompact: isCompact).count
    let buttons = buttonRows(of: dialog, columns: columns - 4, isCompact: isCompact).count
    // The border, and a blank row between text and buttons.
    let rows = max(
      BoxFrame.leastRows, lines + buttons + (lines == 0 ? 2 : 3) + (hints.isEmpty ? 0 : 1))
    return Size(rows: min(max(1, size.rows - 1), rows), columns: columns)
  }

  /// Draws `dialog` in the middle of `surface`.
  mutating func draw(
    _ dialog: Dialog, centredIn surface: inout Surface, glyphs: Glyphs, hints: [KeyHint]
  ) {
    var size = Self.size(of: dialog, in: surface.size, hints: hints)
    if glyphs.isLinear { size = surface.size }
    draw(
      dialog,
      in: Rect(
        row: max(0, (surface.size.rows - size.rows) / 2),
        column: max(0, (surface.size.columns - size.columns) / 2), rows: size.rows,
        columns: min(size.columns, surface.size.columns)), into: &surface, glyphs: glyphs,
      hints: hints)
  }

  /// Draws `dialog` into `rect`, its buttons and key hints at the lower edge, and puts the cursor
  /// on the button with the focus.
  mutating func draw(
    _ dialog: Dialog, in rect: Rect, into surface: inout Surface, glyphs: Glyphs, hints: [KeyHint]
  ) {
    if drawn?.title != dialog.title { scroll = 0 }
    isLinear = glyphs.isLinear
    drawn = dialog
    targets = []
    let title = dialog.level == .error ? "! " + dialog.title : dialog.title
    let inner = BoxFrame.draw(
      rect, title: title, role: dialog.level == .error ? .statusError : .borderFocus,
      glyphs: glyphs, into: &surface)
    let isCompact = rect.size.columns < 58
    let columns = max(1, inner.size.columns - 2)
    let left = inner.origin.column + 1
    let rows =
      isLinear
      ? Self.linearRows(of: dialog, columns: columns)
      : Self.rows(of: dialog, columns: columns, isCompact: isCompact)
    var buttons = Self.buttonRows(
      of: dialog, columns: columns, isCompact: isCompact, isLinear: isLinear)
    var bottom = inner.origin.row + inner.size.rows
    hintLine.clear()
    // Text and buttons take precedence over the key hints.
    if !hints.isEmpty, inner.size.rows > 4 || inner.size.rows > rows.count + buttons.count {
      bottom -= 1
      hintLine.draw(
        hints, row: bottom, column: left, columns: columns, isLinear: isLinear, into: &surface)
    }
    if isLinear {
      // For a screen reader, the buttons directly follow the text, wherever the screen ends.
      bottom = min(bottom, inner.origin.row + rows.count + (rows.isEmpty ? 0 : 1) + buttons.count)
    }
    let available = max(1, bottom - inner.origin.row)
    var (hasMoreAbove, hasMoreBelow) = (false, false)
    if buttons.count > available {
      // A long list shows the part around its focus.
      let first = min(max(0, dialog.focus - available / 2), buttons.count - available)
      (hasMoreAbove, hasMoreBelow) = (first > 0, first + available < buttons.count)
      buttons = Array(buttons[first..<first + available])
    }
    bottom -= buttons.count
    drawButtons(
      buttons, dialog: dialog, row: bottom, left: left, columns: columns, mark: glyphs.ellipsis,
      into: &surface)
    if rows.count < bottom - inner.origin.row { bottom -= 1 }
    let room = max(0, bottom - inner.origin.row)
    scrollLimit = max(0, rows.count - room)
    page = max(1, room - 1)
    scroll = min(max(0, scroll), scrollLimit)
    for (offset, row) in rows.dropFirst(scroll).prefix(room).enumerated() {
      surface.write(row, row: inner.origin.row + offset, column: left, limit: columns)
    }
    guard inner != rect, !isLinear else { return }
    let mark = rect.origin.column + rect.size.columns - 3
    if scroll > 0 || hasMoreAbove {
      surface.write("^", row: rect.origin.row, column: mark, role: .key)
    }
    if scroll < scrollLimit || hasMoreBelow {
      surface.write("v", row: rect.origin.row + rect.size.rows - 1, column: mark, role: .key)
    }
  }

  private mutating func drawButtons(
    _ rows: [[(button: ButtonRow.Button, column: Int)]], dialog: Dialog, row: Int, left: Int,
    columns: Int, mark: String, into surface: inout Surface
  ) {
    for (offset, buttons) in rows.enumerated() {
      for (button, column) in buttons {
        let isFocused = dialog.focusedButton?.id == button.id
        let position = Point(row: row + offset, column: left + column)
        ButtonRow.draw(
          button, row: position.row, column: position.column, isFocused: isFocused,
          isDefault: false,
          isLinear: isLinear, limit: columns - column, mark: mark, into: &surface)
        targets.append(
          Target(
            rect: Rect(
              row: position.row, column: position.column, rows: 1, columns: button.columns),
            id: button.id))
        if isFocused {
          surface.cursor = Point(
            row: min(max(0, position.row), max(0, surface.size.rows - 1)),
            column: position.column + (isLinear ? 0 : 2))
        }
      }
    }
  }

  private static func rows(of dialog: Dialog, columns: Int, isCompact: Bool) -> [StyledText] {
    let lines = isCompact ? dialog.compactLines ?? dialog.lines : dialog.lines
    let terms = lines.reduce(0) { most, line in
      if case .row(let term, _) = line { max(most, term.columns) } else { most }
    }
    let termColumns = min(terms, max(6, columns / 3))
    let indent = isCompact ? 0 : 2
    return lines.flatMap { line -> [StyledText] in
      switch line {
      case .blank: return [StyledText()]
      case .text(let text):
        return LineWrap.rows(of: text, width: max(1, columns)).map {
          StyledText(String($0), .overlay)
        }
      case .row(let term, let text):
        let gap = isCompact ? 1 : 3
        let width = max(8, columns - indent - termColumns - gap)
        return LineWrap.rows(of: text, width: width).enumerated().map { index, part in
          var row = StyledText(String(repeating: " ", count: indent), .overlay)
          row.append((index == 0 ? term : "").padded(columns: termColumns), .dim)
          row.append(String(repeating: " ", count: gap), .overlay)
          row.append(String(part), .overlay)
          return row
        }
      }
    }
  }

  /// The same without columns: a term, followed by its meaning.
  private static func linearRows(of dialog: Dialog, columns: Int) -> [StyledText] {
    dialog.lines.flatMap { line -> [StyledText] in
      let text =
        switch line {
        case .blank: ""
        case .text(let text): text
        case .row(let term, let text): term.isEmpty ? text : "\(term): \(text)"
        }
      guard !text.isEmpty else { return [StyledText()] }
      return LineWrap.rows(of: text, width: max(1, columns)).map {
        StyledText(String($0), .overlay)
      }
    }
  }

  private static func buttonRows(
    of dialog: Dialog, columns: Int, isCompact: Bool, isLinear: Bool = false
  ) -> [[(button: ButtonRow.Button, column: Int)]] {
    let buttons = dialog.buttons.map {
      ButtonRow.Button(
        id: $0.id, label: isCompact && !isLinear ? $0.compactLabel ?? $0.label : $0.label)
    }
    if dialog.isList || isLinear { return buttons.map { [(button: $0, column: 0)] } }
    return ButtonRow.rows(buttons, columns: columns, gap: isCompact ? 1 : 2)
  }

  // MARK: - Input

  /// The command of `key`; scrolling has already been applied.
  mutating func command(for key: Key, in dialog: Dialog) -> Command {
    if dialog.isList {
      if case .character(let letter) = key.code, key.modifiers.isEmpty,
        let index = dialog.keys.firstIndex(of: letter), dialog.buttons.indices.contains(index)
      {
        return .choose(dialog.buttons[index].id)
      }
      if case .character(let letter) = key.code, key.modifiers.isEmpty,
        let button = dialog.buttons.first(where: { $0.key == letter })
      {
        return .choose(button.id)
      }
      switch (key.code, key.modifiers) {
      case (.down, []), (.character("j"), []): return .move(1)
      case (.up, []), (.character("k"), []): return .move(-1)
      case (.home, []): return .move(-dialog.focus)
      case (.end, []): return .move(dialog.buttons.count - 1 - dialog.focus)
      default: break
      }
    }
    switch (key.code, key.modifiers) {
    case (.enter, []), (.character(" "), []): return .press
    case (.escape, []), (.character("g"), .control): return .cancel
    case (.tab, []), (.right, []): return .move(1)
    case (.tab, .shift), (.left, []): return .move(-1)
    case (.down, []) where !isLinear || scroll < scrollLimit: return scroll(by: 1)
    case (.up, []) where !isLinear || scroll > 0: return scroll(by: -1)
    case (.down, []): return .move(1)
    case (.up, []): return .move(-1)
    case (.pageDown, []): return scroll(by: page)
    case (.pageUp, []): return scroll(by: -page)
    case (.character, []): return .swallow
    default: return .ignore
    }
  }

  private mutating func scroll(by step: Int) -> Command {
    let next = min(max(0, scroll + step), scrollLimit)
    guard next != scroll else { return .swallow }
    scroll = next
    return .scrolled
  }

  func button(at point: Point, in dialog: Dialog) -> Dialog.Button.ID? {
    targets.first { $0.rect.contains(point) }?.id
  }
}
