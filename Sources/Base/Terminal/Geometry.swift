/// A position in character cells; row 0, column 0 is the top left.
package struct Point: Hashable, Sendable {
  package var row: Int
  package var column: Int
  package init(row: Int, column: Int) {
    self.row = row
    self.column = column
  }
}

/// A size in character cells.
package struct Size: Hashable, Sendable {
  package var rows: Int
  package var columns: Int
  package init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
  }
}

/// A rectangle of character cells.
package struct Rect: Hashable, Sendable {
  package var origin: Point
  package var size: Size

  package init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  package init(row: Int, column: Int, rows: Int, columns: Int) {
    self.init(
      origin: Point(row: row, column: column),
      size: Size(rows: max(0, rows), columns: max(0, columns)))
  }

  package func contains(_ point: Point) -> Bool {
    (origin.row..<origin.row + size.rows).contains(point.row)
      && (origin.column..<origin.column + size.columns).contains(point.column)
  }
  /// Returns whether a cell is in both.
  package func overlaps(_ other: Rect) -> Bool {
    origin.row < other.origin.row + other.size.rows && other.origin.row < origin.row + size.rows
      && origin.column < other.origin.column + other.size.columns
      && other.origin.column < origin.column + size.columns
  }
}
