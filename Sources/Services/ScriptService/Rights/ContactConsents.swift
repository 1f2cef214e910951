import NatterCore
import Synchronization

/// The user's answers to changes of contacts that a script asks for, in this run: each change is
/// asked about, also with the right, and one that was declined is not asked about again.
final class ContactConsents: Sendable {
  /// The answers in a row that decline, after which nothing is asked about any more: a script
  /// cannot ask until the user is tired of it.
  static let mostRefusals = 3

  private struct State {
    var declined: Set<AskedContactChange> = []
    var refusals = 0
  }

  private let state = Mutex(State())

  /// Returns whether a change is declined without asking.
  func isDeclined(_ change: AskedContactChange) -> Bool {
    state.withLock { $0.refusals >= Self.mostRefusals || $0.declined.contains(change) }
  }

  /// Notes an answer.
  func note(_ change: AskedContactChange, isAccepted: Bool) {
    state.withLock { state in
      if isAccepted {
        state.refusals = 0
      } else {
        state.refusals += 1
        state.declined.insert(change)
      }
    }
  }

  /// Notes that the user does not want to be asked again.
  func end() { state.withLock { $0.refusals = Self.mostRefusals } }

  /// Forgets all answers: the user has enabled the script anew.
  func forget() { state.withLock { $0 = State() } }
}
