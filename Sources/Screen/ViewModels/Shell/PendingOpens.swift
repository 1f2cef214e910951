/// The conversations that the user has requested and that are not open yet. Keys typed meanwhile
/// belong to them.
package final class PendingOpens {
  /// The handling of the keys.
  nonisolated package enum Change: Hashable, Sendable {
    /// The keys wait.
    case waiting
    /// The keys are processed: the conversation is open.
    case open
    /// The keys are discarded: there is no conversation for them.
    case failed
  }

  /// Called when the first request begins, and when the last one has ended.
  package var onChange: (Change) -> Void = { _ in }

  private var waiting: Set<Int> = []
  private var last = 0
  private var hasFailed = false
  private let scheduler: Scheduler

  init(scheduler: Scheduler) { self.scheduler = scheduler }

  /// Begins a request.
  /// - Parameter limit: the longest time that keys wait, for requests that need an answer of a
  ///   server; `nil`: no limit. After it the typed keys are discarded: they were meant for another
  ///   conversation than the one that is still open.
  /// - Parameter onLimit: called when the limit has passed and the request has not ended.
  /// - Returns: the number of the request, for `end`.
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

  /// Returns true if keys still wait for the request.
  func isWaiting(_ number: Int) -> Bool { waiting.contains(number) }

  /// Ends a request; a second call does nothing.
  /// - Parameter isOpen: whether the conversation is open now.
  func end(_ number: Int, isOpen: Bool = true) {
    guard waiting.remove(number) != nil else { return }
    hasFailed = hasFailed || !isOpen
    if waiting.isEmpty { onChange(hasFailed ? .failed : .open) }
  }

  // A shell that disappears must not block the keys.
  isolated deinit { if !waiting.isEmpty { onChange(.failed) } }
}
