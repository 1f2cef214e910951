import Keys
import Terminal
import Text
import ViewModels

/// The contents of an overlay with a query line, and its query.
protocol QueryTaking: AnyObject {
  var title: String { get }
  /// The key hints of its last line, the most important first.
  var hints: [KeyHint] { get }
  var query: String { get }
  /// The cursor's offset in graphemes.
  var cursor: Int { get }
  /// Sets the query after a key of the line editor.
  func edit(_ text: String, cursor: Int)
}

/// The same with a list below the line, with one row selected.
protocol QueryListing: QueryTaking {
  /// The number of rows of the list.
  var count: Int { get }
  /// The index of the selected row; `nil`: there is none.
  var selection: Int? { get }
  /// Moves the selection by `step` rows.
  func moveSelection(_ step: Int)
}

extension MessageSearch: QueryListing {}

extension PaletteViewModel: QueryListing {
  var count: Int { items.count }
  var selection: Int? { items.firstIndex(where: \.isSelected) }
}

extension FilePickerViewModel: QueryListing {
  var selection: Int? { count == 0 ? nil : selected }
}

/// The box of an overlay with a query line: its border, the line, its key hints at the lower edge,
/// and the list in between where there is one. The owner draws the rows, and handles its own keys.
struct OverlayList {
  /// The positions of its key hints.
  private(set) var hintLine = HintLine()
  private let glyphs: Glyphs
  private let editing = FieldEditing()
  private var scroll = ListScroll()
  /// The frame of the list's rows.
  private var area = Rect(row: 0, column: 0, rows: 0, columns: 0)
  /// Indicates whether the last key moved the selection rather than edited the line.
  private var hasMoved = false

  /// The columns of the query line that a status leaves to the query.
  private static let leastQueryColumns = 12

  init(glyphs: Glyphs) { self.glyphs = glyphs }

  /// The number of visible rows of the list.
  var rows: Int { area.size.rows }

  // MARK: Drawing

  /// Draws the box with its title and its key hints.
  /// - Parameters:
  ///   - leastRows: the rows inside from which there is a line of key hints.
  ///   - short: the key hints where the model's do not all fit.
  /// - Returns: the rest of the inside.
  mutating func drawBox(
    _ model: some QueryTaking, leastRows: Int = 6, short: [KeyHint]? = nil,
    into surface: inout Surface
  ) -> Rect {
    let inner = BoxFrame.draw(
      Rect(row: 0, column: 0, rows: surface.size.rows, columns: surface.size.columns),
      title: model.title, glyphs: glyphs, into: &surface)
    let left = inner.origin.column + 1
    let columns = max(1, inner.size.columns - 2)
    var rows = inner.size.rows
    hintLine.clear()
    if rows >= leastRows {
      rows -= 1
      let fits = HintLine.fits(model.hints, columns: columns, isLinear: glyphs.isLinear)
      hintLine.draw(
        fits ? model.hints : short ?? model.hints, row: inner.origin.row + rows, column: left,
        columns: columns,
        isLinear: glyphs.isLinear, into: &surface)
    }
    return Rect(row: inner.origin.row, column: left, rows: rows, columns: columns)
  }

  /// Draws the query line with the cursor in it.
  /// - Parameter status: the text at its right end.
  func drawLine(
    _ model: some QueryTaking, row: Int, left: Int, columns: Int, status: String = "",
    into surface: inout Surface
  ) {
    // Names of accounts and filters may be long: the query keeps a part of the row. For a screen
    // reader the status has a row of its own.
    let room = glyphs.isLinear ? columns : columns - Self.leastQueryColumns
    let status = status.truncated(columns: max(0, room), mark: glyphs.ellipsis)
    if glyphs.isLinear {
      // It changes with each key, and is announced as a whole.
      surface.write(status, row: row + 1, column: left, role: .dim, limit: columns)
      if !status.isEmpty { surface.announce(row: row + 1, number: status.hashValue) }
    } else {
      surface.write(status, row: row, column: left + columns - status.columns, role: .dim)
    }
    let start = surface.write(glyphs.marker + " ", row: row, column: left, role: .key)
    let width = max(
      1,
      columns - (start - left)
        - (status.isEmpty || glyphs.isLinear ? 0 : status.columns + 1))
    let end = surface.writeField(
      model.query, cursor: model.cursor, row: row, column: start, columns: width, role: .field)
    surface.cursor = Point(row: row, column: end)
  }

  /// Draws the visible rows, with the selected one marked; matches in it stay marked as such.
  /// - Parameters:
  ///   - textColumn: where the text of a row begins, from the left: a screen reader reads at the
  ///   cursor.
  ///   - draw: draws the row with that index of the list into that row of the surface.
  mutating func drawRows(
    _ model: some QueryListing, in area: Rect, textColumn: Int, into surface: inout Surface,
    draw: (Int, Int, inout Surface) -> Void
  ) {
    self.area = area
    let selection = model.selection
    scroll.show(selection, of: model.count, rows: area.size.rows)
    let left = area.origin.column
    for offset in 0..<max(0, min(area.size.rows, model.count - scroll.top)) {
      let (index, row) = (scroll.top + offset, area.origin.row + offset)
      draw(index, row, &surface)
      guard index == selection else { continue }
      surface.write(glyphs.marker, row: row, column: left, role: .strong)
      surface.restyle(
        Rect(row: row, column: left, rows: 1, columns: area.size.columns), role: .selection,
        except: .searchMatch)
      if glyphs.isLinear, hasMoved { surface.cursor = Point(row: row, column: left + textColumn) }
    }
  }

  // MARK: Input

  /// Returns whether `key` closes every overlay of this kind.
  static func closes(_ key: Key) -> Bool {
    switch (key.code, key.modifiers) {
    case (.escape, []), (.character("g"), .control), (.character("c"), .control): true
    default: false
    }
  }

  /// Uses these bindings in the line.
  func use(_ bindings: KeyBindingTable) { editing.bindings = bindings }

  /// Handles the keys of the list and those of the line.
  mutating func take(_ key: Key, for model: some QueryListing) -> KeyDisposition {
    let page = max(2, rows - 1)
    hasMoved = true
    switch (key.code, key.modifiers) {
    case (.down, []), (.character("n"), .control): model.moveSelection(1)
    case (.up, []), (.character("p"), .control): model.moveSelection(-1)
    case (.pageDown, []): model.moveSelection(page)
    case (.pageUp, []): model.moveSelection(-page)
    default:
      hasMoved = false
      return edit(key, in: model)
    }
    return .handled
  }

  /// Handles the keys of the line.
  func edit(_ key: Key, in model: some QueryTaking) -> KeyDisposition {
    guard let edited = editing.handle(key, text: model.query, cursor: model.cursor)
    else { return .ignored }
    model.edit(edited.text, cursor: edited.cursor)
    return .handled
  }

  func paste(_ text: String, into model: some QueryTaking) -> KeyDisposition {
    let edited = editing.paste(text, text: model.query, cursor: model.cursor)
    model.edit(edited.text, cursor: edited.cursor)
    return .handled
  }

  /// Handles the wheel and clicks.
  /// - Returns: the index of the row that was clicked; `nil`: none.
  func pressed(_ mouse: MouseEvent, in model: some QueryListing) -> Int? {
    switch mouse.action {
    case .press where mouse.button == 1:
      let offset = mouse.at.row - area.origin.row
      guard (0..<rows).contains(offset), scroll.top + offset < model.count else { return nil }
      return scroll.top + offset
    case .wheelUp: model.moveSelection(-1)
    case .wheelDown: model.moveSelection(1)
    default: break
    }
    return nil
  }
}
