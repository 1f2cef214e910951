import Text
import XMPP

/// The rule for the years after those that a file of the zone database lists: the value of TZ in
/// POSIX, with the hours that RFC 8536 §3.3.1 adds.
nonisolated struct ZoneFooter: Hashable, Sendable {
  /// A day of each year, and a time on it.
  private struct Change: Hashable {
    enum Day: Hashable {
      /// 1 to 365; 29 February is never counted.
      case julian(Int)
      /// 0 to 365.
      case ofYear(Int)
      /// - Parameters:
      ///   - week: 1 to 5; 5 is the last one.
      ///   - weekday: 0 is Sunday.
      case weekday(Int, week: Int, month: Int)
    }

    let day: Day
    /// Seconds after the beginning of the day.
    var time = 7200

    /// Returns the moment in a year, in local seconds since 1970.
    func seconds(in year: Int) -> Int {
      let start = Self.first(of: 1, in: year).number
      let number =
        switch day {
        case .julian(let number):
          start + number - 1
            + (number >= 60 && CalendarDay(year: year, month: 2, day: 29) != nil ? 1 : 0)
        case .ofYear(let number): start + number
        case .weekday(let weekday, let week, let month):
          Self.day(weekday, week, Self.first(of: month, in: year))
        }
      return number * 86_400 + time
    }

    private static func day(_ weekday: Int, _ week: Int, _ start: CalendarDay) -> Int {
      let day = start.number + (weekday - start.weekday + 7) % 7 + (week - 1) * 7
      return day < start.firstOfMonth(adding: 1).number ? day : day - 7
    }

    /// Returns the first day of a month, of 1970 for years that no history has.
    private static func first(of month: Int, in year: Int) -> CalendarDay {
      CalendarDay(year: year, month: month, day: 1) ?? CalendarDay(number: 0)
    }
  }

  private struct Summer: Hashable {
    let offset: Int
    let start: Change
    let end: Change
  }

  private let standard: Int
  private let summer: Summer?

  /// - Returns: `nil` for a text that is none.
  init?(_ text: ArraySlice<UInt8>) {
    var reader = Reader(rest: text)
    guard reader.takeName(), let west = reader.takeTime(mostHours: 24) else { return nil }
    standard = -west
    guard !reader.rest.isEmpty else {
      summer = nil
      return
    }
    guard reader.takeName() else { return nil }
    var offset = standard + 3600
    if reader.rest.first != UInt8(ascii: ",") {
      guard let west = reader.takeTime(mostHours: 24) else { return nil }
      offset = -west
    }
    guard let start = reader.takeChange(), let end = reader.takeChange(), reader.rest.isEmpty
    else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// Returns the offset from UTC at a moment, in seconds since 1970.
  func offset(at moment: Int) -> Int {
    guard let summer else { return standard }
    let day = CalendarDay(number: (moment + standard).flooredDivision(by: 86_400).quotient)
    let year = day.parts.year
    let start = summer.start.seconds(in: year) - standard
    let end = summer.end.seconds(in: year) - summer.offset
    let isSummer =
      start < end ? start <= moment && moment < end : moment < end || start <= moment
    return isSummer ? summer.offset : standard
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    /// Takes at least three letters, or anything between angle brackets.
    mutating func takeName() -> Bool {
      if take("<") {
        guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
        rest = rest[(end + 1)...]
        return true
      }
      let name = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
      rest = rest[name.endIndex...]
      return name.count >= 3
    }

    mutating func takeNumber(_ range: ClosedRange<Int>) -> Int? {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty, digits.count <= 3 else { return nil }
      rest = rest[digits.endIndex...]
      let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
      return range.contains(number) ? number : nil
    }

    /// Takes `[+-]hh[:mm[:ss]]`.
    mutating func takeTime(mostHours: Int) -> Int? {
      let isNegative = take("-")
      if !isNegative { _ = take("+") }
      guard let hours = takeNumber(0...mostHours) else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] {
        guard take(":") else { break }
        guard let number = takeNumber(0...59) else { return nil }
        seconds += number * unit
      }
      return isNegative ? -seconds : seconds
    }

    /// Takes a comma, a day and the time on it.
    mutating func takeChange() -> Change? {
      guard take(","), let day = takeDay() else { return nil }
      var change = Change(day: day)
      if take("/") {
        guard let time = takeTime(mostHours: 167) else { return nil }
        change.time = time
      }
      return change
    }

    private mutating func takeDay() -> Change.Day? {
      if take("J") { return takeNumber(1...365).map { .julian($0) } }
      guard take("M") else { return takeNumber(0...365).map { .ofYear($0) } }
      guard let month = takeNumber(1...12), take("."), let week = takeNumber(1...5), take("."),
        let weekday = takeNumber(0...6)
      else { return nil }
      return .weekday(weekday, week: week, month: month)
    }
  }
}
