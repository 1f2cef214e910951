import NatterCore
import Text
import XMPP

// Actions on one file that a message offers, from the chats and from the list of files.
extension ShellViewModel {
  /// Shows the file with the program for it, fetched first where it is not here.
  package func open(file message: Message) {
    withFiles { [weak self] files in
      if let path = await files.sharing.localPath(of: message) {
        if let self {
          await FileOpener(shell: self).show(path, isForeign: message.direction == .incoming)
        }
        return
      }
      let transfer = try await files.sharing.fetch(message, to: nil)
      if transfer.state == .done {
        if let self { await FileOpener(shell: self).show(transfer.path) }
      } else {
        self?.opening.insert(transfer.id)
      }
    }
  }

  /// Fetches the file into the folder for downloads (empty) or to `path`, as typed.
  package func save(file message: Message, to path: String) {
    withFiles { [weak self] files in
      let target = path.isEmpty ? nil : files.absolute(DroppedPath.path(in: path) ?? path)
      let transfer = try await files.sharing.fetch(message, to: target)
      if transfer.state == .done { self?.reportSaved(transfer) }
    }
  }

  /// Asks under what name to keep the file.
  package func askWhereToSave(_ message: Message) {
    guard let files = ports.files, let file = message.file else { return }
    let localizer = format.localizer
    var path = FormField(.text, "path", label: localizer("files.path"))
    path.text = files.folder + "/" + file.safeName
    path.cursor = path.text.count
    path.isRequired = true
    path.hint = localizer("files.pathHint")
    let prompt = PromptViewModel(
      title: localizer("files.saveTitle"), text: file.safeName, fields: [path],
      submit: localizer("files.save"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      self?.save(file: message, to: typed["path"] ?? "")
      return [:]
    }
    prompt.close = actions.showForm(prompt.form)
  }

  /// Offers the file to another conversation.
  package func forward(_ message: Message, to jid: JID) {
    if let error = obstacle(to: jid) ?? absence(of: jid) { return report(error) }
    let name = name(of: jid)
    withFiles { [weak self] files in
      try await files.sharing.forward(message, to: jid)
      self?.show(
        StatusNotice(
          .info, "status.forwarded", ["name": message.file?.safeName ?? "", "to": name]))
    }
  }

  /// Lists the conversations, to forward the file to one of them.
  package func chooseTarget(of message: Message) {
    let all = (recentConversations + contactsWithoutConversation).filter {
      $0 != message.conversation
    }
    guard !all.isEmpty else { return show(StatusNotice(.info, "status.nobodyToForward")) }
    actions.choose(
      ChoiceRequest(
        title: format.localizer(
          "files.forwardTitle", ["name": ErrorText.oneLine(message.file?.safeName ?? "")]),
        labels: all.map { name(of: $0) }, selected: 0
      ) { [weak self] in
        if let index = $0 { self?.forward(message, to: all[index]) }
      })
  }

  /// Opens the conversation at that message.
  package func reveal(_ message: Message.ID, in jid: JID, having words: [String] = []) {
    // A hidden conversation is read before it is there.
    open(jid) { [weak self] in
      guard let self, activeConversation == jid else { return }
      timeline.reveal(message, having: words)
    }
  }

  private func withFiles(_ work: @escaping @MainActor (FilePorts) async throws -> Void) {
    guard let files = ports.files else { return report(NatterError(.refused, "error.files.off")) }
    lifetime.aside { [weak self] in
      do { try await work(files) } catch { self?.report(error) }
    }
  }
}
