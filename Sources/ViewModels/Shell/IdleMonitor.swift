import FoundationEssentials

/// Tells when nobody has touched a key for some minutes, and when somebody does again.
///
/// There is one timer at most, which looks once in so many minutes while somebody is there; nothing wakes the program while
/// nobody is.
package final class IdleMonitor {
  /// Called with since when nobody is there, and with `nil` when somebody is again.
  package var onChange: (Date?) -> Void = { _ in }

  private let scheduler: Scheduler
  private let limit: TimeInterval
  private let now: () -> Date
  private var touchedAt: Date
  private var isIdle = false
  private var cancel: (() -> Void)?

  /// - Parameter limit: seconds without a key after which nobody is there.
  package init(
    scheduler: Scheduler, limit: TimeInterval = 300, now: @escaping () -> Date = { Date() }
  ) {
    self.scheduler = scheduler
    self.limit = limit
    self.now = now
    touchedAt = now()
  }

  package func start() { look() }

  /// Somebody did something.
  package func touched() {
    touchedAt = now()
    guard isIdle else { return }
    isIdle = false
    onChange(nil)
    look()
  }

  private func look() {
    cancel?()
    // A clock that was set back must not make the wait longer than it is.
    let rest = min(limit, limit - now().timeIntervalSince(touchedAt))
    guard rest > 0 else {
      cancel = nil
      isIdle = true
      return onChange(touchedAt)
    }
    cancel = scheduler.after(.milliseconds(Int(rest * 1000) + 20)) { [weak self] in self?.look() }
  }

  isolated deinit { cancel?() }
}
