/// One key and its action, the text final.
nonisolated package struct HintItem: Hashable, Sendable {
  package let keys: String
  package let label: String
  /// True if it is among the first to be dropped when space is short.
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
