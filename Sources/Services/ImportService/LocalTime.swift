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

  /// Returns the number that exactly `count` digits at `index` are, and moves `index` behind them.
  static func number(_ bytes: ArraySlice<UInt8>, at index: inout Int, count: Int) -> Int? {
    guard index + count <= bytes.endIndex else { return nil }
    var value = 0
    for byte in bytes[index..<(index + count)] {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    index += count
    return value
  }

  /// Returns an offset from UTC, in seconds: `Z`, `+0100` or `+01:00`, at `index`; moves `index`
  /// behind it.
  static func offset(_ bytes: ArraySlice<UInt8>, at index: inout Int) -> Int? {
    guard index < bytes.endIndex else { return nil }
    if bytes[index] == UInt8(ascii: "Z") {
      index += 1
      return 0
    }
    guard bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") else { return nil }
    var end = index + 1
    guard let hours = number(bytes, at: &end, count: 2) else { return nil }
    if end < bytes.endIndex, bytes[end] == UInt8(ascii: ":") { end += 1 }
    guard let minutes = number(bytes, at: &end, count: 2), hours < 24, minutes < 60 else {
      return nil
    }
    let sign = bytes[index] == UInt8(ascii: "-") ? -1 : 1
    index = end
    return sign * (hours * 3600 + minutes * 60)
  }
}
