import ChatsFixtures
import TestSupport
import Testing
import ViewModels

@testable import natter

@Suite struct LineWatchTests {
  private let timers = ManualTimers()
  private final class Queue { var isFull = true }
  private let queue = Queue()

  private func watch(isSlow: Bool = false) -> (LineWatch, () -> Int) {
    final class Count { var told = 0 }
    let count = Count()
    let watch = LineWatch(isSlow: isSlow, scheduler: timers.scheduler) { [queue] in queue.isFull }
    watch.onSlow = { count.told += 1 }
    return (watch, { count.told })
  }

  @Test func `a queue that stays as it is makes the line slow, and is told once`() {
    let (watch, told) = watch()
    watch.sent(took: .milliseconds(1))
    for _ in 1..<LineWatch.looks { timers.fire() }
    #expect(!watch.isSlow)
    watch.sent(took: .milliseconds(1))
    timers.fire()
    #expect(watch.isSlow && told() == 1)
    watch.sent(took: .seconds(1))
    #expect(told() == 1)
  }

  @Test func `a queue that is empty in between does not`() {
    let (watch, told) = watch()
    watch.sent(took: .milliseconds(1))
    timers.fire()
    queue.isFull = false
    timers.fire()
    queue.isFull = true
    watch.sent(took: .milliseconds(1))
    for _ in 1..<LineWatch.looks { timers.fire() }
    #expect(!watch.isSlow && told() == 0)
  }

  @Test func `a frame that takes long to be sent does`() {
    queue.isFull = false
    let (watch, told) = watch()
    watch.sent(took: .milliseconds(199))
    #expect(!watch.isSlow)
    watch.sent(took: .milliseconds(200))
    #expect(watch.isSlow && told() == 1)
  }
}
