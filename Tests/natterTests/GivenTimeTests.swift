import Foundation
import JSONLines
import NatterCore
import Testing
import Text
import ViewModels
import XMPP

@testable import natter

/// Times of the command line.
@Suite struct GivenTimeTests {
  /// Two hours ahead of UTC.
  private let format = ItemFormat(
    localizer: Localizer(tag: "en", texts: [:]), account: JID(local: "me", domain: "example.org"),
    local: { LocalTime.utc($0.addingTimeInterval(7200)) })
  /// 12:00:00 on 28 November 2026 in that zone.
  private let now = Date(timeIntervalSince1970: 1_795_860_000)

  private func beginning(_ text: String) throws -> String {
    JSONLine.time(try #require(GivenTime(parsing: text)).beginning(now: now, in: format))
  }

  private func end(_ text: String, after start: Date? = nil) throws -> String {
    JSONLine.time(try #require(GivenTime(parsing: text)).end(after: start, now: now, in: format))
  }

  @Test(arguments: [
    ("2026-11-28T14:30:00Z", "2026-11-28T14:30:00.000000Z"),
    ("2026-11-28t14:30:00.25+02:00", "2026-11-28T12:30:00.250000Z"),
    ("2026-11-28 14:30:00z", "2026-11-28T14:30:00.000000Z"),
    ("2026-11-28", "2026-11-27T22:00:00.000000Z"),
    ("11:59", "2026-11-28T09:59:00.000000Z"), ("12:00", "2026-11-28T10:00:00.000000Z"),
    ("12:01", "2026-11-27T10:01:00.000000Z"), ("9:05", "2026-11-28T07:05:00.000000Z"),
    ("90s", "2026-11-28T09:58:30.000000Z"), ("45m", "2026-11-28T09:15:00.000000Z"),
    ("2h", "2026-11-28T08:00:00.000000Z"), ("3d", "2026-11-25T10:00:00.000000Z"),
    ("1w", "2026-11-21T10:00:00.000000Z"), ("1d12h", "2026-11-26T22:00:00.000000Z"),
    ("1d 12h", "2026-11-26T22:00:00.000000Z"), ("0s", "2026-11-28T10:00:00.000000Z"),
  ])
  func `a period begins`(text: String, expected: String) throws {
    #expect(try beginning(text) == expected)
  }

  @Test func `a period ends with a whole day, and at the first time of day after its beginning`()
    throws
  {
    #expect(try end("2026-11-27") == "2026-11-27T22:00:00.000000Z")
    #expect(try end("2h") == "2026-11-28T08:00:00.000000Z")
    #expect(try end("13:00") == "2026-11-27T11:00:00.000000Z")
    let start = now.addingTimeInterval(-3600)
    #expect(try end("13:00", after: start) == "2026-11-28T11:00:00.000000Z")
    #expect(try end("10:00", after: start) == "2026-11-29T08:00:00.000000Z")
  }

  @Test(arguments: [
    "", " ", "soon", "2", "2x", "h", "-2h", "2h3", "2026-11-31", "2026-02-30T00:00:00Z",
    "2026-11-28T14:30", "2026-11-28T25:00:00Z", "2026-11-28T14:30:00", "24:00", "12:60", "1:2",
    "12:00:00", "99999999999h", "9999999999w", "2026-11-28T14:30:00Z ", "２h", "1.5h",
  ])
  func `anything else is no time`(text: String) {
    #expect(GivenTime(parsing: text) == nil)
  }

  @Test func `a time of day is found where clocks were changed since midnight`() throws {
    // From 02:00 on they are an hour ahead.
    let change = Date(timeIntervalSince1970: 1_795_831_200)
    let format = ItemFormat(
      localizer: Localizer(tag: "en", texts: [:]),
      account: JID(local: "me", domain: "example.org"),
      local: { LocalTime.utc($0 < change ? $0 : $0.addingTimeInterval(3600)) })
    let day = try #require(CalendarDay(parsing: "2026-11-28"))
    #expect(
      JSONLine.time(format.date(day, hour: 11, minute: 0)) == "2026-11-28T10:00:00.000000Z")
    #expect(
      JSONLine.time(format.date(day, hour: 1, minute: 0)) == "2026-11-28T01:00:00.000000Z")
    #expect(format.calendarDay(change) == day)
    #expect(format.stamp(change) == "2026-11-28 03:00:00")
  }
}
