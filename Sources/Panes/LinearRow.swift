import Terminal

/// Rows for whoever hears the screen: what there is to say of one thing, one part behind the other, no columns.
extension Surface {
  /// Writes the parts that are not empty, with a comma between them.
  /// - Parameters:
  ///   - limit: columns; what does not fit is cut, with `mark` at its end.
  /// - Returns: the column after the last cell written.
  @discardableResult
  mutating func writeLinear(
    _ parts: [(text: String, role: StyleRole)], row: Int, column: Int, limit: Int, mark: String
  ) -> Int {
    var pen = column
    for (text, role) in parts {
      let words = text.split(separator: " ").joined(separator: " ")
      guard !words.isEmpty else { continue }
      if pen > column { pen = write(", ", row: row, column: pen, role: .dim) }
      let room = limit - (pen - column)
      guard room > 0 else { break }
      pen = write(
        words.truncated(columns: room, mark: mark), row: row, column: pen, role: role, limit: room)
    }
    return pen
  }
}
