/// The conversations that the person asked for and that are not open yet: what is typed meanwhile belongs to them.
package final class PendingOpens {
  /// What becomes of the keys.
  nonisolated package enum Change: Hashable, Sendable {
    /// They wait.
    case waiting
    /// They go on: the conversation is open.
    case open
    /// There is no conversation that they could be for.
    case failed
  }

  /// Called when the first one begins, and when there is none any more.
  package var onChange: (Change) -> Void = { _ in }

  private var waiting: Set<Int> = []
  private var last = 0
  private var hasFailed = false
  private let scheduler: Scheduler

  init(scheduler: Scheduler) { self.scheduler = scheduler }

  /// Begins one.
  /// - Parameter limit: how long keys wait at most; `nil`: as long as it takes. For what needs an answer of a server. Then
  ///   nothing of what was typed is done: it was meant for another conversation than the one that is still open.
  /// - Parameter onLimit: called when that time is over and it has not ended.
  /// - Returns: its number, for `end`.
  func begin(limit: Duration? = nil, onLimit: @escaping () -> Void = {}) -> Int {
    last += 1
    let number = last
    waiting.insert(number)
    if waiting.count == 1 {
      hasFailed = false
      onChange(.waiting)
    }
    if let limit {
      scheduler.after(limit) { [weak self] in
        guard let self, isWaiting(number) else { return }
        end(number, isOpen: false)
        onLimit()
      }
    }
    return number
  }

  /// Whether keys wait for it still.
  func isWaiting(_ number: Int) -> Bool { waiting.contains(number) }

  /// Ends one; done twice it does nothing.
  /// - Parameter isOpen: whether there is a conversation now.
  func end(_ number: Int, isOpen: Bool = true) {
    guard waiting.remove(number) != nil else { return }
    hasFailed = hasFailed || !isOpen
    if waiting.isEmpty { onChange(hasFailed ? .failed : .open) }
  }

  // A shell that goes lets the keys go.
  isolated deinit { if !waiting.isEmpty { onChange(.failed) } }
}
