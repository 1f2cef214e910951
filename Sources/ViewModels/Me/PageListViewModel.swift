/// A page of the sub-app Me, in the list beside it.
nonisolated package struct PageItem: Identifiable, Hashable, Sendable {
  package let id: String
  package let title: String
  package init(id: String, title: String) {
    self.id = id
    self.title = title
  }
}

/// The list of pages, and which of them is shown.
package final class PageListViewModel {
  package let invalidation = Invalidation()
  package let items: [PageItem]
  package private(set) var selected = 0 { didSet { invalidation.raise() } }
  package var isFocused = true {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }

  package init(items: [PageItem]) { self.items = items }

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
