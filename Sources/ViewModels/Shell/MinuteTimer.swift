import FoundationEssentials

/// Tells when the clock shows another minute; nothing wakes the program in between.
package final class MinuteTimer {
  private let scheduler: Scheduler
  private let now: () -> Date
  private var cancel: (() -> Void)?

  /// - Parameter now: the time of day; a jump, as after a sleep, is noticed at the beat that follows.
  package init(scheduler: Scheduler, now: @escaping () -> Date = { Date() }) {
    self.scheduler = scheduler
    self.now = now
  }

  /// Calls `action` shortly after each full minute, for as long as this lives.
  package func start(_ action: @escaping () -> Void) {
    cancel?()
    let rest = 60 - now().timeIntervalSince1970.truncatingRemainder(dividingBy: 60)
    // A little later: a timer that comes early would show the old minute for another one.
    cancel = scheduler.after(.milliseconds(Int(rest * 1000) + 20)) { [weak self] in
      action()
      self?.start(action)
    }
  }

  isolated deinit { cancel?() }
}
