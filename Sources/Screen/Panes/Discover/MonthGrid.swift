import Terminal
import Text
import ViewModels

/// A small calendar of a month: its name, the days of the week, and a row for each week.
struct MonthGrid {
  private let month: MonthItem
  private let glyphs: Glyphs

  init(_ month: MonthItem, _ glyphs: Glyphs) {
    self.month = month
    self.glyphs = glyphs
  }

  /// Includes the blank at the left and the gap at the right.
  let columns = 1 + 7 * 3 + 2
  /// Includes the blank row below.
  var rows: Int { month.weeks.count + 3 }

  /// - Parameters:
  ///   - row: the uppermost row.
  ///   - rows: the greatest number of rows.
  /// - Returns: the number of rows drawn.
  @discardableResult func draw(into surface: inout Surface, row: Int, rows limit: Int) -> Int {
    guard limit > 0 else { return 0 }
    surface.write(
      month.title.truncated(columns: columns - 2, mark: glyphs.ellipsis), row: row, column: 1,
      role: .strong, limit: columns - 2)
    if limit > 1 {
      for (position, weekday) in month.weekdays.enumerated() {
        surface.write(
          String(repeating: " ", count: max(0, 2 - weekday.columns)) + weekday, row: row + 1,
          column: 1 + position * 3, role: .dim, limit: 2)
      }
    }
    for (number, week) in month.weeks.enumerated() where number + 2 < limit {
      for (position, day) in week.enumerated() where !day.text.isEmpty {
        let column = 1 + position * 3
        surface.write(
          String(repeating: " ", count: max(0, 2 - day.text.count)) + day.text,
          row: row + number + 2,
          column: column, role: day.isSelected ? .selection : day.isBusy ? .strong : .dim, limit: 2)
        // Visible without colours and bold letters, too.
        let mark = day.isBusy ? "*" : day.isToday ? "." : ""
        surface.write(mark, row: row + number + 2, column: column + 2, role: .statusOK, limit: 1)
      }
    }
    return min(limit, rows)
  }
}
