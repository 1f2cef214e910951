import NatterCore
import XMPP

// The actions of keys on the selected file.
extension FilesViewModel {
  /// The state of the selected row, which determines the available actions.
  package enum TransferState: Hashable, Sendable {
    /// There is no selection.
    case nothing
    case moving(isDownload: Bool)
    case paused, failed
    /// - Parameter isHere: stored on this machine.
    case file(isHere: Bool, isPicture: Bool)
  }

  package var transferState: TransferState {
    if let file = selectedFile {
      let isHere = file.localPath != nil || file.message.direction == .outgoing
      return .file(isHere: isHere, isPicture: file.message.offersPicture)
    }
    guard let transfer = selectedTransfer else { return .nothing }
    return switch transfer.state {
    case .paused: .paused
    case .failed: .failed
    case .waiting, .running, .done: .moving(isDownload: transfer.direction == .download)
    }
  }

  /// Opens the file picker to send files to the conversation of the filter, or else to one that the
  /// user chooses.
  package func upload() { shell.pickFilesForConversation(filter.conversation) }

  /// Handles Enter: opens a file; a failed transfer is retried, and a paused one is resumed.
  package func open() {
    if let file = selectedFile { return shell.open(file: file.message) }
    guard let transfer = selectedTransfer, let sharing = shell.ports.files?.sharing else { return }
    switch transfer.state {
    case .failed: shell.lifetime.aside { await sharing.retry(transfer.id) }
    case .paused: shell.lifetime.aside { await sharing.resume(transfer.id) }
    case .waiting, .running, .done:
      if transfer.direction == .download {
        shell.opening.insert(transfer.id)
        shell.show(StatusNotice(.info, "status.opensLater", ["name": transfer.name]))
      } else {
        report(unfinished: transfer)
      }
    }
  }

  /// Shows a picture as large as the screen allows.
  package func viewPicture() {
    guard let message = selectedFile?.message, message.offersPicture else {
      return shell.show(StatusNotice(.info, "status.noPicture"))
    }
    shell.view(picture: message)
  }

  /// Asks for the destination and saves the file there; a failed download is tried again there.
  package func saveAs() {
    if let file = selectedFile ?? FileItems.failedDownload(selectedTransfer, among: window.files) {
      return shell.askWhereToSave(file.message)
    }
    if let transfer = selectedTransfer { report(unfinished: transfer) }
  }

  private func report(unfinished transfer: FileTransfer) {
    shell.show(FileItems.notice(about: transfer))
  }

  /// Asks for a conversation to forward the file to.
  package func forward() {
    if let file = selectedFile { return shell.chooseTarget(of: file.message) }
    if let transfer = selectedTransfer { report(unfinished: transfer) }
  }

  /// Shows the message that offers the file, through the mediator: the chats belong to another
  /// module.
  package func showInChat() {
    let target: (conversation: JID, message: Message.ID?)? =
      selectedFile.map { ($0.message.conversation, $0.id) }
      ?? selectedTransfer.map { ($0.conversation, $0.message) }
    guard let target else { return }
    var parameters = ["jid": target.conversation.description]
    parameters["message"] = target.message.map { "\($0.rawValue)" }
    do {
      try shell.actions.request(
        target.message == nil ? "chats/open" : "chats/reveal", parameters)
    } catch {
      shell.report(error)
    }
  }

  /// Pauses or resumes the selected transfer.
  package func pause() {
    if let file = selectedFile {
      return shell.show(StatusNotice(.info, "status.notMoving", ["name": file.file.safeName]))
    }
    guard let transfer = selectedTransfer, let sharing = shell.ports.files?.sharing else { return }
    switch transfer.state {
    case .paused: shell.lifetime.aside { await sharing.resume(transfer.id) }
    case .waiting, .running: shell.lifetime.aside { await sharing.pause(transfer.id) }
    case .failed, .done:
      shell.show(StatusNotice(.info, "status.notMoving", ["name": transfer.name]))
    }
  }

  /// Cancels the selected transfer, after a confirmation.
  package func remove() {
    if let transfer = selectedTransfer { return shell.askToCancel([transfer]) }
    if let file = selectedFile {
      shell.show(StatusNotice(.info, "status.fileStays", ["name": file.file.safeName]))
    }
  }
}
