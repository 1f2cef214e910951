import Terminal
import ChatsFixtures
import TestSupport
import Testing
import ViewModels

@testable import natter

/// Overlays that appear by themselves while the user types.
@Suite struct TypingPauseTests {
  private final class Clock { var now = ContinuousClock.now }
  private final class Log { var calls: [String] = [] }

  private let timers = ManualTimers()
  private let clock = Clock()
  private let log = Log()
  private var pause: TypingPause

  init() {
    let clock = clock
    pause = TypingPause(scheduler: timers.scheduler, now: { clock.now })
  }

  @Test func `where the user does not type it comes at once`() {
    pause.whenQuiet { log.calls.append("a") }
    #expect(log.calls == ["a"])
    pause.received(.key(.character("x")))
    clock.now += TypingPause.length
    pause.received(.focus(true))
    pause.whenQuiet { log.calls.append("b") }
    #expect(log.calls == ["a", "b"])
    #expect(timers.delays.isEmpty)
  }

  @Test(arguments: [InputEvent.key(.character("x")), .paste("x")])
  func `it waits until nothing was typed for a while`(event: InputEvent) {
    pause.received(event)
    pause.whenQuiet { log.calls.append("a") }
    pause.whenQuiet { log.calls.append("b") }
    #expect(!pause.isQuiet)
    #expect(timers.delays == [TypingPause.length])
    // Still typing.
    clock.now += .milliseconds(1000)
    pause.received(event)
    clock.now += .milliseconds(500)
    timers.fire()
    #expect(log.calls.isEmpty)
    #expect(timers.delays == [.milliseconds(1000)])
    clock.now += .milliseconds(1000)
    timers.fire()
    #expect(log.calls == ["a", "b"])
    #expect(timers.delays.isEmpty)
  }
}
