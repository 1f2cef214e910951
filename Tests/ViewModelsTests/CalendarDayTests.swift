import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

@Suite struct CalendarDayTests {
  @Test func `days are those of the calendar, over leap years and before 1970`() throws {
    var day = try #require(CalendarDay(year: 1899, month: 12, day: 31))
    #expect(day.weekday == 7)
    // Every day has the one after it, by the C library's calendar.
    for _ in 0..<80_000 {
      let expected = LocalTime.utc(Date(timeIntervalSince1970: Double(day.number) * 86_400))
      let parts = day.parts
      guard
        (parts.year, parts.month, parts.day) == (expected.year, expected.month, expected.day),
        day.weekday == expected.weekday,
        CalendarDay(year: parts.year, month: parts.month, day: parts.day) == day
      else {
        Issue.record("\(day.text) is not \(expected)")
        return
      }
      day = day.adding(1)
    }
  }

  @Test(arguments: [
    ("2026-11-28", "2026-11-28"), ("2024-2-29", "2024-02-29"), ("2026-02-29", nil),
    ("2026-13-01", nil), ("2026-11", nil), ("today", nil), ("", nil), ("2026-11-31", nil),
    ("-1-1-1", nil),
  ])
  func `a day that is typed is one, or none`(text: String, expected: String?) {
    #expect(CalendarDay(parsing: text)?.text == expected)
  }

  @Test(arguments: [
    ("18:30", 18, 30), ("7", 7, 0), ("00:00", 0, 0), ("23:59", 23, 59), ("6:30p", 18, 30),
    ("6pm", 18, 0), ("12 AM", 0, 0), ("12:05 p.m.", 12, 5), ("9a", 9, 0),
  ])
  func `a time of day that is typed is one`(text: String, hour: Int, minute: Int) throws {
    let time = try #require(testFormat().timeOfDay(text))
    #expect(time == (hour, minute))
  }

  @Test(arguments: ["24:00", "18:5", "18:60", "", "13pm", "0:10a", "pm", "-1", "1:00:00"])
  func `what is no time of day is none`(text: String) {
    #expect(testFormat().timeOfDay(text) == nil)
  }

  @Test
  func
    `a day and a time are the moment at which the clock shows them, over a change of the clocks`()
    throws
  {
    // Two hours east of Greenwich until 29 March 2026 01:00 UTC, then three.
    let format = ItemFormat(
      localizer: Localizer(tag: "en", texts: try englishTexts()),
      account: JID(local: "a", domain: "b")
    ) { date in
      LocalTime.utc(
        date.addingTimeInterval(date.timeIntervalSince1970 < 1_774_746_000 ? 7200 : 10800))
    }
    for (text, hour) in [
      ("2026-03-28", 23), ("2026-03-29", 2), ("2026-03-29", 4), ("2026-03-30", 0),
    ] {
      let day = try #require(CalendarDay(parsing: text))
      let date = format.date(day, hour: hour, minute: 5)
      #expect(format.calendarDay(date) == day && format.local(date).hour == hour)
    }
    let months = try #require(CalendarDay(parsing: "2026-01-31"))
    #expect(months.firstOfMonth(adding: -1).text == "2025-12-01")
    #expect(months.firstOfMonth(adding: 12).text == "2027-01-01")
  }
}
