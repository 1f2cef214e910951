import Terminal
import ViewModels

/// The keys of an overlay or of a pane, with what they do, in one row; and where each stands, for whoever clicks on it.
package struct HintLine {
  private var targets: [Target<String>] = []

  package init() {}

  /// Forgets where its keys were, as before what is under it is drawn anew.
  mutating func clear() { targets = [] }

  /// Whether all of them stand in a line of `columns`.
  static func fits(_ hints: [String], columns: Int, isLinear: Bool = false) -> Bool {
    let shown = hints.filter { !$0.isEmpty }
    return shown.reduce(0) { $0 + $1.columns }
      + max(0, shown.count - 1) * gap(columns: columns, isLinear: isLinear) <= columns
  }

  private static func gap(columns: Int, isLinear: Bool) -> Int {
    columns >= 56 && !isLinear ? 3 : 2
  }

  /// Draws as many of `hints` as fit into `columns`, from the first; never none, but that one may be cut.
  /// - Parameters:
  ///   - hints: a key and what it does, as `Esc close`; of several keys the label goes with the last.
  ///   - isLinear: whether they are to be heard: a wide gap is for the eye.
  mutating func draw(
    _ hints: [String], row: Int, column: Int, columns: Int, isLinear: Bool = false,
    into surface: inout Surface
  ) {
    clear()
    let gap = Self.gap(columns: columns, isLinear: isLinear)
    var place = column
    for hint in hints where !hint.isEmpty {
      var hint = hint
      if place + hint.columns > column + columns {
        guard place == column else { return }
        hint = hint.truncated(columns: columns)
      }
      surface.write(hint, row: row, column: place, role: .dim, limit: column + columns - place)
      add(hint, row: row, column: place)
      place += hint.columns + gap
    }
  }

  /// Takes down that `text`, which begins with a key or with several that have a slash between them, stands there.
  /// - Parameter more: how many columns behind it belong to it.
  mutating func add(_ text: String, row: Int, column: Int, more: Int = 0) {
    var column = column
    var rest = Substring(text)
    // A slash may be the key.
    while let slash = rest.firstIndex(of: "/"), slash != rest.startIndex,
      !rest[..<slash].contains(" "), rest.index(after: slash) != rest.endIndex
    {
      add(String(rest[..<slash]), at: Point(row: row, column: column), more: 1)
      column += rest[..<slash].columns + 1
      rest = rest[rest.index(after: slash)...]
    }
    add(String(rest), at: Point(row: row, column: column), more: more)
  }

  private mutating func add(_ text: String, at place: Point, more: Int) {
    let columns = text.columns + more
    targets.append(
      Target(
        rect: Rect(row: place.row, column: place.column, rows: 1, columns: columns), id: text))
  }

  /// What stands at `point`; it begins with a key. `nil`: nothing.
  func text(at point: Point) -> String? { targets.first { $0.rect.contains(point) }?.id }
}
