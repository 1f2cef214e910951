import Synchronization

/// Names of users, rooms and the like that no other test of this process uses.
///
/// Tests share servers, where a name that was chosen at random was taken once in some hundred runs.
package enum UniqueName {
  private static let last = Atomic<Int>(100_000)

  /// Returns a name that begins with `prefix` and ends in a number. All numbers have six digits, so
  /// that no name begins with another one.
  package static func next(_ prefix: String) -> String {
    prefix + String(last.add(1, ordering: .relaxed).newValue)
  }
}
