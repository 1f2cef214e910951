import Synchronization

/// The memory for lines that are read or wait to be written, of all clients of the bridge together:
/// each of them may have lines of a megabyte, and there may be hundreds of clients.
nonisolated final class LineBudget: Sendable {
  /// The bytes that each share has besides, so that short lines pass whatever others do.
  static let allowance = 16 << 10

  private struct State {
    var free: Int
    /// The signals of the shares that wait for bytes.
    var waiting: [ObjectIdentifier: ChangeSignal] = [:]
  }

  private let state: Mutex<State>

  init(bytes: Int = 32 << 20) { state = Mutex(State(free: bytes)) }

  private func giveBack(_ bytes: Int) {
    let waiting = state.withLock { state in
      state.free += bytes
      defer { state.waiting = [:] }
      return state.waiting
    }
    for signal in waiting.values { signal.signal() }
  }

  /// The bytes that one direction of a connection has taken. It gives them back when it ends.
  final class Share: Sendable {
    private let budget: LineBudget
    private let taken = Mutex(0)

    init(of budget: LineBudget) { self.budget = budget }

    deinit { budget.giveBack(taken.withLock(\.self)) }

    /// Takes what is missing for so many bytes in all, or gives back what is over.
    /// - Returns: `false` if the budget is exhausted; nothing changes then.
    @discardableResult func resize(to bytes: Int) -> Bool {
      taken.withLock { taken in
        let missing = Self.missing(bytes, taken)
        if missing < 0 {
          budget.giveBack(-missing)
        } else {
          let isTaken = budget.state.withLock { state in
            guard missing <= state.free else { return false }
            state.free -= missing
            return true
          }
          guard isTaken else { return false }
        }
        taken += missing
        return true
      }
    }

    /// Indicates whether there are so many bytes in all for it.
    /// - Parameter signal: if there are not, it is signalled once a share has given bytes back.
    func hasRoom(for bytes: Int, else signal: ChangeSignal) -> Bool {
      let missing = taken.withLock { Self.missing(bytes, $0) }
      return budget.state.withLock { state in
        guard missing > state.free, missing > 0 else { return true }
        state.waiting[ObjectIdentifier(signal)] = signal
        return false
      }
    }

    private static func missing(_ bytes: Int, _ taken: Int) -> Int {
      max(0, bytes - LineBudget.allowance) - taken
    }
  }
}
