import FoundationEssentials

/// Reports when no key was pressed for some minutes, and when the user returns.
///
/// There is at most one timer, which checks once per `limit` while the user is active; nothing
/// wakes the program while the user is away.
package final class IdleMonitor {
  /// Called with the time of the last key when the user is idle, and with `nil` when they return.
  package var onChange: (Date?) -> Void = { _ in }

  private let scheduler: Scheduler
  private let limit: TimeInterval
  private let now: () -> Date
  private var touchedAt: Date
  private var isIdle = false
  private var cancel: (() -> Void)?

  /// - Parameter limit: seconds without a key after which the user counts as idle.
  package init(
    scheduler: Scheduler, limit: TimeInterval = 300, now: @escaping () -> Date = { Date() }
  ) {
    self.scheduler = scheduler
    self.limit = limit
    self.now = now
    touchedAt = now()
  }

  package func start() { look() }

  /// Records a key press.
  package func touched() {
    touchedAt = now()
    guard isIdle else { return }
    isIdle = false
    onChange(nil)
    look()
  }

  private func look() {
    cancel?()
    // A clock that is set back must not lengthen the wait.
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
