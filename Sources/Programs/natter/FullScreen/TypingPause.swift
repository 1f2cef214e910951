import Terminal
import ViewModels

/// Delays overlays that open by themselves until the user stops typing: the keys were meant for the
/// panes below.
final class TypingPause {
  /// The time without a key after which the user is reading or thinking.
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

  /// Receives every event from the terminal.
  func received(_ event: InputEvent) {
    switch event {
    case .key, .paste: lastKey = now()
    default: break
    }
  }

  /// The time until the pause, if nothing more is typed.
  private var rest: Duration {
    guard let lastKey else { return .zero }
    return max(.zero, Self.length - lastKey.duration(to: now()))
  }

  var isQuiet: Bool { rest == .zero }

  /// Calls `work` when nothing has been typed for `length`: at once if that is so already.
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
