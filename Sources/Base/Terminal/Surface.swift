/// One character position of a screen: a grapheme cluster and its role.
package struct Cell: Equatable, Sendable {
  /// One cluster of one or two columns.
  package var glyph: Character
  package var role: StyleRole
  /// `true` in the right half of a two-column glyph; such a cell is never drawn.
  package var isContinuation: Bool
  /// Colours that replace those of the role.
  package var paint: Paint?

  package init(
    _ glyph: Character, _ role: StyleRole = .plain, isContinuation: Bool = false,
    paint: Paint? = nil
  ) {
    self.glyph = glyph
    self.role = role
    self.isContinuation = isContinuation
    self.paint = paint
  }

  /// A blank in the plain role.
  package static let blank = Cell(" ")
}

/// A grid of cells that a pane draws into; it is independent of ncurses.
///
/// All text reaches the screen by `write`, which makes control characters, bidi overrides and other
/// invisible characters visible or drops them (interface.md, "Control characters"). Writing outside
/// the grid is clipped, never an error, so panes need not check how small their frame is.
package struct Surface: Equatable, Sendable {
  /// Rows and columns; never negative.
  package let size: Size
  private var cells: [Cell]
  /// The position of the hardware cursor, if this pane has the focus.
  package var cursor: Point?
  /// The pictures that the terminal draws by itself, above the cells.
  package internal(set) var pictures: [PositionedPicture] = []
  /// The links that the terminal opens by a click, above the cells.
  package internal(set) var links: [PositionedLink] = []
  /// The rows that are written as a whole when their announcement changes: a screen reader reads
  /// what is written, and a part of a sentence is useless. The value distinguishes an announcement
  /// from the next, even with the same text.
  package private(set) var announced: [Int: Int] = [:]
  /// The transformations of text that is written here.
  package let look: TextLook

  /// Creates a grid of blanks.
  package init(size: Size, look: TextLook = TextLook()) {
    self.look = look
    self.size = Size(rows: max(0, size.rows), columns: max(0, size.columns))
    cells = Array(repeating: .blank, count: self.size.rows * self.size.columns)
  }

  /// Accesses the cell at a position inside the grid. Text belongs through `write`, which makes it
  /// safe.
  package subscript(row: Int, column: Int) -> Cell {
    get { cells[row * size.columns + column] }
    set { cells[row * size.columns + column] = newValue }
  }

  /// Writes `text` from `column` on, made safe, clipped at the right edge and at `limit` columns.
  ///
  /// A glyph of two columns that is only half inside is not drawn. `column` may be negative: the
  /// part left of the edge is clipped too. Right-to-left text is reordered and emoji are spelled
  /// here, if `look` says so.
  /// - Returns: the column after the last cell written.
  @discardableResult
  package mutating func write(
    _ text: some StringProtocol, row: Int, column: Int, role: StyleRole = .plain,
    limit: Int = .max
  ) -> Int {
    if look.isPlain {
      return writeAsIs(text, row: row, column: column, role: role, limit: limit)
    }
    let room = max(0, min(limit, size.columns - column))
    return writeAsIs(
      look.drawn(String(text), room: room), row: row, column: column, role: role, limit: limit)
  }

  /// Writes text without the transformations of `look`: for text in visual order already, and for
  /// the input of the user.
  /// - Returns: the column after the last cell written.
  @discardableResult
  package mutating func writeAsIs(
    _ text: some StringProtocol, row: Int, column: Int, role: StyleRole = .plain,
    limit: Int = .max
  ) -> Int {
    guard row >= 0, row < size.rows, limit > 0, column < size.columns else { return column }
    let end = limit < size.columns - column ? column + limit : size.columns
    var pen = column
    let base = row * size.columns
    text.withBytes { bytes in
      scanClusters(bytes) { cluster in
        guard let character = cluster.character else {
          let next = pen + cluster.simpleColumns
          guard next <= end else { return false }
          put(
            Character(cluster.first), columns: cluster.simpleColumns, base: base, column: pen,
            role: role)
          pen = next
          return true
        }
        var fits = true
        SafeText.forEachGlyph(of: character) { glyph, columns in
          guard fits, pen + columns <= end else {
            fits = false
            return
          }
          put(glyph, columns: columns, base: base, column: pen, role: role)
          pen += columns
        }
        return fits
      }
    }
    return pen
  }

  /// Writes text in several roles, as `write` does.
  /// - Returns: the column after the last cell written.
  @discardableResult
  package mutating func write(
    _ text: StyledText, row: Int, column: Int, limit: Int = .max
  ) -> Int {
    var pen = column
    let drawn =
      look.isPlain ? text : look.drawn(text, room: max(0, min(limit, size.columns - column)))
    for run in drawn.runs {
      let used = pen - column
      guard used < limit else { break }
      let width = limit == .max ? .max : limit - used
      let next = writeAsIs(run.text, row: row, column: pen, role: run.role, limit: width)
      pen = next
    }
    return pen
  }

  /// Makes a row be written as a whole when it is first shown with this `number`.
  package mutating func announce(row: Int, number: Int) {
    if (0..<size.rows).contains(row) { announced[row] = number }
  }

  /// Writes a text field: the part that contains the cursor, padded to the field's width.
  /// - Parameters:
  ///   - cursor: the clusters before the cursor.
  ///   - columns: the width of the field; at least one.
  /// - Returns: the column of the cursor.
  package mutating func writeField(
    _ text: String, cursor: Int, row: Int, column: Int, columns: Int, role: StyleRole
  ) -> Int {
    var (before, behind) = (text.prefix(cursor), text.dropFirst(cursor))
    if let spelling = look.spelling {
      (before, behind) = (spelling(String(before))[...], spelling(String(behind))[...])
    }
    while before.columns > columns - 1, !before.isEmpty { before.removeFirst() }
    let shown = (before + behind).prefix(columns: columns)
    let end = min(size.columns, column + columns)
    var position = before.columns
    var pen = column
    if look.ordersText, BidiOrder.concerns(shown) {
      let turns = BidiOrder.isRightToLeft(shown)
      let visualColumns = BidiOrder.columns(shown, isRightToLeft: turns)
      position =
        before.count < visualColumns.count ? visualColumns[before.count] : turns ? 0 : shown.columns
      pen = writeAsIs(
        BidiOrder.visual(shown, isRightToLeft: turns), row: row, column: column, role: role,
        limit: columns)
    } else {
      pen = writeAsIs(shown, row: row, column: column, role: role, limit: columns)
    }
    if pen < end {
      fill(Rect(row: row, column: pen, rows: 1, columns: end - pen), role: role)
    }
    return column + min(position, columns - 1)
  }

  /// Fills `rect` with `glyph` in `role`.
  ///
  /// A glyph that is not one or two columns wide fills with blanks.
  package mutating func fill(_ rect: Rect, _ glyph: Character = " ", role: StyleRole = .plain) {
    let rows =
      max(
        0, rect.origin.row)..<max(
        max(0, rect.origin.row), min(size.rows, rect.origin.row + rect.size.rows))
    let first = max(0, rect.origin.column)
    let end = min(size.columns, rect.origin.column + rect.size.columns)
    guard first < end else { return }
    let glyphs = SafeText.glyphs(of: glyph)
    let (shown, columns) = glyphs.count == 1 ? glyphs[0] : (" ", 1)
    for row in rows {
      var column = first
      while column < end {
        let isWhole = column + columns <= end
        put(
          isWhole ? shown : " ", columns: isWhole ? columns : 1, base: row * size.columns,
          column: column, role: role)
        column += isWhole ? columns : 1
      }
    }
  }

  /// Gives the cells of `rect` another role and keeps their glyphs: for selections.
  /// - Parameter kept: the role of cells that keep it.
  package mutating func restyle(_ rect: Rect, role: StyleRole, except kept: StyleRole? = nil) {
    for row in max(0, rect.origin.row)..<max(0, min(size.rows, rect.origin.row + rect.size.rows)) {
      let first = max(0, rect.origin.column)
      let end = min(size.columns, rect.origin.column + rect.size.columns)
      for column in first..<max(first, end) where cells[row * size.columns + column].role != kept {
        cells[row * size.columns + column].role = role
      }
    }
  }

  /// Gives the cells of `rect` other colours and keeps their glyphs.
  package mutating func paint(_ rect: Rect, _ paint: Paint) {
    for row in max(0, rect.origin.row)..<max(0, min(size.rows, rect.origin.row + rect.size.rows)) {
      let first = max(0, rect.origin.column)
      let end = min(size.columns, rect.origin.column + rect.size.columns)
      for column in first..<max(first, end) { cells[row * size.columns + column].paint = paint }
    }
  }

  /// Copies another surface into this one, with its top left at the given position, clipped.
  package mutating func copy(_ other: Surface, row: Int, column: Int) {
    copyPictures(of: other, row: row, column: column)
    copyLinks(of: other, row: row, column: column)
    if !announced.isEmpty {
      for covered in row..<row + other.size.rows { announced[covered] = nil }
    }
    for (position, number) in other.announced { announce(row: row + position, number: number) }
    let rows = max(0, -row)..<max(max(0, -row), min(other.size.rows, size.rows - row))
    let columns =
      max(0, -column)..<max(max(0, -column), min(other.size.columns, size.columns - column))
    guard !columns.isEmpty else { return }
    for sourceRow in rows {
      let source = sourceRow * other.size.columns + columns.lowerBound
      let base = (row + sourceRow) * size.columns
      copyRow(
        other.cells[source..<source + columns.count], base: base,
        column: column + columns.lowerBound,
        // The right edge cuts a glyph in half.
        cutsLast: columns.upperBound < other.size.columns
          && other[sourceRow, columns.upperBound].isContinuation)
    }
  }

  /// Copies cells unchanged into the row whose first cell is `base`; glyphs that are cut in half at
  /// the sides of the old or the new cells become blanks.
  private mutating func copyRow(
    _ source: ArraySlice<Cell>, base: Int, column: Int, cutsLast: Bool
  ) {
    let first = base + column
    let end = first + source.count
    if cells[first].isContinuation, column > 0 { cells[first - 1].glyph = " " }
    if end < base + size.columns, cells[end].isContinuation {
      cells[end] = Cell(" ", cells[end].role)
    }
    source.withUnsafeBufferPointer { source in
      cells.withUnsafeMutableBufferPointer { cells in
        for index in source.indices { cells[first + index] = source[index] }
      }
    }
    // The left half was clipped.
    if cells[first].isContinuation { cells[first] = Cell(" ", cells[first].role) }
    if cutsLast { cells[end - 1] = Cell(" ", cells[end - 1].role) }
  }

  /// Returns the columns of a row from the first to the last cell that differs from `other`, which
  /// has the same size; empty if all are equal.
  package func changedColumns(row: Int, since other: Surface) -> Range<Int> {
    let base = row * size.columns
    return cells.withUnsafeBufferPointer { cells in
      other.cells.withUnsafeBufferPointer { others in
        var (first, end) = (base, base + size.columns)
        while first < end, cells[first] == others[first] { first += 1 }
        while end > first, cells[end - 1] == others[end - 1] { end -= 1 }
        return first - base..<end - base
      }
    }
  }

  /// Returns the columns of a row from the first to the last cell that is not a blank; empty if all
  /// are blank.
  package func usedColumns(row: Int) -> Range<Int> {
    let base = row * size.columns
    return cells.withUnsafeBufferPointer { cells in
      var (first, end) = (base, base + size.columns)
      let blank = Cell.blank
      while first < end, cells[first] == blank { first += 1 }
      while end > first, cells[end - 1] == blank { end -= 1 }
      return first - base..<end - base
    }
  }

  /// Writes one glyph into the row whose first cell is `base`; glyphs that are cut in half at its
  /// sides become blanks.
  @inline(__always)
  private mutating func put(
    _ glyph: Character, columns: Int, base: Int, column: Int, role: StyleRole
  ) {
    if column < 0 {
      // The right half of a glyph that begins outside.
      if column + columns > 0 { cells[base] = Cell(" ", role) }
      return
    }
    let index = base + column
    if cells[index].isContinuation, column > 0 { cells[index - 1].glyph = " " }
    let after = column + columns
    if after < size.columns, cells[base + after].isContinuation {
      cells[base + after] = Cell(" ", cells[base + after].role)
    }
    cells[index] = Cell(glyph, role)
    if columns == 2 { cells[index + 1] = Cell(" ", role, isContinuation: true) }
  }
}

extension Surface: CustomStringConvertible {
  /// The glyphs, one line per row, without trailing blanks, for snapshot tests.
  package var description: String {
    (0..<size.rows).map { text(row: $0) }.joined(separator: "\n")
  }

  /// Returns the glyphs of one row, without trailing blanks.
  package func text(row: Int) -> String {
    var line = ""
    for column in 0..<size.columns where !self[row, column].isContinuation {
      line.append(self[row, column].glyph)
    }
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Returns the role of each column of a row.
  package func roles(row: Int) -> [StyleRole] {
    (0..<size.columns).map { self[row, $0].role }
  }
}
