import NatterCore
import XMPP

// What keys do with the selected file.
extension FilesViewModel {
  /// Enter: shows a file; what failed is tried again, and what is held goes on.
  package func open() {
    if let file = selectedFile { return shell.open(file: file.message) }
    guard let transfer = selectedTransfer, let sharing = shell.ports.files?.sharing else { return }
    switch transfer.state {
    case .failed: shell.lifetime.aside { await sharing.retry(transfer.id) }
    case .paused: shell.lifetime.aside { await sharing.resume(transfer.id) }
    case .waiting, .running, .done:
      if transfer.direction == .download {
        shell.opening.insert(transfer.id)
        shell.show(Notice(.info, "status.opensLater", ["name": transfer.name]))
      }
    }
  }

  /// Shows a picture as large as the screen allows.
  package func viewPicture() {
    guard let message = selectedFile?.message, message.offersPicture else {
      return shell.show(Notice(.info, "status.noPicture"))
    }
    shell.view(picture: message)
  }

  /// Asks where to keep the file.
  package func saveAs() {
    if let file = selectedFile { shell.askWhereToSave(file.message) }
  }

  /// Asks whom to send it to as well.
  package func forward() {
    if let file = selectedFile { shell.chooseTarget(of: file.message) }
  }

  /// Goes to the message that offers it, by the mediator: the chats are another module's.
  package func showInChat() {
    let place: (conversation: JID, message: Message.ID?)? =
      selectedFile.map { ($0.message.conversation, $0.id) }
      ?? selectedTransfer.map { ($0.conversation, $0.message) }
    guard let place else { return }
    var parameters = ["jid": place.conversation.description]
    parameters["message"] = place.message.map { "\($0.rawValue)" }
    do {
      try shell.actions.request(
        place.message == nil ? "chats/open" : "chats/reveal", parameters)
    } catch {
      shell.report(error)
    }
  }

  /// Holds what is on its way, or lets it go on.
  package func pause() {
    guard let transfer = selectedTransfer, let sharing = shell.ports.files?.sharing else { return }
    shell.lifetime.aside {
      if transfer.state == .paused {
        await sharing.resume(transfer.id)
      } else if !transfer.state.isOver {
        await sharing.pause(transfer.id)
      }
    }
  }

  /// Ends what is on its way, after a question.
  package func remove() {
    guard let transfer = selectedTransfer else { return }
    shell.askToCancel([transfer])
  }
}
