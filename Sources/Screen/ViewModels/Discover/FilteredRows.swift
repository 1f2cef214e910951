/// The visible rows of a long list, with a selection.
///
/// The rows are loaded once; a key changes only which of them are visible. Filtering ten thousand
/// takes a few milliseconds, and the pane makes only the rows on the screen.
package final class FilteredRows<ID: Hashable & Sendable> {
  /// Called when the visible rows or the selection change.
  package var onChange: () -> Void = {}
  /// Called when the user has changed the filter.
  package var onFilter: () -> Void = {}
  /// The text of the filter; `nil` without a filter.
  package private(set) var filter: String?
  /// The index of each visible row among all rows, from the top.
  package private(set) var shown: [Int] = []
  /// The index of the selected row among the visible ones; 0 if there is none.
  package private(set) var selectedRow = 0

  private var ids: [ID] = []
  private var text: (Int) -> String = { _ in "" }
  private var index: FuzzyIndex?
  private var selection: ID?

  package init() {}

  /// Takes over the filter and selection of another list, even before the rows are loaded.
  func restore(from other: FilteredRows) {
    (filter, selection) = (other.filter, other.selected ?? other.selection)
    selectedRow = other.selectedRow
    narrow(among: nil)
  }

  /// The number of all rows.
  package var count: Int { ids.count }

  /// The selected row; `nil` if none is visible.
  package var selected: ID? { shown.indices.contains(selectedRow) ? ids[shown[selectedRow]] : nil }

  /// The index of the selected row among all rows.
  package var selectedIndex: Int? {
    shown.indices.contains(selectedRow) ? shown[selectedRow] : nil
  }

  /// Replaces the rows. The selection stays with its row if it still exists, otherwise at its
  /// index.
  /// - Parameter text: the searched text of a row; called only for a filter.
  package func load(_ ids: [ID], text: @escaping (Int) -> String) {
    self.ids = ids
    self.text = text
    index = nil
    narrow(among: nil)
  }

  private func narrow(among candidates: [Int]?) {
    if let filter, !filter.isEmpty {
      let index = index ?? FuzzyIndex(ids.indices.lazy.map(text))
      self.index = index
      shown = index.containing(filter, among: candidates)
    } else {
      shown = Array(ids.indices)
    }
    if let selection, let row = shown.firstIndex(where: { ids[$0] == selection }) {
      selectedRow = row
    } else {
      selectedRow = max(0, min(selectedRow, shown.count - 1))
      // A hidden selection returns with its row, unless the user moves it.
      if selection == nil { selection = selected }
    }
    onChange()
  }

  // MARK: - User input

  package func select(_ id: ID) {
    guard let row = shown.firstIndex(where: { ids[$0] == id }) else { return }
    select(row: row)
  }

  package func select(row: Int) {
    guard shown.indices.contains(row) else { return }
    selectedRow = row
    selection = ids[shown[row]]
    onChange()
  }

  /// Moves the selection; it stops at the ends.
  package func moveSelection(_ step: Int) {
    let last = shown.count - 1
    guard last >= 0 else { return }
    select(
      row: step == .min
        ? 0 : step == .max ? last : min(last, max(0, selectedRow + step)))
  }

  package func beginFilter() {
    filter = filter ?? ""
    onChange()
  }

  package func typeFilter(_ text: String) {
    filter = (filter ?? "") + text.filter { !$0.isNewline }
    selectedRow = 0
    selection = nil
    // Rows that match a longer text also match the shorter one.
    narrow(among: shown)
    onFilter()
  }

  /// Replaces the filter by `text`.
  package func setFilter(_ text: String) {
    endFilter()
    typeFilter(text)
  }

  /// Deletes characters from the end of the filter; an empty filter ends.
  package func shortenFilter(by count: Int = 1) {
    guard let text = filter else { return }
    filter = text.isEmpty ? nil : String(text.dropLast(count))
    narrow(among: nil)
  }

  /// - Returns: whether there was a filter.
  @discardableResult package func endFilter() -> Bool {
    guard filter != nil else { return false }
    filter = nil
    narrow(among: nil)
    return true
  }
}
