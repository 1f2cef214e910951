import ChatsFixtures
import Configuration
import Foundation
import Terminal
import Testing
import Text
import ViewModels

@testable import natter

@Suite struct DayNightScheduleTests {
  /// A wall clock that is set to times of one day, UTC.
  private final class WallClock {
    var time = LocalTime.utc(.minutes(0))
    func set(_ hour: Int, _ minute: Int) {
      time = LocalTime(
        year: 2026, month: 11, day: 21, hour: hour, minute: minute, second: 0, weekday: 6)
    }
  }

  private func daylight(_ hours: String?, _ background: Theme.Brightness? = nil, _ clock: WallClock)
    -> DayNightSchedule
  {
    DayNightSchedule(
      hours: hours.flatMap { DayHours($0) }, background: background, now: { clock.time })
  }

  @Test func `it changes in the minute in which the day begins and in which it ends`() {
    let clock = WallClock()
    clock.set(6, 58)
    var daylight = daylight("07:00-19:00", .light, clock)
    #expect(daylight.kind == .dark)
    var reported: [String] = []
    for minute in 6 * 60 + 58...24 * 60 + 6 * 60 + 57 {
      clock.set(minute / 60 % 24, minute % 60)
      if let kind = daylight.change() { reported.append("\(minute / 60):\(minute % 60) \(kind)") }
    }
    #expect(reported == ["7:0 light", "19:0 dark"])
  }

  @Test func `hours that end after midnight`() {
    let clock = WallClock()
    clock.set(20, 0)
    var daylight = daylight("18:30-02:15", nil, clock)
    #expect(daylight.kind == .light)
    for (hour, minute, kind) in [
      (23, 59, nil), (0, 0, nil), (2, 14, nil), (2, 15, .dark), (18, 29, nil), (18, 30, .light),
    ] as [(Int, Int, Theme.Brightness?)] {
      clock.set(hour, minute)
      #expect(daylight.change() == kind, "\(hour):\(minute)")
    }
  }

  @Test func `a clock that jumps is noticed when it is next looked at, there and back`() {
    let clock = WallClock()
    clock.set(12, 0)
    var daylight = daylight("07:00-19:00", nil, clock)
    clock.set(23, 30)
    #expect(daylight.change() == .dark)
    #expect(daylight.change() == nil)
    clock.set(11, 0)
    #expect(daylight.change() == .light)
    // Over a whole night at once.
    clock.set(11, 0)
    #expect(daylight.change() == nil)
  }

  @Test func `without hours the terminal decides, and with them it does not`() {
    let clock = WallClock()
    clock.set(12, 0)
    var daylight = daylight(nil, nil, clock)
    #expect(daylight.kind == nil && daylight.change() == nil)
    daylight.background = .dark
    #expect(daylight.change() == .dark)
    daylight.hours = DayHours("07:00-19:00")
    #expect(daylight.change() == .light)
    daylight.background = .light
    daylight.background = .dark
    #expect(daylight.change() == nil)
    daylight.hours = nil
    #expect(daylight.change() == .dark)
  }

  @Test func `it is looked at with each minute, and nothing wakes the program in between`() {
    let (timers, now) = (ManualTimers(), ManualNow(.minutes(-7 * 60 - 1.5)))
    // What `.minutes(0)` is, to the wall clock.
    let zero = LocalTime.utc(.minutes(0))
    #expect((zero.hour, zero.minute) == (14, 0))
    var daylight = DayNightSchedule(
      hours: DayHours("07:00-19:00"), background: nil,
      now: { LocalTime.utc(now.date) })
    #expect(daylight.kind == .dark)
    var reported: [Theme.Brightness] = []
    let beat = MinuteTimer(scheduler: timers.scheduler) { now.date }
    beat.start { if let kind = daylight.change() { reported.append(kind) } }
    now.date = .minutes(-7 * 60 - 1)
    timers.fire()
    #expect(reported == [] && timers.count == 1)
    now.date = .minutes(-7 * 60)
    timers.fire()
    #expect(reported == [.light])
    // A machine that slept until the evening.
    now.date = .minutes(9 * 60)
    timers.fire()
    #expect(reported == [.light, .dark] && timers.count == 1)
    withExtendedLifetime(beat) {}
  }
}
