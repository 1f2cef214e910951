import FoundationEssentials
import Text

// Days and times of day in the user's time zone.
nonisolated extension ItemFormat {
  /// Returns the start of a day in the user's time zone.
  package func beginning(of day: CalendarDay) -> Date {
    let middle = Date(timeIntervalSince1970: Double(day.number) * 86_400)
    let shown = local(middle)
    let its = CalendarDay(year: shown.year, month: shown.month, day: shown.day) ?? day
    let seconds =
      (its.number - day.number) * 86_400 + shown.hour * 3600 + shown.minute * 60 + shown.second
    return middle.addingTimeInterval(-Double(seconds))
  }

  /// Returns `2026-11-28 21:04:10` in the user's time zone: the form for output that programs may
  /// read.
  package func stamp(_ date: Date) -> String {
    let shown = local(date)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let year = String(repeating: "0", count: max(0, 4 - "\(shown.year)".count)) + "\(shown.year)"
    return "\(year)-\(two(shown.month))-\(two(shown.day))"
      + " \(two(shown.hour)):\(two(shown.minute)):\(two(shown.second))"
  }
}
