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

  /// Returns the day that `date` is on in the user's time zone.
  package func calendarDay(of date: Date) -> CalendarDay {
    let shown = local(date)
    return CalendarDay(year: shown.year, month: shown.month, day: shown.day)
      ?? CalendarDay(number: Int((date.timeIntervalSince1970 / 86_400).rounded(.down)))
  }

  /// Returns the moment at which clocks in the user's time zone show `hour` and `minute` on a day.
  package func moment(hour: Int, minute: Int, on day: CalendarDay) -> Date {
    let guess = beginning(of: day).addingTimeInterval(Double(hour * 3600 + minute * 60))
    // Clocks may have been changed since the day began.
    let shown = local(guess)
    let days = calendarDay(of: guess).number - day.number
    let ahead = days * 1440 + (shown.hour - hour) * 60 + shown.minute - minute
    return guess.addingTimeInterval(-Double(ahead * 60))
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
