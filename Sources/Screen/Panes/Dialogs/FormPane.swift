import Keys
import NatterCore
import Terminal
import Text
import ViewModels

/// Draws a form in a box and handles its keys (interface.md, "Forms").
///
/// The focus is shown by `>` and brackets, by the hardware cursor, and last by colour. The fields
/// scroll if they do not fit; messages, the buttons at the end and the line of key hints stay.
package final class FormPane: OverlayPane {
  package var invalidation: Invalidation { form().invalidation }
  package private(set) var isDismissed = false
  package let hidesOthers: Bool
  package private(set) var hintLine = HintLine()
  package var closesOnClickBeside: Bool { false }
  package var practisesKeys: Bool { form().practisesKeys }

  private let form: () -> FormViewModel
  /// The glyphs from the next drawing on.
  package var glyphs: Glyphs
  private let spelling: KeySpelling
  /// Columns and least rows of the box on a large screen.
  private let comfortable: () -> Size
  private let editing = FieldEditing()
  private var dialogLayout = DialogLayout()
  private let dialogHints: [KeyHint]

  // Results of the last drawing.
  private var scroll = 0
  private var scrolledFor: (title: String, focus: FormField.ID?, size: Size?) = ("", nil, nil)
  private var scrollLimit = 0
  private var page = 1
  private var isFocusPinned = false
  var targets: [Target<FormField.ID>] = []

  /// - Parameters:
  ///   - comfortable: the size of the box where there is room; it grows with its content.
  ///   - hidesOthers: whether nothing else is visible.
  ///   - form: returns the form to draw, called at each use: a key may replace it.
  package init(
    comfortable: @escaping () -> Size = { Size(rows: 17, columns: 66) }, hidesOthers: Bool = false,
    glyphs: Glyphs,
    localizer: Localizer, form: @escaping () -> FormViewModel
  ) {
    self.comfortable = comfortable
    self.hidesOthers = hidesOthers
    self.glyphs = glyphs
    spelling = KeySpelling(localizer: localizer)
    dialogHints = [
      localizer.hint("dialog.keysMove"), localizer.hint("dialog.keysPress"),
      localizer.wayOut("dialog.keysClose"),
    ]
    self.form = form
  }

  package func use(_ bindings: KeyBindingTable) { editing.bindings = bindings }

  package func dismiss() { form().cancel() }

  /// Removes the pane from the screen; the form and its contents stay.
  package func close() { isDismissed = true }

  package func preferredSize(in size: Size) -> Size {
    guard !Self.isCramped(size) else { return size }
    let comfortable = comfortable()
    let columns = min(comfortable.columns, size.columns - 2)
    let form = form()
    let rows = FormRows(form.fields, columns: columns - 2, isCompact: false, hasSpacers: true)
    let message = messageRows(form.message, columns: columns - 2).count
    // Borders, the blank row at the top, the key hints and the blank row above them.
    var needed = rows.body.count + 5
    if !rows.pinned.isEmpty { needed += rows.pinned.count + 1 }
    if message > 0 { needed += message + 1 }
    if let dialog = form.dialog {
      let box = DialogLayout.size(
        of: dialog, in: Size(rows: size.rows, columns: columns), hints: hints(of: dialog))
      needed = max(needed, box.rows + 2)
    }
    return Size(rows: min(size.rows - 2, max(comfortable.rows, needed)), columns: columns)
  }

  /// Returns whether the box gets the whole screen of `size`, with the key hints below it.
  private static func isCramped(_ size: Size) -> Bool { size.rows < 20 || size.columns < 60 }

  // MARK: - Drawing

  package func draw(into surface: inout Surface) {
    let form = form()
    targets = []
    hintLine.clear()
    let size = surface.size
    guard size.rows > 0, size.columns > 0 else { return }
    let isCompact = size.columns < 58
    let isLinear = glyphs.isLinear
    let hasKeysBelow = size.rows < 17 || isCompact || isLinear
    let boxRows = hasKeysBelow && size.rows > 3 ? size.rows - 1 : size.rows
    let inner = BoxFrame.draw(
      Rect(row: 0, column: 0, rows: boxRows, columns: size.columns), title: form.title,
      glyphs: glyphs, into: &surface)
    let columns = inner.size.columns

    // From below: the key hints, the message, the pinned buttons; the rest is for the fields.
    var bottom = inner.origin.row + inner.size.rows
    let isTall = inner.size.rows >= 14
    var keysRow = size.rows - 1
    if !hasKeysBelow {
      keysRow = bottom - 1
      bottom -= isTall ? 2 : 1
    }
    // The other rows are for its title, a message and the buttons.
    let codeRows = inner.size.rows - 5
    var rows = FormRows(
      form.fields, columns: columns, isCompact: isCompact, hasSpacers: true, codeRows: codeRows,
      isLinear: isLinear)
    var message = messageRows(form.message, columns: columns)
    let most = max(1, inner.size.rows / 2)
    if message.count > most, let lines = form.message?.compactLines, let level = form.message?.level
    {
      message = messageRows(FormMessage(level, lines), columns: columns)
    }
    let reserved = min(message.count, most)
    var room = bottom - inner.origin.row - reserved - rows.pinned.count
    if rows.body.count > room - (isTall ? 2 : 0) {
      // If space is short, fields take precedence over blank rows.
      let tight = FormRows(
        form.fields, columns: columns, isCompact: isCompact,
        hasSpacers: rows.body.count <= room, codeRows: codeRows, isLinear: isLinear)
      rows = tight
      room = bottom - inner.origin.row - reserved - rows.pinned.count
    }
    let isLoose = rows.body.count <= room - 2
    if isLinear {
      // For a screen reader, buttons and messages directly follow their fields, wherever the screen
      // ends.
      let gaps = isLoose ? (reserved > 0 ? 1 : 0) + (rows.pinned.isEmpty ? 0 : 1) : 0
      let needed = rows.body.count + reserved + rows.pinned.count + gaps
      bottom = min(bottom, inner.origin.row + needed)
    }

    if reserved > 0 {
      bottom -= reserved
      drawMessage(
        message, level: form.message?.level ?? .info, reserved: reserved, row: bottom,
        column: inner.origin.column, columns: columns, into: &surface)
      if isLoose { bottom -= 1 }
    }
    for row in rows.pinned.reversed() {
      bottom -= 1
      draw(row, form: form, row: bottom, in: inner, dimmed: form.isBusy, into: &surface)
    }
    if !rows.pinned.isEmpty {
      let trailer = isLinear ? "" : form.trailer
      let column = inner.origin.column + columns - 1 - trailer.columns
      if case .buttons(let buttons)? = rows.pinned.last,
        let last = buttons.last,
        inner.origin.column + last.column + last.button.columns + 2 < column
      {
        surface.write(
          trailer, row: bottom + rows.pinned.count - 1, column: column, role: .dim)
      }
      if isLoose { bottom -= 1 }
    }
    let top = inner.origin.row + (isLoose && isTall && !isLinear ? 1 : 0)
    let cursor = surface.cursor
    drawBody(
      rows, form: form,
      rect: Rect(
        row: top, column: inner.origin.column, rows: bottom - top, columns: columns), into: &surface
    )
    if surface.cursor == nil { surface.cursor = cursor }
    if scrollLimit > 0, inner.size.rows < boxRows, !isLinear {
      drawMore(box: Rect(row: 0, column: 0, rows: boxRows, columns: size.columns), into: &surface)
    }
    if keysRow < size.rows, keysRow >= inner.origin.row, boxRows < size.rows || !hasKeysBelow {
      let more = scrollLimit > 0 ? [KeyHint(form.moreHint)] : []
      let width = hasKeysBelow ? size.columns : columns - 2
      let hints =
        more
        + form.shownKeyHints {
          !isCompact || HintLine.fits(more + $0, columns: width, isLinear: isLinear)
        }
      hintLine.draw(
        hints, row: keysRow, column: hasKeysBelow ? 0 : inner.origin.column + 1,
        columns: width, isLinear: isLinear, into: &surface)
    }
    if let dialog = form.dialog {
      dialogLayout.draw(dialog, centredIn: &surface, glyphs: glyphs, hints: hints(of: dialog))
    }
    surface.keepCursorInside()
  }

  /// The key hints of a dialog above the form: only a question and a list have any.
  private func hints(of dialog: Dialog) -> [KeyHint] {
    dialog.isList || dialog.level == .question ? dialogHints : []
  }

  private func drawBody(
    _ rows: FormRows, form: FormViewModel, rect: Rect, into surface: inout Surface
  ) {
    scrollLimit = max(0, rows.body.count - max(0, rect.size.rows))
    page = max(1, rect.size.rows - 1)
    isFocusPinned = form.focus.map { id in rows.pinned.contains { $0.holds(id) } } ?? true
    guard rect.size.rows > 0 else { return }
    let situation = (form.title, form.focus, Optional(rect.size))
    if scrolledFor != situation {
      if scrolledFor.title != form.title { scroll = 0 }
      scrolledFor = situation
      if let focus = form.focus, let row = rows.body.firstIndex(where: { $0.holds(focus) }) {
        // The note under the field belongs to it.
        var last = row
        while last + 1 < rows.body.count, case .text = rows.body[last + 1] { last += 1 }
        scroll = max(min(scroll, row), min(row, last - rect.size.rows + 1))
        if row < rect.size.rows, last < rect.size.rows { scroll = 0 }
      }
    }
    scroll = min(max(0, scroll), scrollLimit)
    for (offset, row) in rows.body.dropFirst(scroll).prefix(rect.size.rows).enumerated() {
      draw(
        row, form: form, row: rect.origin.row + offset, in: rect, dimmed: form.isBusy,
        into: &surface)
    }
  }

  private func drawMore(box: Rect, into surface: inout Surface) {
    let column = box.size.columns - 3
    guard column > 0 else { return }
    if scroll > 0 { surface.write("^", row: 0, column: column, role: .key) }
    if scroll < scrollLimit {
      surface.write("v", row: box.size.rows - 1, column: column, role: .key)
    }
  }

  private func messageRows(_ message: FormMessage?, columns: Int) -> [String] {
    guard let message else { return [] }
    let width = max(1, columns - 2)
    return message.lines.enumerated().flatMap { index, line in
      let text = index == 0 && message.level == .error ? "! " + line : line
      return LineWrap.rows(of: text, width: width).map(String.init)
    }
  }

  private func drawMessage(
    _ lines: [String], level: FormMessage.Level, reserved: Int, row: Int, column: Int,
    columns: Int, into surface: inout Surface
  ) {
    let role: StyleRole =
      switch level {
      case .error: .statusError
      case .info, .progress: .statusInfo
      }
    for (offset, line) in lines.prefix(reserved).enumerated() {
      let isCut = offset == reserved - 1 && lines.count > reserved
      surface.write(
        isCut
          ? (line + glyphs.ellipsis).truncated(columns: columns - 2, mark: glyphs.ellipsis) : line,
        row: row + offset, column: column + 1, role: role, limit: columns - 2)
      if glyphs.isLinear { surface.announce(row: row + offset, number: line.hashValue) }
    }
  }

  // MARK: - Keys

  package func handle(_ key: Key) -> KeyDisposition {
    let form = form()
    if let dialog = form.dialog { return handle(key, in: dialog, of: form) }
    if let onChord = form.onChord, onChord(spelling([key])) { return .handled }
    let isText = form.focusedField?.isText == true
    switch (key.code, key.modifiers) {
    case (.tab, []): form.focusNext()
    case (.tab, .shift): form.focusPrevious()
    case (.down, []):
      if isFocusPinned, scroll < scrollLimit { scroll(by: 1) } else { form.focusNext() }
    case (.up, []): if isFocusPinned, scroll > 0 { scroll(by: -1) } else { form.focusPrevious() }
    case (.pageDown, []): scroll(by: page)
    case (.pageUp, []): scroll(by: -page)
    case (.enter, []): form.confirm()
    case (.escape, []), (.character("g"), .control): form.cancel()
    case (.character("v"), .alt): form.togglePasswords()
    case (.left, []) where !isText: form.turn(by: -1)
    case (.right, []) where !isText: form.turn(by: 1)
    case (.character(" "), []) where !isText: form.toggle()
    default:
      if isText, !form.isBusy, editing.handle(key, in: form) { return .handled }
      // Letters never reach what is behind the form.
      if case .character = key.code, key.modifiers.isEmpty { return .handled }
      return .ignored
    }
    return .handled
  }

  private func handle(_ key: Key, in dialog: Dialog, of form: FormViewModel) -> KeyDisposition {
    switch dialogLayout.command(for: key, in: dialog) {
    case .press: form.pressDialog()
    case .choose(let id):
      form.dialog?.focus(on: id)
      form.pressDialog()
    case .cancel: form.cancel()
    case .move(let step): form.dialog?.moveFocus(by: step)
    case .scrolled: invalidation.raise()
    case .swallow: break
    case .ignore: return .ignored
    }
    return .handled
  }

  package func handlePaste(_ text: String) -> KeyDisposition {
    let form = form()
    guard form.dialog == nil, !form.isBusy, form.focusedField?.isText == true else {
      return .handled
    }
    editing.paste(text, into: form)
    return .handled
  }

  package func handle(_ mouse: MouseEvent) -> KeyDisposition {
    let form = form()
    if let dialog = form.dialog {
      if mouse.action == .press, let id = dialogLayout.button(at: mouse.at, in: dialog) {
        form.pressDialog(id)
      }
      return .handled
    }
    switch mouse.action {
    case .wheelUp: scroll(by: -1)
    case .wheelDown: scroll(by: 1)
    case .press where mouse.button == 1:
      guard let id = targets.first(where: { $0.rect.contains(mouse.at) })?.id else { break }
      form.focus(on: id)
      switch form[id]?.kind {
      case .button: form.press(id)
      case .checkbox, .disclosure, .choice: form.toggle()
      default: break
      }
    default: break
    }
    return .handled
  }

  private func scroll(by step: Int) {
    let next = min(max(0, scroll + step), scrollLimit)
    guard next != scroll else { return }
    scroll = next
    invalidation.raise()
  }
}
