import Terminal

extension Surface {
  /// Marks a row of a list as the one that is chosen: its marker, and the selection's look and the cursor
  /// where keys go to that list.
  mutating func select(
    row: Int, column: Int, columns: Int, marker: String, isFocused: Bool
  ) {
    write(marker, row: row, column: column, role: .strong)
    guard isFocused else { return }
    restyle(Rect(row: row, column: column, rows: 1, columns: columns), role: .selection)
    cursor = Point(row: row, column: column)
  }
}
