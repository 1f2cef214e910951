/// A page of a sub-app, in the list beside it.
nonisolated package struct PageItem: Identifiable, Hashable, Sendable {
  package let id: String
  package let title: String
  package init(id: String, title: String) {
    self.id = id
    self.title = title
  }
}

/// The list of pages, with the current one.
package final class PageListViewModel {
  package let invalidation = Invalidation()
  package private(set) var items: [PageItem]
  package private(set) var selected = 0 {
    didSet {
      invalidation.raise()
      onSelect()
    }
  }
  /// Called when another page is selected.
  package var onSelect: () -> Void = {}
  package var isFocused = true {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }

  package init(items: [PageItem]) { self.items = items }

  /// Replaces the pages; the current one stays selected if it still exists.
  package func show(_ items: [PageItem]) {
    guard items != self.items else { return }
    let shown = self.items.indices.contains(selected) ? self.items[selected].id : nil
    self.items = items
    let index = items.firstIndex { $0.id == shown } ?? 0
    if index != selected { selected = index }
    invalidation.raise()
  }

  /// Moves the selection; it stops at the ends.
  package func moveSelection(_ step: Int) {
    let last = items.count - 1
    guard last >= 0 else { return }
    let wanted = step == .min ? 0 : step == .max ? last : min(last, max(0, selected + step))
    if wanted != selected { selected = wanted }
  }

  package func select(_ id: PageItem.ID) {
    if let index = items.firstIndex(where: { $0.id == id }), index != selected { selected = index }
  }
}
