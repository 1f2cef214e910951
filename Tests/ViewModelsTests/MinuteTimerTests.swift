import ChatsFixtures
import Foundation
import Testing
import ViewModels

@Suite struct MinuteTimerTests {
  @Test func `it beats after each full minute, and ends with its owner`() {
    let (timers, now) = (ManualTimers(), ManualNow(.minutes(0.75)))
    var delays: [Duration] = []
    let scheduler = Scheduler { delay, action in
      delays.append(delay)
      return timers.scheduler.after(delay, action)
    }
    var beats = 0
    var beat: MinuteTimer? = MinuteTimer(scheduler: scheduler) { now.date }
    beat?.start { beats += 1 }
    #expect(beats == 0)
    now.date = .minutes(1)
    timers.fire()
    // A clock that was set, or a machine that slept, changes only when the next one comes.
    now.date = .minutes(700.5)
    timers.fire()
    #expect(beats == 2)
    #expect(delays == [.milliseconds(15_020), .milliseconds(60_020), .milliseconds(30_020)])
    #expect(timers.count == 1)
    beat = nil
    #expect(timers.count == 0)
  }
}
