/// One character position of a screen: a grapheme cluster and the role it is drawn in.
package struct Cell: Equatable, Sendable {
  package var glyph: Character
  package var role: StyleRole
  /// `true` in the right half of a two-column glyph; such a cell is never drawn.
  package var isContinuation: Bool

  package init(_ glyph: Character, _ role: StyleRole = .plain, isContinuation: Bool = false) {
    self.glyph = glyph
    self.role = role
    self.isContinuation = isContinuation
  }

  package static let blank = Cell(" ")
}

/// A grid of cells a pane draws into; it knows nothing of ncurses.
///
/// `write` is the one way for text to reach the screen, so it is where control characters, bidi
/// overrides and other invisible characters are made visible or dropped (UX.md 4.2).
/// Writing outside the grid is clipped, never an error, so a pane need not care how small its frame has become.
package struct Surface: Equatable, Sendable {
  package let size: Size
  private var cells: [Cell]
  /// Where the hardware cursor belongs, if this pane has the focus.
  package var cursor: Point?

  package init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank, count: max(0, size.rows * size.columns))
  }

  package subscript(row: Int, column: Int) -> Cell {
    get { cells[row * size.columns + column] }
    set { cells[row * size.columns + column] = newValue }
  }

  /// Writes `text` from `column` on, made safe, clipped at the right edge and at `limit` columns.
  /// - Returns: the column after the last cell written.
  @discardableResult
  package mutating func write(
    _ text: some StringProtocol, row: Int, column: Int, role: StyleRole = .plain,
    limit: Int = .max
  ) -> Int {
    column
  }

  /// Fills `rect` with `glyph` in `role`.
  package mutating func fill(_ rect: Rect, _ glyph: Character = " ", role: StyleRole = .plain) {}
}
