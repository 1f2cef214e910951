import Terminal
import Text
import ViewModels

/// The first visible row of a list, kept so that the list scrolls no more than it must.
nonisolated package struct ListScroll: Hashable, Sendable {
  /// The first row shown.
  package private(set) var top = 0

  package init() {}

  /// Makes `marked` visible, with the heading above it when it is the second of all.
  package mutating func show(_ marked: Int?, of count: Int, rows: Int) {
    guard rows > 0, count > rows else {
      top = 0
      return
    }
    if let marked {
      let first = marked == 1 ? 0 : marked
      if first < top { top = first }
      if marked >= top + rows { top = marked - rows + 1 }
    }
    top = max(0, min(top, count - rows))
  }
}

extension Surface {
  /// Fills a list at the side, with the border at its right.
  /// - Parameter isPage: whether it has the whole screen: then it has no border.
  /// - Returns: the number of columns left.
  mutating func drawSide(isPage: Bool, _ glyphs: Glyphs) -> Int {
    fill(Rect(row: 0, column: 0, rows: size.rows, columns: size.columns), role: .sidebar)
    guard !isPage else { return size.columns }
    let width = size.columns - 1
    for row in 0..<size.rows { write(glyphs.vertical, row: row, column: width, role: .border) }
    return width
  }
}
