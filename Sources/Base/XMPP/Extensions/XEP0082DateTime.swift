import FoundationEssentials

/// XMPP's format of dates and times (XEP-0082 §3): `1969-07-21T02:56:15.123Z`.
package enum XEP0082DateTime {
  /// Parses a date with time and zone; `nil` when `text` is something else. Written by hand for
  /// speed: it runs for each archived message.
  package static func date(from text: String) -> Date? {
    var scanner = DigitScanner(text)
    guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2),
      scanner.skip("-"), let day = scanner.number(2), scanner.skip("T"),
      let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2),
      scanner.skip(":"), let second = scanner.number(2),
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let fraction = scanner.fraction()
    guard let offset = scanner.zone() else { return nil }
    let days = daysSinceEpoch(year: year, month: month, day: day)
    let seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset
    return Date(timeIntervalSince1970: Double(seconds) + fraction)
  }

  /// Formats `date` in UTC with milliseconds.
  package static func text(for date: Date) -> String {
    let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
    let seconds = milliseconds.flooredDivision(by: 1000)
    let days = seconds.quotient.flooredDivision(by: 86400)
    let (year, month, day) = civil(fromDays: days.quotient)
    func pad(_ number: Int, _ width: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let time = days.remainder
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(time / 3600, 2)):"
      + "\(pad(time / 60 % 60, 2)):\(pad(time % 60, 2)).\(pad(seconds.remainder, 3))Z"
  }

  /// Returns the days since 1970-01-01 in the proleptic Gregorian calendar (H. Hinnant's
  /// days_from_civil).
  private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
    let y = month <= 2 ? year - 1 : year
    let era = y.flooredDivision(by: 400)
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = era.remainder * 365 + era.remainder / 4 - era.remainder / 100 + dayOfYear
    return era.quotient * 146_097 + dayOfEra - 719_468
  }

  private static func civil(fromDays days: Int) -> (Int, Int, Int) {
    let era = (days + 719_468).flooredDivision(by: 146_097)
    let dayOfEra = era.remainder
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shifted + 2) / 5 + 1
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era.quotient * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Int {
  /// Returns the greatest quotient that is not above the exact one, and the remainder, from 0 up to
  /// the divisor: days and seconds before 1970 count backwards, and times of day do not.
  /// - Parameter divisor: positive.
  package func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

private struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  mutating func skip(_ character: Character) -> Bool {
    guard let first = rest.first, first == character.asciiValue else { return false }
    rest.removeFirst()
    return true
  }

  mutating func number(_ digits: Int) -> Int? {
    var value = 0
    for _ in 0..<digits {
      guard let byte = rest.first, (48...57).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 48)
      rest.removeFirst()
    }
    return value
  }

  /// Reads the digits after a decimal point, as a fraction of a second; 0 without a point.
  mutating func fraction() -> Double {
    guard skip(".") else { return 0 }
    var value = 0.0
    var scale = 0.1
    while let byte = rest.first, (48...57).contains(byte) {
      value += Double(byte - 48) * scale
      scale /= 10
      rest.removeFirst()
    }
    return value
  }

  /// Reads the zone, as seconds east of UTC; `nil` when the rest is not a zone.
  mutating func zone() -> Int? {
    if skip("Z") { return rest.isEmpty ? 0 : nil }
    let sign: Int
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = number(2), skip(":"), let minutes = number(2), rest.isEmpty,
      hours < 24, minutes < 60
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
