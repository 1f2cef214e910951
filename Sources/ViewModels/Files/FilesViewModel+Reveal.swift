import NatterCore

// Going to one file, wherever in the list it is.
extension FilesViewModel {
  /// Shows what another one showed, narrowed in the same way, at the file that was selected there.
  package func takePlace(of other: FilesViewModel) {
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

  /// Selects the file that the message of that row offers, and shows it with those around it; one that is not there
  /// changes nothing.
  package func reveal(_ id: Message.ID) {
    endSearch()
    if items.contains(where: { $0.id == .file(id) }) { return select(.file(id)) }
    show(around: id)
  }
}
