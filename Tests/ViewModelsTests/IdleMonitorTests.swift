import Foundation
import Testing

@testable import ViewModels

@Suite struct IdleMonitorTests {
  private final class Stage {
    var now = Date(timeIntervalSince1970: 1_000)
    var waits: [(Duration, @MainActor () -> Void)] = []
    var reported: [Date?] = []

    func watch() -> IdleMonitor {
      let watch = IdleMonitor(
        scheduler: Scheduler { [weak self] delay, action in
          self?.waits.append((delay, action))
          return {}
        }, limit: 300, now: { [unowned self] in now })
      watch.onChange = { [weak self] in self?.reported.append($0) }
      watch.start()
      return watch
    }

    /// Lets the newest wait end, `seconds` after now.
    func fire(after seconds: Double) {
      now.addTimeInterval(seconds)
      waits.last?.1()
    }
  }

  @Test func `the user is away once no key was touched for the limit, since the last one`() {
    let stage = Stage()
    let watch = stage.watch()
    stage.now.addTimeInterval(100)
    watch.touched()
    stage.fire(after: 200)
    #expect(stage.reported.isEmpty && stage.waits.count == 2)
    // What is left of the limit, and no more than that.
    #expect(stage.waits.last?.0 == .milliseconds(100_020))
    stage.fire(after: 101)
    #expect(stage.reported == [Date(timeIntervalSince1970: 1_100)])
    // Nothing is waited for while nobody is there.
    #expect(stage.waits.count == 2)
  }

  @Test func `the first key reports that the user is back, and the watch goes on`() {
    let stage = Stage()
    let watch = stage.watch()
    stage.fire(after: 301)
    watch.touched()
    watch.touched()
    #expect(stage.reported == [Date(timeIntervalSince1970: 1_000), nil] && stage.waits.count == 2)
    stage.fire(after: 301)
    #expect(stage.reported.count == 3)
  }

  @Test func `a clock that is set back makes no longer wait`() {
    let stage = Stage()
    let watch = stage.watch()
    stage.now = Date(timeIntervalSince1970: -9_000)
    stage.waits.last?.1()
    #expect(stage.waits.last?.0 == .milliseconds(300_020) && stage.reported.isEmpty)
    withExtendedLifetime(watch) {}
  }
}
