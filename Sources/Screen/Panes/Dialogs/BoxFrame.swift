import Terminal
import Text
import ViewModels

/// The border of a dialog with its title, and the area inside.
enum BoxFrame {
  /// The least rows of a box with a border.
  static let leastRows = 5

  /// The size of a box with pages of text on a screen of `size`.
  static func pageSize(in size: Size) -> Size {
    size.columns < 60
      ? Size(rows: size.rows - 1, columns: size.columns)
      : Size(
        rows: size.rows < 20 ? size.rows - 1 : size.rows - 4,
        columns: size.columns - (size.columns < 100 ? 4 : 20))
  }

  /// Draws the border along the edges of `rect` and fills it.
  /// - Returns: the area inside; all of `rect` where there is no room for a border.
  static func draw(
    _ rect: Rect, title: String, role: StyleRole = .borderFocus, glyphs: Glyphs,
    into surface: inout Surface
  ) -> Rect {
    surface.fill(rect, role: .overlay)
    if glyphs.isLinear { return drawTitle(title, of: rect, glyphs: glyphs, into: &surface) }
    let (rows, columns) = (rect.size.rows, rect.size.columns)
    guard rows >= leastRows, columns >= 16, glyphs.corners.count == 4 else { return rect }
    let (top, left) = (rect.origin.row, rect.origin.column)
    let rule = String(repeating: glyphs.horizontal, count: columns - 2)
    surface.write(
      glyphs.corners[0] + rule + glyphs.corners[1], row: top, column: left, role: role)
    surface.write(
      glyphs.corners[2] + rule + glyphs.corners[3], row: top + rows - 1, column: left, role: role)
    for row in top + 1..<top + rows - 1 {
      surface.write(glyphs.vertical, row: row, column: left, role: role)
      surface.write(glyphs.vertical, row: row, column: left + columns - 1, role: role)
    }
    let shown = title.truncated(columns: columns - 6, mark: glyphs.ellipsis)
    surface.write(" \(shown) ", row: top, column: left + 2, role: .heading)
    return Rect(row: top + 1, column: left + 1, rows: rows - 2, columns: columns - 2)
  }

  /// Draws the title above everything else for a screen reader, without a border.
  private static func drawTitle(
    _ title: String, of rect: Rect, glyphs: Glyphs, into surface: inout Surface
  ) -> Rect {
    let (rows, columns) = (rect.size.rows, rect.size.columns)
    guard rows >= 3 else { return rect }
    // Blanks that set a number apart from the text are only visual.
    let words = title.split(separator: " ").joined(separator: " ")
    surface.write(
      words.truncated(columns: columns, mark: glyphs.ellipsis), row: rect.origin.row,
      column: rect.origin.column, role: .heading)
    return Rect(
      row: rect.origin.row + 1, column: rect.origin.column, rows: rows - 1, columns: columns)
  }
}

/// A part of the screen that the mouse can press.
nonisolated struct Target<ID: Hashable & Sendable>: Hashable, Sendable {
  let rect: Rect
  let id: ID
}

/// A row of buttons, broken into as many rows as it needs.
enum ButtonRow {
  nonisolated struct Button: Hashable, Sendable {
    let id: String
    let label: String
    var columns: Int { label.columns + 4 }
  }

  /// The buttons of each row, with their columns.
  static func rows(_ buttons: [Button], columns: Int, gap: Int) -> [[(button: Button, column: Int)]]
  {
    var rows: [[(button: Button, column: Int)]] = []
    var column = 0
    for button in buttons {
      if rows.isEmpty || column + button.columns > columns {
        rows.append([])
        column = 0
      }
      rows[rows.count - 1].append((button, column))
      column += button.columns + gap
    }
    return rows
  }

  /// Draws one button: brackets for all, angles in them for the one with the focus.
  /// - Parameter mark: replaces the end of a label that is too long.
  static func draw(
    _ button: Button, row: Int, column: Int, isFocused: Bool, isDefault: Bool,
    isLinear: Bool = false, limit: Int, mark: String, into surface: inout Surface
  ) {
    let label = button.label.truncated(columns: max(1, limit - (isLinear ? 2 : 4)), mark: mark)
    // A screen reader would read the brackets aloud.
    let text =
      isLinear ? (isFocused ? "> " : "  ") + label : isFocused ? "[>\(label)<]" : "[ \(label) ]"
    surface.write(
      text, row: row, column: column,
      role: isFocused ? .selection : isDefault ? .buttonDefault : .button,
      limit: limit)
  }
}

extension Surface {
  /// Moves a cursor that is outside, because its field had no room, to the nearest cell.
  mutating func keepCursorInside() {
    guard let position = cursor else { return }
    guard size.rows > 0, size.columns > 0 else { return cursor = nil }
    cursor = Point(
      row: min(max(0, position.row), size.rows - 1),
      column: min(max(0, position.column), size.columns - 1))
  }
}
