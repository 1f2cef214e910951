/// A date and time of a clock somewhere, in the Gregorian calendar.
struct LocalTime: Hashable {
  var year: Int
  var month: Int
  var day: Int
  /// Seconds since midnight; 0 to 86,400 (a leap second).
  var second: Int

  /// - Returns: `nil` for a date that does not exist.
  init?(year: Int, month: Int, day: Int, second: Int = 0) {
    guard (1970...9999).contains(year), (1...12).contains(month), (0...86_400).contains(second),
      day >= 1, day <= Self.days(year, month)
    else { return nil }
    (self.year, self.month, self.day, self.second) = (year, month, day, second)
  }

  /// The seconds since 1970-01-01T00:00:00 on the same clock.
  var seconds: Int {
    // Years begin in March here, so that the leap day is the last of its year.
    let years = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let days = years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
    return days * 86_400 + second
  }

  private static func days(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}
