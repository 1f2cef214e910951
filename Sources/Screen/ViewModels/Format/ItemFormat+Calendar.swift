import FoundationEssentials
import Text

// Days and months, and times that the user enters.
nonisolated extension ItemFormat {
  /// Returns the local day of `date`.
  package func calendarDay(_ date: Date) -> CalendarDay {
    let time = local(date)
    // A timestamp may be outside the calendar's range.
    return CalendarDay(year: time.year, month: time.month, day: time.day) ?? CalendarDay(number: 0)
  }

  /// Returns the moment of this local time on that day; a time skipped in spring is as much later.
  package func date(_ day: CalendarDay, hour: Int, minute: Int) -> Date {
    let wanted = Double(day.number) * 86_400 + Double(hour * 3600 + minute * 60)
    var guess = wanted
    // The zone's offset depends on the moment itself: the second iteration is on the right side of
    // a change.
    for _ in 0..<2 {
      let date = Date(timeIntervalSince1970: guess)
      let time = local(date)
      let shown =
        Double(calendarDay(date).number) * 86_400
        + Double(time.hour * 3600 + time.minute * 60 + time.second)
      guess += wanted - shown
    }
    return Date(timeIntervalSince1970: guess)
  }

  /// Returns `18:30`, or `6:30p`, in the format of `timeOfDay`.
  package func clock(_ date: Date) -> String {
    if customs.usesTwelveHours { return time(date) }
    let time = local(date)
    return "\(time.hour):" + (time.minute < 10 ? "0" : "") + "\(time.minute)"
  }

  /// Parses `18:30`, `18`, `6:30p` or `6 pm`; `nil` if it is not a time of day.
  package func timeOfDay(_ text: String) -> (hour: Int, minute: Int)? {
    let text = text.trimmed.lowercased()
    for (half, endings) in [["a", "am", "a.m.", "date.am"], ["p", "pm", "p.m.", "date.pm"]]
      .enumerated()
    {
      for ending in endings.map({ localizer.has($0) ? localizer($0).lowercased() : $0 })
      where text.hasSuffix(ending) {
        guard let time = timeOfDay(String(text.dropLast(ending.count)).trimmed),
          (1...12).contains(time.hour)
        else { continue }
        return (time.hour % 12 + half * 12, time.minute)
      }
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let hour = Int(parts[0]), (0...23).contains(hour) else {
      return nil
    }
    guard parts.count == 2 else { return (hour, 0) }
    guard parts[1].count == 2, let minute = Int(parts[1]), (0...59).contains(minute) else {
      return nil
    }
    return (hour, minute)
  }

  /// Returns `November 2026`.
  package func month(_ day: CalendarDay) -> String {
    let parts = day.parts
    return localizer(
      "date.monthOfYear",
      ["month": localizer("date.month\(parts.month)"), "year": "\(parts.year)"])
  }

  /// Returns `Saturday 28`.
  package func weekday(_ day: CalendarDay) -> String {
    localizer(
      "date.weekdayOf",
      ["weekday": localizer("date.weekday\(day.weekday)"), "day": "\(day.parts.day)"])
  }

  /// Returns the month of `day` as a small calendar.
  /// - Parameter busy: the days with events.
  package func month(of day: CalendarDay, today: CalendarDay, busy: Set<CalendarDay>) -> MonthItem {
    let first = day.firstOfMonth()
    let month = first.parts.month
    let start = first.adding(-((first.weekday - customs.firstWeekday + 7) % 7))
    let weeks = (0..<6).map { week in
      (0..<7).map { start.adding(week * 7 + $0) }
    }.prefix { $0.contains { $0.parts.month == month } }
    return MonthItem(
      title: self.month(day),
      weekdays: (0..<7).map { localizer("date.initial\((customs.firstWeekday - 1 + $0) % 7 + 1)") },
      weeks: weeks.map { week in
        week.map { one in
          MonthItem.Day(
            text: one.parts.month == month ? "\(one.parts.day)" : "", isToday: one == today,
            isSelected: one == day, isBusy: busy.contains(one))
        }
      })
  }
}

/// A month as drawn: a row per week.
nonisolated package struct MonthItem: Hashable, Sendable {
  package struct Day: Hashable, Sendable {
    /// The number of the day; empty for a day of another month.
    package let text: String
    package let isToday: Bool
    package let isSelected: Bool
    /// True if the day has events.
    package let isBusy: Bool
  }

  package let title: String
  /// The weekdays in order, each of two columns at most.
  package let weekdays: [String]
  package let weeks: [[Day]]
}
