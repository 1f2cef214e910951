// What the names of files are to have in them.
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

  /// Takes so many letters off its end; one that has none ends.
  package func shortenSearch(by count: Int = 1) {
    guard let text = search else { return }
    search = text.isEmpty ? nil : String(text.dropLast(count))
    begin()
  }

  /// - Returns: whether there was one.
  @discardableResult package func endSearch() -> Bool {
    guard let text = search else { return false }
    search = nil
    if text.isEmpty { refresh() } else { begin() }
    return true
  }
}
