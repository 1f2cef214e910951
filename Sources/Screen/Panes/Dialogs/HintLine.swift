import Terminal
import ViewModels

/// The key hints of an overlay or of a pane in one row, with their positions for clicks.
package struct HintLine {
  private var targets: [Target<String>] = []

  package init() {}

  /// Forgets the positions, before the row is redrawn.
  mutating func clear() { targets = [] }

  /// Returns whether all hints fit into `columns`.
  static func fits(_ hints: [KeyHint], columns: Int, isLinear: Bool = false) -> Bool {
    let shown = hints.map(\.text).filter { !$0.isEmpty }
    return shown.reduce(0) { $0 + $1.columns }
      + max(0, shown.count - 1) * gap(columns: columns, isLinear: isLinear) <= columns
  }

  private static func shown(_ hints: [KeyHint], columns: Int, gap: Int) -> [KeyHint] {
    let hints = hints.filter { !$0.text.isEmpty }
    let wayOut = hints.firstIndex(where: \.isWayOut)
    // The columns for the way out are not available to the hints before it.
    var reserved = wayOut.map { hints[$0].text.columns } ?? 0
    var (shown, used, hasRoom) = ([KeyHint](), 0, true)
    for (position, hint) in hints.enumerated() {
      let needed = (shown.isEmpty ? 0 : gap) + hint.text.columns
      if position == wayOut {
        reserved = 0
      } else {
        hasRoom = hasRoom && used + needed + (reserved == 0 ? 0 : gap + reserved) <= columns
        guard hasRoom || shown.isEmpty && wayOut == nil else { continue }
      }
      shown.append(hint)
      used += needed
    }
    return shown
  }

  private static func gap(columns: Int, isLinear: Bool) -> Int {
    columns >= 56 && !isLinear ? 3 : 2
  }

  /// Draws as many of `hints` as fit into `columns`, from the first, and the way out in any case;
  /// at least one, which may be cut.
  /// - Parameter isLinear: whether they are for a screen reader: a wide gap is only visual.
  mutating func draw(
    _ hints: [KeyHint], row: Int, column: Int, columns: Int, isLinear: Bool = false,
    into surface: inout Surface
  ) {
    clear()
    let gap = Self.gap(columns: columns, isLinear: isLinear)
    var position = column
    for hint in Self.shown(hints, columns: columns, gap: gap) {
      let text = hint.text.truncated(columns: columns)
      surface.write(
        text, row: row, column: position, role: .dim, limit: column + columns - position)
      add(text, row: row, column: position)
      position += text.columns + gap
    }
  }

  /// Records the position of `text`, which begins with a key or with several keys separated by
  /// slashes.
  /// - Parameter more: the number of columns after it that belong to it.
  mutating func add(_ text: String, row: Int, column: Int, more: Int = 0) {
    var column = column
    var rest = Substring(text)
    // The slash may be the key itself.
    while let slash = rest.firstIndex(of: "/"), slash != rest.startIndex,
      !rest[..<slash].contains(" "), rest.index(after: slash) != rest.endIndex
    {
      add(String(rest[..<slash]), at: Point(row: row, column: column), more: 1)
      column += rest[..<slash].columns + 1
      rest = rest[rest.index(after: slash)...]
    }
    add(String(rest), at: Point(row: row, column: column), more: more)
  }

  private mutating func add(_ text: String, at position: Point, more: Int) {
    let columns = text.columns + more
    targets.append(
      Target(
        rect: Rect(row: position.row, column: position.column, rows: 1, columns: columns), id: text)
    )
  }

  /// The text at `point`, which begins with a key; `nil`: nothing.
  func text(at point: Point) -> String? { targets.first { $0.rect.contains(point) }?.id }
}
