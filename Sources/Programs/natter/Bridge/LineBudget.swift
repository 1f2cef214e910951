import Synchronization

/// The memory for lines that are read or wait to be written, of all clients of the bridge together:
/// each of them may have lines of a megabyte, and there may be hundreds of clients.
nonisolated final class LineBudget: Sendable {
  /// The bytes that each share has besides, so that short lines pass whatever others do.
  static let allowance = 16 << 10

  private let free: Mutex<Int>

  init(bytes: Int = 32 << 20) { free = Mutex(bytes) }

  /// The bytes that one direction of a connection has taken. It gives them back when it ends.
  final class Share: Sendable {
    private let budget: LineBudget
    private let taken = Mutex(0)

    init(of budget: LineBudget) { self.budget = budget }

    deinit { budget.free.withLock { $0 += taken.withLock(\.self) } }

    /// Takes what is missing for so many bytes in all, or gives back what is over.
    /// - Returns: `false` if the budget is exhausted; nothing changes then.
    @discardableResult func resize(to bytes: Int) -> Bool {
      taken.withLock { taken in
        let missing = max(0, bytes - LineBudget.allowance) - taken
        let isTaken = budget.free.withLock { free in
          guard missing <= 0 || missing <= free else { return false }
          free -= missing
          return true
        }
        if isTaken { taken += missing }
        return isTaken
      }
    }
  }
}
