import CPTY

/// A terminal without glass: what a program's output would look like.
///
/// It understands what ncurses sends to xterm-256color, xterm-mono, screen-256color, tmux-256color,
/// linux and vt100 (ECMA-48, DEC STD 070, xterm's control sequences). Widths are the C library's,
/// as they are for ncurses. Sequences that it does not understand are in `unknown`.
package struct VirtualTerminal: Sendable, CustomStringConvertible {
  package internal(set) var rows: Int
  package internal(set) var columns: Int
  /// The visible cells, row by row.
  package internal(set) var cells: [[TerminalCell]]
  package internal(set) var cursor = TerminalPoint(row: 0, column: 0)
  /// The DEC private modes (`CSI ? n h`) that are on. At first: 7 autowrap, 25 cursor.
  package internal(set) var modes: Set<Int> = [7, 25]
  /// The private modes that were on at any time since the start, those at first left out.
  package internal(set) var modesEverSet: Set<Int> = []
  package internal(set) var isInserting = false
  package internal(set) var hasApplicationKeypad = false
  package internal(set) var title = ""
  /// Titles that `CSI 22 t` put aside.
  package internal(set) var titleStack: [String] = []
  /// The number of BEL characters.
  package internal(set) var bells = 0
  /// DECSCUSR's number; 0 is the user's own.
  package internal(set) var cursorShape = 0
  /// Other operating system commands (OSC) than titles, as they came.
  package internal(set) var systemCommands: [String] = []
  /// Sequences it did not understand, ESC written as `\e`.
  package internal(set) var unknown: [String] = []
  /// Malformed UTF-8, single C1 bytes included.
  package internal(set) var malformedBytes = 0
  /// The terminal's answers (device attributes, reports); the code that feeds it takes them.
  package var answers: [UInt8] = []
  /// Characters of one column that this terminal gives two (a setting of some for East Asian text).
  package var widened: Set<Unicode.Scalar> = []

  var style = TerminalCell.Style()
  /// The link that is written now (OSC 8).
  var link: String?
  var top = 0
  var bottom: Int
  /// The last column was written and the next character goes to the next row (xenl).
  var wrapsNext = false
  var tabStops: [Bool]
  var charsets: [Bool] = [false, false]  // whether G0, G1 are line drawing
  var shifted = false
  var lastCharacter: Unicode.Scalar?
  var saved: SavedCursor?
  /// The modes that `CSI ? n s` saved (XTSAVE).
  var savedModes: [Int: Bool] = [:]
  var primary: [[TerminalCell]]?
  var parser = Parser()

  /// The shown screen while a frame is incomplete (synchronised output, mode 2026).
  var held: (cells: [[TerminalCell]], cursor: TerminalPoint)?

  /// The screen that the user sees: never half of a frame.
  package var presented: VirtualTerminal {
    guard let held, held.cells.count == rows, held.cells.first?.count == columns else {
      return self
    }
    var glass = self
    (glass.cells, glass.cursor) = held
    glass.modes.remove(2026)
    return glass
  }

  struct SavedCursor: Sendable {
    var cursor: TerminalPoint
    var style: TerminalCell.Style
    var charsets: [Bool]
    var shifted: Bool
    var wrapsNext: Bool
  }

  package init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
    bottom = rows - 1
    cells = Array(repeating: Array(repeating: TerminalCell(), count: columns), count: rows)
    tabStops = (0..<columns).map { $0 % 8 == 0 }
  }

  /// Indicates whether the alternate screen is shown (`CSI ? 1049 h`).
  package var isAlternate: Bool { primary != nil }
  package var isCursorVisible: Bool { modes.contains(25) }

  /// The text of all rows, without blanks at their ends.
  package var description: String { lines.joined(separator: "\n") }

  /// The text of each row, without blanks at its end.
  package var lines: [String] { (0..<rows).map(text(row:)) }

  /// The text of one row, without blanks at its end.
  package func text(row: Int) -> String {
    var text = cells[row].map(\.text).joined()
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// The text of the cells in `columns` of one row, blanks included.
  package func text(row: Int, columns: Range<Int>) -> String {
    cells[row][columns.clamped(to: 0..<self.columns)].map(\.text).joined()
  }

  package subscript(row: Int, column: Int) -> TerminalCell { cells[row][column] }

  /// Indicates whether a row contains `text`.
  package func contains(_ text: String) -> Bool {
    (0..<rows).contains { self.text(row: $0, columns: 0..<columns).contains(text) }
  }

  /// The first position of `text`, from the top, then from the left; not across rows.
  package func find(_ text: String) -> TerminalPoint? {
    for row in 0..<rows where self.text(row: row, columns: 0..<columns).contains(text) {
      for column in 0..<columns
      where !cells[row][column].text.isEmpty
        && self.text(row: row, columns: column..<columns).hasPrefix(text)
      {
        return TerminalPoint(row: row, column: column)
      }
    }
    return nil
  }

  /// The cells without invisible attributes.
  package var seenCells: [[TerminalCell]] { cells.map { $0.map(\.seen) } }

  /// The style of the first cell of `text` on the screen.
  package func style(of text: String) -> TerminalCell.Style? {
    find(text).map { cells[$0.row][$0.column].style }
  }

  /// Indicates whether a cell has a colour of its own.
  package var hasColour: Bool {
    cells.contains { row in
      row.contains { $0.style.foreground != .standard || $0.style.background != .standard }
    }
  }

  /// Gives it another size as xterm does: rows go and come at the bottom, except that the cursor's
  /// row stays.
  package mutating func resize(rows newRows: Int, columns newColumns: Int) {
    let gone = max(0, cursor.row - (newRows - 1))
    cells = Self.resized(cells, dropping: gone, rows: newRows, columns: newColumns)
    primary = primary.map { Self.resized($0, dropping: 0, rows: newRows, columns: newColumns) }
    (rows, columns) = (newRows, newColumns)
    (top, bottom, wrapsNext) = (0, newRows - 1, false)
    cursor = TerminalPoint(
      row: min(cursor.row - gone, newRows - 1), column: min(cursor.column, newColumns - 1))
    tabStops = (0..<newColumns).map { $0 < tabStops.count ? tabStops[$0] : $0 % 8 == 0 }
  }

  private static func resized(
    _ cells: [[TerminalCell]], dropping: Int, rows: Int, columns: Int
  ) -> [[TerminalCell]] {
    var result = cells.dropFirst(dropping).prefix(rows).map { row in
      Array(row.prefix(columns))
        + Array(repeating: TerminalCell(), count: max(0, columns - row.count))
    }
    while result.count < rows { result.append(Array(repeating: TerminalCell(), count: columns)) }
    return result
  }
}
