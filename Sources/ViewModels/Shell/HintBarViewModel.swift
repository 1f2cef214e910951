/// One key and what it does, its text final.
nonisolated package struct HintItem: Hashable, Sendable {
  package let keys: String
  package let label: String
  /// Whether it is the first to go where there is no room for all.
  package let isExtra: Bool

  package init(keys: String, label: String, isExtra: Bool = false) {
    (self.keys, self.label, self.isExtra) = (keys, label, isExtra)
  }
}

/// The bottom row: the keys of the pane that has the focus, the most useful first.
package final class HintBarViewModel {
  package let invalidation = Invalidation()
  package private(set) var items: [HintItem] = []

  package init() {}

  package func show(_ items: [HintItem]) {
    guard items != self.items else { return }
    self.items = items
    invalidation.raise()
  }
}
