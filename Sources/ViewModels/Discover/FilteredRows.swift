/// Which of many rows are shown, and which of them is selected.
///
/// The rows are given once; a key changes only which of them are shown. Ten thousand are narrowed in a few milliseconds,
/// and whoever draws looks at those that are on the screen and at no others.
package final class FilteredRows<ID: Hashable & Sendable> {
  /// Called when something else is shown or selected.
  package var onChange: () -> Void = {}
  /// Called when the person has typed into the filter.
  package var onFilter: () -> Void = {}
  /// What the rows are narrowed to; `nil` while nobody types.
  package private(set) var filter: String?
  /// The place of each row shown among those given, from the top.
  package private(set) var shown: [Int] = []
  /// The selected row's place among those shown; 0 when there is none.
  package private(set) var selectedRow = 0

  private var ids: [ID] = []
  private var text: (Int) -> String = { _ in "" }
  private var index: FuzzyIndex?
  private var selection: ID?

  package init() {}

  /// Shows and selects what another one did, as soon as it is here.
  func takePlace(of other: FilteredRows) {
    (filter, selection) = (other.filter, other.selected ?? other.selection)
    selectedRow = other.selectedRow
    narrow(among: nil)
  }

  /// How many there are, shown or not.
  package var count: Int { ids.count }

  /// The selected one; `nil` when none is shown.
  package var selected: ID? { shown.indices.contains(selectedRow) ? ids[shown[selectedRow]] : nil }

  /// Its place among those given.
  package var selectedIndex: Int? {
    shown.indices.contains(selectedRow) ? shown[selectedRow] : nil
  }

  /// Takes other rows. The selection stays with its row where that is still there, and else at its place.
  /// - Parameter text: what a row is found by; asked for only when somebody filters.
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
      // What was stood on comes back when it is shown again, unless the person moves.
      if selection == nil { selection = selected }
    }
    onChange()
  }

  // MARK: - What the person does

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
    // What has the longer words in it has the shorter ones as well.
    narrow(among: shown)
    onFilter()
  }

  /// Puts `text` in the filter's place.
  package func setFilter(_ text: String) {
    endFilter()
    typeFilter(text)
  }

  /// Takes so many letters off its end; one that has none ends.
  package func shortenFilter(by count: Int = 1) {
    guard let text = filter else { return }
    filter = text.isEmpty ? nil : String(text.dropLast(count))
    narrow(among: nil)
  }

  /// - Returns: whether there was one.
  @discardableResult package func endFilter() -> Bool {
    guard filter != nil else { return false }
    filter = nil
    narrow(among: nil)
    return true
  }
}
