import NatterCore

// Navigation to a file at any position of the list.
extension FilesViewModel {
  /// Takes over the filter, the search and the selection of another view model.
  package func restore(from other: FilesViewModel) {
    if filters.items.contains(where: { $0.id == other.page }) {
      filters.select(other.page)
    } else {
      wantedPage = other.page
    }
    if let search = other.search {
      beginSearch()
      if !search.isEmpty { typeSearch(search) }
    }
    if wantedPage == nil, case .file(let id)? = other.selection { show(around: id) }
  }

  private func show(around id: Message.ID) {
    shell.lifetime.aside { [weak self, archive = shell.ports.timeline] in
      guard let message = try? await archive.storedMessage(id), message.file != nil else { return }
      self?.show(around: message.position)
    }
  }

  /// Selects the file that the message of that row offers, with the files around it; an unknown row
  /// changes nothing.
  package func reveal(_ id: Message.ID) {
    endSearch()
    if items.contains(where: { $0.id == .file(id) }) { return select(.file(id)) }
    show(around: id)
  }
}
