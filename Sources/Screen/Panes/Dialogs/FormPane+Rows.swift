import NatterCore
import Terminal
import Text
import ViewModels

// The rows of a form: fields, buttons, and the text between them.
extension FormPane {
  func draw(
    _ content: FormRow, form: FormViewModel, row: Int, in rect: Rect, dimmed: Bool,
    into surface: inout Surface
  ) {
    let left = rect.origin.column
    let columns = rect.size.columns
    let plain: StyleRole = dimmed ? .dim : .overlay
    func mark(_ field: FormField, cursorColumn: Int) {
      targets.append(
        Target(rect: Rect(row: row, column: left, rows: 1, columns: columns), id: field.id))
      guard form.focus == field.id, form.dialog == nil else { return }
      surface.write(glyphs.marker, row: row, column: left, role: .key)
      surface.cursor = Point(row: row, column: min(left + cursorColumn, left + columns - 1))
    }
    switch content {
    case .blank: break
    case .text(let text, let role, let column):
      surface.write(text, row: row, column: left + column, role: role, limit: columns - column)
    case .code(let text, let column):
      let end = surface.write(text, row: row, column: left + column, limit: columns - column)
      surface.paint(
        Rect(row: row, column: left + column, rows: 1, columns: end - left - column),
        .whiteOnBlack)
    case .entry(let term, let text, let column):
      let next = surface.write(
        term, row: row, column: left + column, role: .key, limit: columns - column)
      surface.write(
        text, row: row, column: next + 2, role: plain, limit: left + columns - next - 2)
    case .input(let field, let labelColumns):
      let start = drawLabel(
        field, row: row, left: left, columns: columns, labelColumns: labelColumns, role: plain,
        into: &surface)
      let width = max(1, columns - start - 3)
      let isSecret = field.kind == .password && !form.showsPasswords
      let text = isSecret ? String(repeating: "*", count: field.text.count) : field.text
      let role: StyleRole = field.error == nil ? .field : .fieldError
      if !glyphs.isLinear {
        surface.write("[", row: row, column: left + start, role: plain)
        surface.write("]", row: row, column: left + start + 1 + width, role: plain)
      }
      let position = surface.writeField(
        text, cursor: min(field.cursor, text.count), row: row, column: left + start + 1,
        columns: width, role: role)
      mark(field, cursorColumn: position - left)
    case .checkbox(let field):
      surface.write(
        "[\(field.isOn ? "x" : " ")] \(field.label)", row: row, column: left + 1, role: plain,
        limit: columns - 2)
      mark(field, cursorColumn: 2)
    case .choice(let field, let labelColumns):
      let start = drawLabel(
        field, row: row, left: left, columns: columns, labelColumns: labelColumns, role: plain,
        into: &surface)
      let room = columns - start - 1
      let word = (field.selectedWord ?? "").truncated(
        columns: max(0, room - 4), mark: glyphs.ellipsis)
      surface.write(
        "< \(word) >", row: row, column: left + start + (glyphs.isLinear ? 1 : 0),
        role: field.error == nil ? .field : .fieldError, limit: room)
      mark(field, cursorColumn: start + 2)
    case .disclosure(let field):
      surface.write(
        "\(field.isOn ? "^" : "v") \(field.label)", row: row, column: left + 1, role: plain,
        limit: columns - 2)
      mark(field, cursorColumn: 1)
    case .buttons(let buttons):
      for (button, column) in buttons {
        let isFocused = form.focus == button.id && !dimmed
        let position = left + 1 + column
        let limit = max(0, left + columns - position)
        if dimmed {
          let label = button.label.truncated(columns: max(1, limit - 4), mark: glyphs.ellipsis)
          surface.write(
            glyphs.isLinear ? "  \(label)" : "[ \(label) ]", row: row, column: position, role: .dim,
            limit: limit)
        } else {
          ButtonRow.draw(
            button, row: row, column: position, isFocused: isFocused,
            isDefault: form.defaultButton == button.id, isLinear: glyphs.isLinear, limit: limit,
            mark: glyphs.ellipsis, into: &surface)
        }
        targets.append(
          Target(
            rect: Rect(row: row, column: position, rows: 1, columns: button.columns), id: button.id)
        )
        if form.focus == button.id, form.dialog == nil {
          let column = position + (glyphs.isLinear ? 0 : 2)
          surface.cursor = Point(row: row, column: min(column, left + columns - 1))
        }
      }
    }
  }

  /// - Returns: the start of the field, from the left of the form: one column for all fields, or
  ///   directly after its label for a screen reader.
  private func drawLabel(
    _ field: FormField, row: Int, left: Int, columns: Int, labelColumns: Int, role: StyleRole,
    into surface: inout Surface
  ) -> Int {
    guard glyphs.isLinear else {
      surface.write(field.label, row: row, column: left + 1, role: role, limit: labelColumns)
      return labelColumns + (columns >= 56 ? 5 : 2)
    }
    let label = field.label.hasSuffix(":") ? field.label : field.label + ":"
    return surface.write(label, row: row, column: left + 1, role: role) - left
  }
}
