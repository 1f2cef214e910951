import Terminal

/// Rows for a screen reader: the parts of an item one after the other, without columns.
extension Surface {
  /// Writes the parts that are not empty, with a comma between them.
  /// - Parameters:
  ///   - limit: columns; text that does not fit is cut, with `mark` at its end.
  ///   - kept: the number of parts that have to fit: the first, a name, is cut for them, to a third
  ///   of the row at most.
  /// - Returns: the column after the last cell written.
  @discardableResult
  mutating func writeLinear(
    _ parts: [(text: String, role: StyleRole)], row: Int, column: Int, limit: Int, kept: Int = 1,
    mark: String
  ) -> Int {
    let others = parts.prefix(kept).dropFirst().filter { !$0.text.isEmpty }
      .reduce(0) { $0 + $1.text.columns + 2 }
    var pen = column
    for (position, (text, role)) in parts.enumerated() {
      let words = text.split(separator: " ").joined(separator: " ")
      guard !words.isEmpty else { continue }
      let gap = pen > column ? 2 : 0
      var room = limit - (pen - column) - gap
      guard room > 0 else { break }
      if gap > 0 { pen = write(", ", row: row, column: pen, role: .dim) }
      if position == 0 { room = max(room / 3, room - others) }
      pen = write(
        words.truncated(columns: room, mark: mark), row: row, column: pen, role: role, limit: room)
    }
    return pen
  }
}
