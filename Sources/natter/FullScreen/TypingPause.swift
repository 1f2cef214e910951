import Terminal
import ViewModels

/// Has what comes up by itself, and takes the keys, wait until nobody types: they were meant for what it covers.
final class TypingPause {
  /// How long no key is pressed by somebody who reads or thinks.
  static let length = Duration.milliseconds(1500)

  private let scheduler: Scheduler
  private let now: () -> ContinuousClock.Instant
  private var lastKey: ContinuousClock.Instant?
  private var waiting: [() -> Void] = []
  private var cancel: (() -> Void)?

  init(
    scheduler: Scheduler, now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.scheduler = scheduler
    self.now = now
  }

  /// Call it with everything that comes from the terminal.
  func received(_ event: InputEvent) {
    switch event {
    case .key, .paste: lastKey = now()
    default: break
    }
  }

  /// How long it is until the pause, if nothing is typed any more.
  private var rest: Duration {
    guard let lastKey else { return .zero }
    return max(.zero, Self.length - lastKey.duration(to: now()))
  }

  var isQuiet: Bool { rest == .zero }

  /// Calls `work` when nobody has typed for `length`: at once where that is so.
  func whenQuiet(_ work: @escaping () -> Void) {
    if isQuiet { return work() }
    waiting.append(work)
    if cancel == nil { wait() }
  }

  private func wait() {
    cancel = scheduler.after(rest) { [weak self] in
      guard let self else { return }
      cancel = nil
      guard isQuiet else { return wait() }
      let works = waiting
      waiting = []
      for work in works { work() }
    }
  }
}
