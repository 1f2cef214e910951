import NatterCore

// Going to one file, wherever in the list it is.
extension FilesViewModel {
  /// Selects the file that the message of that row offers, and shows it with those around it; one that is not there
  /// changes nothing.
  package func reveal(_ id: Message.ID) {
    endSearch()
    if items.contains(where: { $0.id == .file(id) }) { return select(.file(id)) }
    shell.lifetime.aside { [weak self, archive = shell.ports.timeline] in
      guard let message = try? await archive.storedMessage(id), message.file != nil else { return }
      self?.show(around: message.position)
    }
  }
}
