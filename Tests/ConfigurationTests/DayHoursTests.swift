import Testing

@testable import Configuration

@Suite struct DayHoursTests {
  @Test(arguments: [
    ("07:00-19:00", [7 * 60, 12 * 60, 18 * 60 + 59], [0, 6 * 60 + 59, 19 * 60, 23 * 60 + 59]),
    ("22:00-07:00", [22 * 60, 0, 6 * 60 + 59], [7 * 60, 21 * 60 + 59]),
    ("0:00-23:59", [0, 23 * 60 + 58], [23 * 60 + 59]),
    ("23:59-00:00", [23 * 60 + 59], [0, 23 * 60 + 58]),
  ])
  func `the first minute is in, the last one is not, and midnight is like any other`(
    text: String, inside: [Int], outside: [Int]
  ) throws {
    let hours = try #require(DayHours(text))
    for minute in inside {
      #expect(hours.contains(hour: minute / 60, minute: minute % 60), "\(minute)")
    }
    for minute in outside {
      #expect(!hours.contains(hour: minute / 60, minute: minute % 60), "\(minute)")
    }
  }

  @Test func `blanks and a missing nought are taken, and written as everybody writes them`() {
    #expect(DayHours(" 7:05 - 19:30 ")?.text == "07:05-19:30")
  }

  @Test(arguments: [
    "", "-", "07:00", "07:00-", "07:00-07:00", "24:00-07:00", "07:60-08:00", "7-19",
    "07:00-19:00-20:00", "+7:00-19:00", "007:00-19:00", "07:00:00-19:00", "seven-eight",
    "٠٧:٠٠-١٩:٠٠",
  ])
  func `what is no such hours is none`(text: String) { #expect(DayHours(text) == nil) }
}
