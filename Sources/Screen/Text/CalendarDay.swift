/// A day of the calendar, independent of any time zone.
nonisolated package struct CalendarDay: Hashable, Comparable, Sendable {
  /// Days since 1970-01-01; negative before it.
  package let number: Int

  package init(number: Int) { self.number = number }

  /// Creates a day; `nil` if it does not exist.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Self.length(of: month, in: year)).contains(day)
    else { return nil }
    // Years begin in March here, so that the leap day is the last day.
    let (shiftedYear, shiftedMonth) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
    let era = shiftedYear >= 0 ? shiftedYear / 400 : (shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
    number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Parses `2026-11-28`; `nil` for anything else.
  package init?(parsing text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]),
      let day = Int(parts[2])
    else { return nil }
    self.init(year: year, month: month, day: day)
  }

  package static func < (one: CalendarDay, other: CalendarDay) -> Bool {
    one.number < other.number
  }

  /// Year, month (1 to 12) and day (1 to 31).
  package var parts: (year: Int, month: Int, day: Int) {
    let shifted = number + 719_468
    let era = shifted >= 0 ? shifted / 146_097 : (shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  /// 1 for Monday to 7 for Sunday (ISO 8601).
  package var weekday: Int { ((number + 3) % 7 + 7) % 7 + 1 }

  /// Returns the day that many days later, or earlier if `days` is negative.
  package func adding(_ days: Int) -> CalendarDay { CalendarDay(number: number + days) }

  /// Returns the first day of its month, or of a month that is `months` later.
  package func firstOfMonth(adding months: Int = 0) -> CalendarDay {
    let parts = parts
    let month = parts.year * 12 + parts.month - 1 + months
    return CalendarDay(year: month / 12, month: month % 12 + 1, day: 1) ?? self
  }

  /// The date in the form `2026-11-28`.
  package var text: String {
    let parts = parts
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.year)-\(two(parts.month))-\(two(parts.day))"
  }

  private static func length(of month: Int, in year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}
