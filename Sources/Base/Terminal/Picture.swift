/// Colours of a cell that no theme determines, as in pictures.
package struct Paint: Hashable, Sendable {
  /// Indices of the 256 colours; `nil` uses the role's colour.
  package var foreground: UInt8?
  package var background: UInt8?

  package init(foreground: UInt8? = nil, background: UInt8? = nil) {
    self.foreground = foreground
    self.background = background
  }

  /// White glyphs on a black background.
  package static let whiteOnBlack = Paint(foreground: 231, background: 16)
}

/// A picture that the terminal can draw by itself.
package struct Picture: Hashable, Sendable {
  /// The source of the picture's bytes.
  package enum Source: Sendable {
    /// An absolute path that the terminal can read, too.
    case file(String)
    case bytes([UInt8])
    /// Rendered sixels.
    case sixels(Sixels)
  }

  /// The number of the picture in this run, from 1.
  package let id: UInt32
  /// The size in pixels.
  package let width: Int
  package let height: Int
  package let source: Source

  package init(id: UInt32, width: Int, height: Int, source: Source) {
    self.id = id
    self.width = width
    self.height = height
    self.source = source
  }

  package static func == (left: Picture, right: Picture) -> Bool { left.id == right.id }
  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// A picture at its position among the cells: the whole picture, or some of its rows.
package struct PositionedPicture: Hashable, Sendable {
  package let picture: Picture
  /// The visible cells.
  package private(set) var rect: Rect
  /// The number of rows that are cut off above `rect`.
  package private(set) var hiddenRows: Int
  /// The number of rows of cells of the whole picture.
  package let allRows: Int

  package init(_ picture: Picture, rect: Rect, hiddenRows: Int = 0, allRows: Int? = nil) {
    self.picture = picture
    self.rect = rect
    self.hiddenRows = hiddenRows
    self.allRows = allRows ?? rect.size.rows
  }

  /// Indicates whether every row is visible.
  package var isWhole: Bool { rect.size.rows == allRows }

  /// The visible pixel rows.
  package var pixelRows: Range<Int> {
    let first = picture.height * hiddenRows / allRows
    let end = picture.height * (hiddenRows + rect.size.rows) / allRows
    return first..<max(first + 1, end)
  }

  /// Returns the picture at another position, without the rows outside of `size`; `nil` when a
  /// column is outside, or the whole picture.
  func moved(row: Int, column: Int, within size: Size) -> PositionedPicture? {
    let (top, left) = (rect.origin.row + row, rect.origin.column + column)
    let first = max(0, top)
    let end = min(size.rows, top + rect.size.rows)
    guard first < end, left >= 0, left + rect.size.columns <= size.columns else { return nil }
    var moved = self
    moved.rect = Rect(row: first, column: left, rows: end - first, columns: rect.size.columns)
    moved.hiddenRows = hiddenRows + first - top
    return moved
  }
}

extension Surface {
  /// Makes the terminal draw a picture above the cells; rows outside are cut off.
  package mutating func position(_ picture: PositionedPicture) {
    if let inside = picture.moved(row: 0, column: 0, within: size) { pictures.append(inside) }
  }

  /// Adds the pictures of a surface that is copied to a position, and removes those that it covers.
  mutating func copyPictures(of other: Surface, row: Int, column: Int) {
    if !pictures.isEmpty {
      let covered = Rect(
        row: row, column: column, rows: other.size.rows, columns: other.size.columns)
      pictures.removeAll { $0.rect.overlaps(covered) }
    }
    for picture in other.pictures {
      if let inside = picture.moved(row: row, column: column, within: size) {
        pictures.append(inside)
      }
    }
  }
}
