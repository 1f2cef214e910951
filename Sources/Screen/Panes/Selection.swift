import Terminal

extension Surface {
  /// Marks a row of a list as the selected one: with the marker, and if the list has the focus,
  /// with the selection style and the cursor.
  mutating func select(
    row: Int, column: Int, columns: Int, marker: String, isFocused: Bool
  ) {
    write(marker, row: row, column: column, role: .strong)
    guard isFocused else { return }
    restyle(Rect(row: row, column: column, rows: 1, columns: columns), role: .selection)
    cursor = Point(row: row, column: column)
  }
}
