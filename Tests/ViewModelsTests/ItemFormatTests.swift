import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct ItemFormatTests {
  @Test(arguments: [(0, "12:00a"), (9, "9:00a"), (12, "12:00p"), (23, "11:00p")])
  func `clocks of twelve hours have no zero hour`(_ hour: Double, _ text: String) {
    let format = ItemFormat(
      localizer: english(), account: .alice, customs: TimeConventions(usesTwelveHours: true),
      local: { LocalTime.utc($0) })
    #expect(format.time(.minutes((hour - 14) * 60)) == text)
  }

  @Test(arguments: [
    ("en_US.UTF-8", true, 7, true), ("fr_CA", false, 7, true), ("en_AU", true, 1, false),
    ("fr_FR.UTF-8", false, 1, false), ("de_DE@euro", false, 1, false), ("ar_EG", true, 6, false),
    ("zh_Hans_HK", true, 7, false), ("zh_CN.GB18030", false, 1, false), ("C", false, 1, false),
    ("", false, 1, false), ("POSIX", false, 1, false),
  ])
  func `a locale has the customs of its territory`(
    locale: String, twelve: Bool, first: Int, isMonthFirst: Bool
  ) {
    #expect(
      TimeConventions(locale: locale)
        == TimeConventions(
          usesTwelveHours: twelve, firstWeekday: first, monthComesFirst: isMonthFirst))
  }

  @Test func `days, weeks and times of day are written as where one lives`() throws {
    let format = ItemFormat(
      localizer: english(), account: .alice, customs: TimeConventions(locale: "en_US"),
      local: { LocalTime.utc($0) })
    #expect(format.day(.minutes(-400 * 24 * 60), now: .afternoon) == "Thursday, October 16, 2025")
    #expect(format.day(.minutes(0), now: .afternoon) == "Friday, November 20")
    #expect(format.shortDay(.minutes(-2 * 24 * 60), now: .afternoon) == "November 18")
    let time = try #require(format.timeOfDay(format.clock(.minutes(5))))
    #expect(time == (14, 5))
    let month = format.month(
      of: try #require(CalendarDay(parsing: "2026-11-20")),
      today: try #require(CalendarDay(parsing: "2026-11-01")), busy: [])
    #expect(month.weekdays == ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"])
    // The first of November is a Sunday.
    #expect(month.weeks[0].map(\.text) == ["1", "2", "3", "4", "5", "6", "7"])
    let saturdays = ItemFormat(
      localizer: english(), account: .alice, customs: TimeConventions(locale: "ar_EG"),
      local: { LocalTime.utc($0) }
    ).month(
      of: try #require(CalendarDay(parsing: "2026-11-20")),
      today: try #require(CalendarDay(parsing: "2026-11-01")), busy: [])
    #expect(saturdays.weekdays.first == "Sa")
    #expect(saturdays.weeks[0].map(\.text) == ["", "1", "2", "3", "4", "5", "6"])
  }

  @Test func `a day of another year has its year`() {
    let format = testFormat()
    #expect(format.day(.minutes(-400 * 24 * 60), now: .afternoon) == "Thursday 16 October 2025")
  }
}
