// The search by file name.
extension FilesViewModel {
  package func beginSearch() {
    guard search == nil else { return }
    search = ""
    refresh()
  }

  package func typeSearch(_ text: String) {
    search = (search ?? "") + text.filter { !$0.isNewline }
    begin()
  }

  /// Deletes characters from the end of the search; an empty search ends.
  package func shortenSearch(by count: Int = 1) {
    guard let text = search else { return }
    search = text.isEmpty ? nil : String(text.dropLast(count))
    begin()
  }

  /// - Returns: whether there was a search.
  @discardableResult package func endSearch() -> Bool {
    guard let text = search else { return false }
    search = nil
    if text.isEmpty { refresh() } else { begin() }
    return true
  }
}
