import FoundationEssentials
import NatterCore
import Text

extension SearchVocabulary {
  /// Creates the vocabulary of the user's language, whose days are those of their time zone.
  package init(format: ItemFormat, now: Date) {
    let localizer = format.localizer
    let names: (String) -> [String] = { key in
      localizer(key).lowercased().split(separator: ",").map { String($0).trimmed }
    }
    let (today, yesterday) = (names("find.today"), names("find.yesterday"))
    self.init { text in
      let day = format.calendarDay(now)
      if today.contains(text) || text == "today" { return format.range(of: day) }
      if yesterday.contains(text) || text == "yesterday" {
        return format.range(of: day.adding(-1))
      }
      return format.range(parsing: text)
    }
    for filter in Filter.allCases { add(names("find.filter.\(filter.rawValue)"), for: filter) }
    for attachment in SearchQuery.Attachment.allCases {
      add(names("find.has.\(attachment.rawValue)"), for: attachment)
    }
    add(user: names("find.me"), unread: names("find.unread"))
  }
}

extension ItemFormat {
  /// Returns the time of `2026-11-28`, `2026-11` or `2026`; `nil` for all other texts.
  fileprivate func range(parsing text: String) -> Range<Date>? {
    if let day = CalendarDay(parsing: text) { return range(of: day) }
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    // A year is written in full: fewer digits may be the beginning of one.
    guard (1...2).contains(numbers.count), text.prefix(while: { $0 != "-" }).count == 4,
      let year = numbers[0],
      let first = CalendarDay(year: year, month: numbers.count == 1 ? 1 : numbers[1] ?? 0, day: 1)
    else { return nil }
    let next = first.firstOfMonth(adding: numbers.count == 1 ? 12 : 1)
    return beginning(of: first)..<max(beginning(of: first), beginning(of: next))
  }

  fileprivate func range(of day: CalendarDay) -> Range<Date> {
    let start = beginning(of: day)
    return start..<max(start, beginning(of: day.adding(1)))
  }
}
