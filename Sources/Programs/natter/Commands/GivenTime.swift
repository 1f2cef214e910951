import FoundationEssentials
import NatterCore
import Text
import ViewModels
import XMPP

/// A time as it is given on the command line (`--since`, `--until`).
nonisolated enum GivenTime: Equatable, Sendable {
  /// A date with time and zone (RFC 3339): `2026-11-28T14:30:00Z`.
  case moment(Date)
  /// A day in the user's time zone: `2026-11-28`.
  case day(CalendarDay)
  /// The last time that clocks in the user's time zone showed this: `14:30`.
  case clock(hour: Int, minute: Int)
  /// A time before now, in seconds: `2h`, `3d`, `1w`, `1d12h`.
  case ago(Int)

  /// The longest time ago, in seconds: about 300 years.
  private static let longest = 10_000_000_000

  /// - Returns: `nil` for text in another form, and for a time that does not exist.
  init?(parsing text: String) {
    if let day = CalendarDay(parsing: text), text.utf8.count == 10 {
      self = .day(day)
    } else if let (hour, minute) = Self.readClock(text) {
      self = .clock(hour: hour, minute: minute)
    } else if let seconds = Self.readSeconds(text) {
      self = .ago(seconds)
    } else if let date = Self.readMoment(text) {
      self = .moment(date)
    } else {
      return nil
    }
  }

  private static func readClock(_ text: String) -> (hour: Int, minute: Int)? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
      let hour = number(parts[0]), let minute = number(parts[1]), hour < 24, minute < 60
    else { return nil }
    return (hour, minute)
  }

  /// Reads `90s`, `45m`, `2h`, `3d`, `1w`, or several of them.
  private static func readSeconds(_ text: String) -> Int? {
    var (total, digits) = (0, [UInt8]())
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        digits.append(byte)
        // No unit has more, and no number overflows.
        guard digits.count <= 10 else { return nil }
      case UInt8(ascii: " ") where digits.isEmpty: break
      default:
        guard let unit = unit(byte), let count = number(digits) else { return nil }
        digits = []
        total += count * unit
        guard total <= longest else { return nil }
      }
    }
    return digits.isEmpty && text.utf8.contains { unit($0) != nil } ? total : nil
  }

  private static func unit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "s"): 1
    case UInt8(ascii: "m"): 60
    case UInt8(ascii: "h"): 3600
    case UInt8(ascii: "d"): 86_400
    case UInt8(ascii: "w"): 604_800
    default: nil
    }
  }

  /// Reads digits, and nothing else.
  private static func number(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  /// RFC 3339 §5.6: letters may be small, and a blank may separate date and time.
  private static func readMoment(_ text: String) -> Date? {
    let upper = text.uppercased()
    let date = upper.prefix(10)
    let rest = upper.dropFirst(10)
    guard CalendarDay(parsing: String(date)) != nil, let separator = rest.first,
      separator == "T" || separator == " "
    else { return nil }
    return XEP0082DateTime.date(from: "\(date)T\(rest.dropFirst())")
  }

  /// Returns the first moment of it: of a day its beginning.
  func beginning(now: Date, in format: ItemFormat) -> Date {
    switch self {
    case .moment(let date): return date
    case .day(let day): return format.beginning(of: day)
    case .clock(let hour, let minute):
      let today = format.calendarDay(now)
      let moment = format.date(today, hour: hour, minute: minute)
      return moment <= now
        ? moment : format.date(today.adding(-1), hour: hour, minute: minute)
    case .ago(let seconds): return now.addingTimeInterval(-Double(seconds))
    }
  }

  /// Returns the moment at which a period ends with it: of a day the beginning of the next one.
  /// - Parameter start: the beginning of the period; a time of day is the first one after it.
  func end(after start: Date?, now: Date, in format: ItemFormat) -> Date {
    switch (self, start) {
    case (.day(let day), _): return format.beginning(of: day.adding(1))
    case (.clock(let hour, let minute), let start?):
      let day = format.calendarDay(start)
      let moment = format.date(day, hour: hour, minute: minute)
      return moment > start
        ? moment : format.date(day.adding(1), hour: hour, minute: minute)
    default: return beginning(now: now, in: format)
    }
  }
}
