import FoundationEssentials

/// A timer that fires when the displayed minute changes; nothing wakes the program in between.
package final class MinuteTimer {
  private let scheduler: Scheduler
  private let now: () -> Date
  private var cancel: (() -> Void)?

  /// - Parameter now: the time of day; a jump, as after a sleep, is noticed at the next beat.
  package init(scheduler: Scheduler, now: @escaping () -> Date = { Date() }) {
    self.scheduler = scheduler
    self.now = now
  }

  /// Calls `action` shortly after each full minute, for the lifetime of this object.
  package func start(_ action: @escaping () -> Void) {
    cancel?()
    let rest = 60 - now().timeIntervalSince1970.truncatingRemainder(dividingBy: 60)
    // A little later: a timer that fires early would read the old minute.
    cancel = scheduler.after(.milliseconds(Int(rest * 1000) + 20)) { [weak self] in
      action()
      self?.start(action)
    }
  }

  isolated deinit { cancel?() }
}
