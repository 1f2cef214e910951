import XMPP

/// The pushes of a list that arrive while the list is fetched. The fetched list is older than they
/// are and must not overwrite them, so they are applied on top of it.
struct HeldPushes {
  /// In the order of their arrival; `nil` while no list is fetched.
  private var pushes: [IQ]?
  /// A count of the fetches.
  private var fetch = 0

  /// Begins to hold pushes. Those of an earlier fetch are in the list that is fetched now.
  /// - Returns: the number of the fetch.
  mutating func begin() -> Int {
    pushes = []
    fetch += 1
    return fetch
  }

  /// Holds pushes, if a list is being fetched.
  /// - Returns: `false` if none is.
  @discardableResult
  mutating func hold(_ new: [IQ]) -> Bool {
    guard pushes != nil else { return false }
    pushes? += new
    return true
  }

  /// Returns pushes to apply after a fetch. Call it again afterwards: more may have arrived.
  /// - Returns: `nil` when nothing is held any more, or once another fetch has begun.
  mutating func next(after fetch: Int) -> [IQ]? {
    guard fetch == self.fetch, let held = pushes else { return nil }
    pushes = held.isEmpty ? nil : []
    return held.isEmpty ? nil : held
  }
}
