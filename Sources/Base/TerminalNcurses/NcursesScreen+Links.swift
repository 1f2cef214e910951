import CNcurses
import Terminal

// Links that the terminal opens by itself, above the cells.
extension NcursesScreen {
  /// Returns whether the terminal named by the environment is known to open links.
  package static func opensLinks(environment: [String: String]) -> Bool {
    LinkOutput.isKnown(environment: environment)
  }

  /// Indicates whether links are written for the terminal. Applies from the next flush on.
  package var marksLinks: Bool {
    get { links != nil }
    set {
      guard newValue != marksLinks, modes.isXtermKind || !newValue else { return }
      set_term(screen)
      // Written anew, the rows have none.
      for row in links?.rows ?? [] where row < size.rows { wredrawln(window, CInt(row), 1) }
      links = newValue ? LinkOutput() : nil
      drawn = .nothing
    }
  }

  /// Returns the work that gives the terminal the links of `frame`.
  func linkChange(to frame: Surface) -> LinkOutput.Change {
    guard links != nil else { return LinkOutput.Change() }
    let wanted = frame.links.filter { link in
      link.columns.allSatisfy { isWrittenAsIs(row: link.row, column: $0, of: frame) }
    }
    return links?.change(to: wanted) { row in
      guard row < size.rows, let changed = drawn.changedColumns(row: row, to: frame) else {
        return true
      }
      return !changed.isEmpty
    } ?? LinkOutput.Change()
  }

  /// Returns whether a cell is written unchanged and as wide as in `frame`: else the rest shifts.
  private func isWrittenAsIs(row: Int, column: Int, of frame: Surface) -> Bool {
    let cell = frame[row, column]
    if cell.isContinuation { return true }
    let scalars = cell.glyph.unicodeScalars
    guard scalars.count == 1, let scalar = scalars.first, cell.paint == nil,
      scalar.isASCII || !isASCIIOnly
    else { return false }
    let isWide = column + 1 < size.columns && frame[row, column + 1].isContinuation
    return Int(natter_width(wchar_t(bitPattern: scalar.value))) == (isWide ? 2 : 1)
  }

  /// The bytes for links of `frame` whose cells are drawn already.
  func bytes(of links: [PositionedLink], in frame: Surface) -> String {
    links.reduce(into: "") { bytes, link in
      bytes += LinkOutput.bytes(link, cells: cells(link.columns, row: link.row, of: frame))
    }
  }

  /// Cells as ncurses has written them.
  private func cells(_ columns: Range<Int>, row: Int, of frame: Surface) -> String {
    var text = ""
    var role: StyleRole?
    for column in columns where !frame[row, column].isContinuation {
      let cell = frame[row, column]
      if cell.role != role { text += colors.selection(of: cell.role) }
      role = cell.role
      text.append(cell.glyph)
    }
    return text
  }
}
