import CPTY

extension VirtualTerminal {
  /// DEC special graphics (VT100 user guide, table 3-9), from `_` on.
  private static let lineDrawing = Array(
    "\u{A0}◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·".unicodeScalars)

  /// The columns of a character, as ncurses and the C library count them.
  static func width(of scalar: Unicode.Scalar) -> Int {
    scalar.value < 0x7f ? 1 : max(0, Int(cpty_width(scalar.value)))
  }

  /// Writes a printable character where the cursor is.
  mutating func write(_ scalar: Unicode.Scalar) {
    var scalar = scalar
    if charsets[shifted ? 1 : 0], (0x5f...0x7e).contains(scalar.value) {
      scalar = Self.lineDrawing[Int(scalar.value) - 0x5f]
    }
    let width = widened.contains(scalar) ? 2 : Self.width(of: scalar)
    if width == 0 { return combine(scalar) }
    guard width <= columns else { return }
    if wrapsNext || (cursor.column + width > columns && modes.contains(7)) {
      if modes.contains(7) {
        cursor.column = 0
        index()
      }
      wrapsNext = false
    }
    if cursor.column + width > columns { cursor.column = columns - width }
    if isInserting { insertCharacters(width) }
    clearHalves(at: cursor.column)
    if width == 2 { clearHalves(at: cursor.column + 1) }
    var cell = TerminalCell()
    cell.text = String(Character(scalar))
    cell.style = style
    cell.link = link
    cells[cursor.row][cursor.column] = cell
    if width == 2 {
      cell.text = ""
      cells[cursor.row][cursor.column + 1] = cell
    }
    lastCharacter = scalar
    if cursor.column + width >= columns {
      cursor.column = columns - 1
      wrapsNext = true
    } else {
      cursor.column += width
    }
  }

  /// Adds a mark of no width to the character before the cursor.
  private mutating func combine(_ scalar: Unicode.Scalar) {
    var column = wrapsNext ? cursor.column : cursor.column - 1
    guard column >= 0 else { return }
    if cells[cursor.row][column].text.isEmpty { column -= 1 }
    guard column >= 0 else { return }
    cells[cursor.row][column].text.unicodeScalars.append(scalar)
  }

  /// Takes away the other half of a wide character that is about to be overwritten at `column`.
  private mutating func clearHalves(at column: Int) {
    guard column < columns else { return }
    let row = cursor.row
    if cells[row][column].text.isEmpty, column > 0 { cells[row][column - 1].text = " " }
    if column + 1 < columns, cells[row][column + 1].text.isEmpty {
      cells[row][column + 1].text = " "
    }
  }

  /// A blank with the current background (back colour erase).
  var blank: TerminalCell {
    var cell = TerminalCell()
    cell.style.background = style.background
    return cell
  }

  mutating func erase(row: Int, columns range: Range<Int>) {
    let range = range.clamped(to: 0..<columns)
    guard !range.isEmpty else { return }
    // Half a wide character does not stay.
    if cells[row][range.lowerBound].text.isEmpty, range.lowerBound > 0 {
      cells[row][range.lowerBound - 1].text = " "
    }
    if range.upperBound < columns, cells[row][range.upperBound].text.isEmpty {
      cells[row][range.upperBound].text = " "
    }
    for column in range { cells[row][column] = blank }
  }

  /// ECH.
  mutating func eraseCharacters(_ count: Int) {
    erase(row: cursor.row, columns: cursor.column..<min(columns, cursor.column + count))
  }

  /// ICH.
  mutating func insertCharacters(_ count: Int) {
    let count = min(count, columns - cursor.column)
    clearHalves(at: cursor.column)
    cells[cursor.row].removeLast(count)
    cells[cursor.row].insert(
      contentsOf: Array(repeating: blank, count: count), at: cursor.column)
  }

  /// DCH.
  mutating func deleteCharacters(_ count: Int) {
    let count = min(count, columns - cursor.column)
    erase(row: cursor.row, columns: cursor.column..<cursor.column + count)
    cells[cursor.row].removeSubrange(cursor.column..<cursor.column + count)
    cells[cursor.row] += Array(repeating: blank, count: count)
  }

  private var blankRow: [TerminalCell] { Array(repeating: blank, count: columns) }

  /// Moves the rows from `first` to the bottom margin up; blank rows come in.
  mutating func scrollUp(_ count: Int, from first: Int? = nil) {
    let first = first ?? top
    for _ in 0..<min(count, bottom - first + 1) {
      cells.remove(at: first)
      cells.insert(blankRow, at: bottom)
    }
  }

  /// Moves the rows from `first` to the bottom margin down.
  mutating func scrollDown(_ count: Int, from first: Int? = nil) {
    let first = first ?? top
    for _ in 0..<min(count, bottom - first + 1) {
      cells.remove(at: bottom)
      cells.insert(blankRow, at: first)
    }
  }

  /// IND: down one row; at the bottom margin the rows move up instead.
  mutating func index() {
    if cursor.row == bottom {
      scrollUp(1)
    } else if cursor.row < rows - 1 {
      cursor.row += 1
    }
  }

  /// RI: up one row; at the top margin the rows move down instead.
  mutating func reverseIndex() {
    if cursor.row == top {
      scrollDown(1)
    } else if cursor.row > 0 {
      cursor.row -= 1
    }
  }

  mutating func saveCursor() {
    saved = SavedCursor(
      cursor: cursor, style: style, charsets: charsets, shifted: shifted, wrapsNext: wrapsNext)
  }

  mutating func restoreCursor() {
    guard let saved else {
      cursor = TerminalPoint(row: 0, column: 0)
      return
    }
    cursor = TerminalPoint(
      row: min(saved.cursor.row, rows - 1), column: min(saved.cursor.column, columns - 1))
    (style, charsets, shifted) = (saved.style, saved.charsets, saved.shifted)
    wrapsNext = saved.wrapsNext
  }

  mutating func showAlternate(_ isShown: Bool) {
    guard isShown != isAlternate else { return }
    if isShown {
      primary = cells
      cells = Array(repeating: blankRow, count: rows)
    } else if let primary {
      cells = primary
      self.primary = nil
    }
  }

  /// RIS.
  mutating func reset() {
    let before = self
    self = VirtualTerminal(rows: rows, columns: columns)
    (bells, unknown, answers) = (before.bells, before.unknown, before.answers)
    (modesEverSet, malformedBytes) = (before.modesEverSet, before.malformedBytes)
    systemCommands = before.systemCommands
  }
}
