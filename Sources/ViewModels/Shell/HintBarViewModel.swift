/// One key and what it does, its text final.
nonisolated package struct HintItem: Hashable, Sendable {
  package let keys: String
  package let label: String
  package init(keys: String, label: String) {
    self.keys = keys
    self.label = label
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
