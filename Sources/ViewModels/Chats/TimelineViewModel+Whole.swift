import NatterCore

/// Long texts: their beginning is shown, and all of it where somebody asks for it.
extension TimelineViewModel {
  /// Shows all of a message's text, which the database has, until that of another one is shown.
  func showWhole(_ message: Message) {
    let visit = visit
    lifetime.aside { [weak self, archive] in
      do {
        guard let text = try await archive.wholeText(of: message.id) else { return }
        self?.expand(message.id, to: text, visit)
      } catch {
        self?.failed(error)
      }
    }
  }

  private func failed(_ error: any Error) {
    failure = format.loadFailure(error)
    refresh()
  }

  private func expand(_ id: Message.ID, to text: String, _ itsVisit: Int) {
    // Another conversation was opened meanwhile.
    guard itsVisit == visit else { return }
    failure = nil
    window.expand(id, to: text)
    // It begins where its beginning stood, and the next lines are below.
    anchor = Anchor(message: id, line: 0)
    window.trim(around: id)
    refresh()
    onScroll()
  }
}
