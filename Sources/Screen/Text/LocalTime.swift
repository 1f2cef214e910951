import FoundationEssentials
import Glibc

/// A moment in the local time and calendar of the user.
///
/// The C library does the conversion: it knows the rules of the zone and needs no locale tables in
/// memory.
nonisolated package struct LocalTime: Hashable, Sendable {
  package let year: Int
  /// 1 to 12.
  package let month: Int
  /// 1 to 31.
  package let day: Int
  /// 0 to 23.
  package let hour: Int
  package let minute: Int
  package let second: Int
  /// 1 for Monday to 7 for Sunday (ISO 8601).
  package let weekday: Int

  package init(
    year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, weekday: Int
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.weekday = weekday
  }

  /// Returns `date` in the time zone of this process.
  package static func here(_ date: Date) -> LocalTime {
    var seconds = seconds(of: date)
    var fields = tm()
    localtime_r(&seconds, &fields)
    return LocalTime(fields)
  }

  /// Returns `date` in UTC.
  package static func utc(_ date: Date) -> LocalTime {
    var seconds = seconds(of: date)
    var fields = tm()
    gmtime_r(&seconds, &fields)
    return LocalTime(fields)
  }

  /// The calendar day, as a number that grows with time.
  package var dayNumber: Int { (year * 12 + month) * 32 + day }

  private init(_ fields: tm) {
    self.init(
      year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
      hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec),
      weekday: fields.tm_wday == 0 ? 7 : Int(fields.tm_wday))
  }

  // A timestamp from a server may be any number: a value outside the calendar must not trap.
  private static func seconds(of date: Date) -> time_t {
    time_t(max(-62_000_000_000, min(253_000_000_000, date.timeIntervalSince1970.rounded(.down))))
  }
}
