import Terminal
import ViewModels

/// One row of a form's body, before it is drawn.
enum FormRow {
  case blank
  case text(String, role: StyleRole, column: Int)
  /// A line of a QR code.
  case code(String, column: Int)
  /// A term in one column and its meaning in the next.
  case entry(term: String, text: String, column: Int)
  case input(FormField, labelColumns: Int)
  case checkbox(FormField)
  case choice(FormField, labelColumns: Int)
  case disclosure(FormField)
  case buttons([(button: ButtonRow.Button, column: Int)])

  /// Returns whether the field is in this row.
  func holds(_ id: FormField.ID) -> Bool {
    switch self {
    case .input(let field, _), .choice(let field, _), .checkbox(let field), .disclosure(let field):
      field.id == id
    case .buttons(let buttons): buttons.contains { $0.button.id == id }
    case .blank, .text, .code, .entry: false
    }
  }
}

/// A form's fields, laid out for a width: the part that scrolls, and the buttons that are always
/// visible.
struct FormRows {
  private(set) var body: [FormRow] = []
  /// Buttons at the end of the form: they stay while the text above them scrolls.
  private(set) var pinned: [FormRow] = []

  /// - Parameters:
  ///   - columns: the width inside the border.
  ///   - isCompact: whether labels are short and gaps narrow.
  ///   - hasSpacers: whether blank rows are drawn.
  ///   - codeRows: the greatest number of rows of a QR code: one that is partly visible cannot be
  ///   scanned.
  ///   - isLinear: whether everything is stacked, for a screen reader.
  init(
    _ fields: [FormField], columns: Int, isCompact: Bool, hasSpacers: Bool, codeRows: Int = .max,
    isLinear: Bool = false
  ) {
    let shown = fields.filter { !$0.isHidden }
    let label = { (field: FormField) in isCompact ? field.compactLabel ?? field.label : field.label
    }
    let labelColumns = min(
      max(8, isLinear ? columns * 2 / 3 : columns / 3),
      shown.reduce(0) { most, field in
        switch field.kind {
        case .text, .password, .choice: max(most, label(field).columns)
        default: most
        }
      })
    let terms = shown.reduce(0) { most, field in
      if case .entry(let term) = field.kind { max(most, term.columns) } else { most }
    }
    let termColumns = min(terms, max(6, columns * 2 / 5))
    var index = 0
    while index < shown.count {
      let field = shown[index]
      switch field.kind {
      case .button:
        var buttons: [ButtonRow.Button] = []
        while index < shown.count, shown[index].kind == .button {
          buttons.append(ButtonRow.Button(id: shown[index].id, label: label(shown[index])))
          index += 1
        }
        let rows =
          isLinear
          ? buttons.map { FormRow.buttons([(button: $0, column: -1)]) }
          : ButtonRow.rows(buttons, columns: columns - 2, gap: isCompact ? 1 : 3)
            .map(FormRow.buttons)
        if index == shown.count { pinned = rows } else { body += rows }
        continue
      case .spacer: if hasSpacers { body.append(.blank) }
      case .paragraph:
        let column = isCompact ? 1 : 2
        let text =
          isLinear
          ? label(field).split(separator: "   ").joined(separator: ", ") : label(field)
        for line in LineWrap.rows(of: text, width: columns - column - 1) {
          body.append(.text(String(line), role: .overlay, column: column))
        }
      case .drawing, .code:
        let lines = label(field).split(separator: "\n", omittingEmptySubsequences: false)
        let widest = lines.reduce(0) { max($0, $1.columns) }
        // A drawing that does not fit is left out.
        guard lines.count == 1 || widest <= columns - 2 && !isLinear,
          field.kind != .code || lines.count <= codeRows
        else { break }
        for line in LineWrap.rows(of: field.hint ?? "", width: columns - 3) where field.hint != nil
        {
          body.append(.text(String(line), role: .overlay, column: isCompact ? 1 : 2))
        }
        let column = isCompact ? 1 : 4
        let position = max(0, min(column, columns - widest))
        for line in lines {
          body.append(
            field.kind == .code
              ? .code(String(line), column: position)
              : .text(
                String(line), role: lines.count == 1 ? .strong : .overlay, column: position))
        }
      case .entry(let term) where isLinear:
        let text = term.isEmpty ? label(field) : "\(term): \(label(field))"
        for line in LineWrap.rows(of: text, width: max(8, columns - 2)) {
          body.append(.text(String(line), role: .overlay, column: 1))
        }
      case .entry(let term):
        let column = isCompact ? 1 : 4
        let width = columns - column - termColumns - 3
        for (number, line) in LineWrap.rows(of: label(field), width: max(8, width)).enumerated() {
          let shownTerm = number == 0 ? term : ""
          body.append(
            .entry(
              term: shownTerm.padded(columns: termColumns), text: String(line), column: column))
        }
      case .text, .password:
        add(field, label(field), columns: labelColumns, at: 1) {
          .input($0, labelColumns: labelColumns)
        }
      case .choice:
        add(field, label(field), columns: labelColumns, at: 1) {
          .choice($0, labelColumns: labelColumns)
        }
      case .checkbox:
        // The box and a blank come before it.
        add(field, label(field), columns: columns - 6, at: 5) { .checkbox($0) }
      case .disclosure: body.append(.disclosure(Self.relabelled(field, label(field))))
      }
      body += Self.notes(
        of: field, columns: columns,
        indent: isCompact || isLinear ? 3 : labelColumns + (columns >= 56 ? 6 : 3),
        // The hint of a drawing is already above it.
        showsHint: hasSpacers && field.kind != .drawing && field.kind != .code)
      index += 1
    }
    // A blank row before the pinned buttons belongs to them.
    if !pinned.isEmpty {
      while case .blank? = body.last { body.removeLast() }
    }
  }

  /// Adds a field with its label; the rest of a label that is too long is in the rows below.
  /// - Parameters:
  ///   - columns: the label's width.
  ///   - column: the column where the label begins.
  private mutating func add(
    _ field: FormField, _ label: String, columns: Int, at column: Int,
    _ row: (FormField) -> FormRow
  ) {
    let lines = LineWrap.rows(of: label, width: max(1, columns))
    body.append(row(Self.relabelled(field, lines.first.map(String.init) ?? "")))
    for line in lines.dropFirst() {
      body.append(.text(String(line), role: .overlay, column: column))
    }
  }

  private static func relabelled(_ field: FormField, _ label: String) -> FormField {
    var field = field
    field.label = label
    return field
  }

  /// The error of a field, or else its hint.
  private static func notes(of field: FormField, columns: Int, indent: Int, showsHint: Bool)
    -> [FormRow]
  {
    if let error = field.error {
      return LineWrap.rows(of: "! " + error, width: columns - indent - 1).map {
        .text(String($0), role: .fieldError, column: indent)
      }
    }
    guard showsHint, let hint = field.hint, !hint.isEmpty else { return [] }
    let width = columns - indent - 1
    var rows = LineWrap.rows(of: hint, width: width).map { String($0) }
    // A hint may contain the typed text, of any length: it must not push the fields below away.
    if rows.count > 2 {
      rows = [rows[0], rows[1...].joined().truncated(columns: width)]
    }
    return rows.map { .text($0, role: .dim, column: indent) }
  }
}
