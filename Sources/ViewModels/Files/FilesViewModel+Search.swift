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

  package func shortenSearch() {
    guard let text = search else { return }
    search = text.isEmpty ? nil : String(text.dropLast())
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
