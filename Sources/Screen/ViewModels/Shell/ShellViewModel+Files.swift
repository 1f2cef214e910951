import NatterCore
import Text
import XMPP

extension ShellViewModel {
  /// The ports that the shell and its commands need for files.
  package struct FilePorts {
    package let sharing: any FileSharing
    package let history: any FileHistoryReading
    /// The folder for files that are saved without a path.
    package let folder: String
    /// The absolute path of what a person typed, with a `~` replaced.
    package let absolute: (String) -> String
    /// Returns whether there is a file at an absolute path.
    package let isFile: (String) -> Bool
    /// Opens a file in the program for it; the closure receives an error if that fails.
    /// - Throws: `NatterError` when there is none.
    package let open: (String, @escaping @MainActor @Sendable (NatterError) -> Void) throws -> Void
    /// Returns whether a file may run commands when it is opened, by its name and its content.
    package let mayRun: (String) async -> Bool
    /// Returns the entries of a folder.
    package let entries: (String) -> [FolderEntry]
    /// `nil` where nothing can be looked at.
    package let looking: (any FileLooking)?

    package init(
      sharing: any FileSharing, history: any FileHistoryReading, folder: String,
      absolute: @escaping (String) -> String,
      isFile: @escaping (String) -> Bool,
      open:
        @escaping (String, @escaping @MainActor @Sendable (NatterError) -> Void) throws ->
        Void,
      mayRun: @escaping (String) async -> Bool = { _ in false },
      entries: @escaping (String) -> [FolderEntry] = { _ in [] },
      looking: (any FileLooking)? = nil
    ) {
      self.entries = entries
      self.mayRun = mayRun
      self.looking = looking
      self.sharing = sharing
      self.history = history
      self.folder = folder
      self.absolute = absolute
      self.isFile = isFile
      self.open = open
    }

    /// The picture that a message offers, where it is on this disk.
    func picture(of message: Message) async -> PictureFile? {
      guard let looking, let path = await sharing.localPath(of: message),
        case .picture(let file) = await looking.preview(of: path)
      else { return nil }
      return file
    }

    /// The same, or else the small picture that came with the message itself.
    func glimpse(of message: Message) async -> PictureFile? {
      if let file = await picture(of: message) { return file }
      guard let looking, let bytes = await sharing.thumbnail(of: message) else { return nil }
      return await looking.picture(bytes)
    }
  }

  /// A file or folder in a folder.
  nonisolated package struct FolderEntry: Hashable, Sendable {
    package let name: String
    package let isFolder: Bool
    package init(name: String, isFolder: Bool) {
      self.name = name
      self.isFolder = isFolder
    }
  }

  /// The conversation that files are sent to now, and what sends them.
  /// - Throws: `NatterError` when there is none, or nothing can be sent there.
  private func fileTarget() throws -> (jid: JID, files: FilePorts) {
    guard let files = ports.files else { throw NatterError(.refused, "error.files.off") }
    guard let jid = sidebar.active else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    if let error = obstacle(to: jid) { throw error }
    return (jid, files)
  }

  /// Lists the files of this machine, to send some of them to the open conversation.
  /// - Throws: `NatterError` when there is none, or nothing can be sent there.
  package func pickFiles() throws {
    let (jid, files) = try fileTarget()
    let title = format.localizer("picker.title", ["name": name(of: jid)])
    try showPicker(title, files) { [weak self] chosen in
      self?.timeline.personWrote()
      self?.share(chosen, with: jid, files)
    }
  }

  /// - Parameter onChosen: called with absolute paths, at least one; not where nothing was chosen.
  private func showPicker(
    _ title: String, _ files: FilePorts, onChosen: @escaping ([String]) -> Void
  ) throws {
    guard let looking = files.looking else { throw NatterError(.refused, "error.files.off") }
    let picker = FilePickerViewModel(
      title: title, folder: lastFolder ?? files.absolute("~/"), localizer: format.localizer,
      looking: looking, lifetime: lifetime, absolute: files.absolute)
    let close = actions.showPicker(picker)
    picker.onEnd = { [weak self] chosen, folder in
      close()
      guard let self else { return }
      if folder != lastFolder { remember(folder, as: PreferenceKey.folder) }
      lastFolder = folder
      if !chosen.isEmpty { onChosen(chosen) }
    }
  }

  private func share(_ paths: [String], with jid: JID, _ files: FilePorts) {
    lifetime.aside { [weak self] in
      for case .failure(let error) in await files.sharing.share(paths, with: jid) {
        self?.report(error)
      }
    }
  }

  /// Lists the files of this computer, then the conversations, the open one first, to send some.
  /// - Parameter chosen: the one that they are for; `nil`: it is asked.
  package func pickFilesForConversation(_ chosen: JID? = nil) {
    guard let files = ports.files else { return report(NatterError(.refused, "error.files.off")) }
    if let jid = chosen {
      if let error = obstacle(to: jid) { return report(error) }
      let title = format.localizer("picker.title", ["name": name(of: jid)])
      do {
        try showPicker(title, files) { [weak self] in self?.share($0, with: jid, files) }
      } catch {
        report(error)
      }
      return
    }
    let others = (recentConversations + contactsWithoutConversation).filter { $0 != sidebar.active }
    let all = (sidebar.active.map { [$0] } ?? []) + others
    guard !all.isEmpty else { return show(StatusNotice(.info, "status.nobodyToSendTo")) }
    do {
      try showPicker(format.localizer("picker.titleAnybody"), files) { [weak self] chosen in
        self?.chooseReceiver(of: chosen, among: all, files)
      }
    } catch {
      report(error)
    }
  }

  private func chooseReceiver(of paths: [String], among all: [JID], _ files: FilePorts) {
    let name = paths[0].split(separator: "/").last.map(String.init) ?? paths[0]
    let title =
      paths.count == 1
      ? format.localizer("files.forwardTitle", ["name": ErrorText.oneLine(name)])
      : format.localizer.plural("files.sendTitle", paths.count)
    actions.choose(
      ChoiceRequest(
        title: title, labels: all.map { self.name(of: $0) }, selected: 0
      ) { [weak self] in
        guard let self, let index = $0 else { return }
        if let error = obstacle(to: all[index]) { return report(error) }
        share(paths, with: all[index], files)
      })
  }

  /// The same for a key: errors are shown.
  package func askForFiles() {
    do { try pickFiles() } catch { report(error) }
  }

  package func upload(_ text: String) throws {
    let (jid, files) = try fileTarget()
    var paths = DroppedPath.paths(in: text) { files.isFile(files.absolute($0)) }
    // A text that could not be a path is reported as a missing file.
    if paths.isEmpty { paths = [text] }
    timeline.personWrote()
    lifetime.aside { [weak self] in
      var refused: [String] = []
      let results = await files.sharing.share(paths.map(files.absolute), with: jid)
      for (path, result) in zip(paths, results) {
        guard case .failure(let error) = result else { continue }
        refused.append(path)
        self?.report(error, of: nil)
      }
      guard !refused.isEmpty else { return }
      // What was typed comes back, to be put right.
      let typed =
        paths.count == 1 ? text : refused.map { DroppedPath.quoted($0) }.joined(separator: " ")
      self?.input(of: jid).restore("/upload " + typed, to: jid)
    }
  }

  package func openFile(_ number: Int) {
    withFile(number, "/open") { $0.open(file: $1) }
  }

  package func saveFile(_ number: Int, to path: String) {
    withFile(number, "/save", path) { $0.save(file: $1, to: path) }
  }

  package func forwardFile(_ number: Int, to jid: JID?) {
    withFile(number, "/forward", jid?.description ?? "") { shell, message in
      if let jid { shell.forward(message, to: jid) } else { shell.chooseTarget(of: message) }
    }
  }

  package func revealFile(_ number: Int) {
    withFile(number, "/where") { $0.reveal($1.id, in: $1.conversation) }
  }

  package func holdTransfers() {
    let nothing = StatusNotice(.info, "status.noTransfers")
    guard let files = ports.files, let jid = sidebar.active else { return show(nothing) }
    lifetime.aside { [weak self] in
      let all = await files.sharing.transfers(in: jid)
      let moving = all.filter { !$0.state.isOver && $0.state != .paused }
      if all.allSatisfy(\.state.isOver) {
        self?.show(nothing)
      } else if moving.isEmpty {
        for paused in all where paused.state == .paused { await files.sharing.resume(paused.id) }
      } else {
        for transfer in moving { await files.sharing.pause(transfer.id) }
      }
    }
  }

  /// Retries or cancels the failed transfers of the open conversation. If none failed, cancels
  /// those in progress, after a question.
  /// - Parameter isAlone: whether there is nothing else: then a notice says if there were none.
  func settleTransfers(cancels: Bool, orElse isAlone: Bool) {
    guard let files = ports.files, let jid = sidebar.active else {
      let nothing = cancels ? "status.nothingToCancel" : "status.nothingToRetry"
      if isAlone { show(StatusNotice(.info, nothing)) }
      return
    }
    lifetime.aside { [weak self] in
      let all = await files.sharing.transfers(in: jid)
      let failed = all.filter(\.state.isOver)
      for transfer in failed {
        guard cancels else {
          await files.sharing.retry(transfer.id)
          continue
        }
        do { try await files.sharing.cancel(transfer.id) } catch { self?.report(error) }
      }
      guard isAlone, failed.isEmpty else { return }
      let moving = all.filter { !$0.state.isOver }
      guard cancels, !moving.isEmpty else {
        self?.show(
          StatusNotice(.info, cancels ? "status.nothingToCancel" : "status.nothingToRetry"))
        return
      }
      self?.askToCancel(moving)
    }
  }

  /// Ends transfers that are on their way, after a question.
  package func askToCancel(_ transfers: [FileTransfer]) {
    guard let sharing = ports.files?.sharing, let first = transfers.first else { return }
    let isOne = transfers.count == 1
    actions.confirm(
      ConfirmRequest(
        titleKey: "confirm.cancelTransferTitle",
        textKey: isOne ? "confirm.cancelTransfer" : "confirm.cancelTransfers",
        acceptKey: "confirm.cancelTransferAccept",
        arguments: isOne ? ["name": first.name] : ["count": "\(transfers.count)"]
      ) { [weak self] in
        self?.lifetime.aside { [weak self] in
          for transfer in transfers {
            do { try await sharing.cancel(transfer.id) } catch { self?.report(error) }
          }
        }
      })
  }

  func transfersChanged(_ changed: [FileTransfer]) {
    note(changed)
    for transfer in changed where transfer.direction == .download {
      switch transfer.state {
      case .done:
        guard opening.remove(transfer.id) != nil else {
          reportSaved(transfer)
          continue
        }
        lifetime.aside { [weak self] in
          if let self { await FileOpener(shell: self).show(transfer.path) }
        }
      case .failed(let error):
        opening.remove(transfer.id)
        show(
          StatusNotice(
            .error, "status.notFetched",
            ["name": transfer.name, "reason": format.text(error.notice)]))
      default: break
      }
    }
  }

  /// Keeps count of what is on its way.
  func note(_ changed: [FileTransfer]) {
    for transfer in changed {
      if transfer.state == .running || transfer.state == .waiting {
        moving.insert(transfer.id)
      } else {
        moving.remove(transfer.id)
      }
    }
  }

  func reportSaved(_ transfer: FileTransfer) {
    show(StatusNotice(.info, "status.saved", ["name": transfer.name, "path": transfer.path]))
  }

  /// Does something with the file `number` back from the newest of the open conversation.
  /// - Parameters:
  ///   - command: what was typed for that: it comes back where there is no such file.
  ///   - rest: what followed the number.
  private func withFile(
    _ number: Int, _ command: String, _ rest: String = "",
    _ work: @escaping @MainActor (ShellViewModel, Message) -> Void
  ) {
    guard let files = ports.files, let jid = sidebar.active else {
      return report(NatterError(.invalidInput, "error.noConversation"))
    }
    lifetime.aside { [weak self] in
      do {
        let found = try await files.sharing.files(in: jid, limit: number)
        guard found.count >= number, let message = found.last else {
          throw NatterError(.invalidInput, "error.files.none", ["count": "\(found.count)"])
        }
        if let self { work(self, message) }
      } catch {
        let typed = [command, number > 1 ? String(number) : "", rest].filter { !$0.isEmpty }
        self?.input(of: jid).restore(typed.joined(separator: " "), to: jid)
        self?.report(error)
      }
    }
  }

  /// Returns the command that sends the files, and their number, if a paste is only their paths.
  func uploadCommand(for pasted: String) -> (text: String, count: Int)? {
    guard let files = ports.files, sidebar.active != nil, input.text.isEmpty else { return nil }
    let paths = DroppedPath.paths(in: pasted) { files.isFile(files.absolute($0)) }
    guard !paths.isEmpty,
      paths.allSatisfy({
        ($0.hasPrefix("/") || $0.hasPrefix("~/")) && files.isFile(files.absolute($0))
      })
    else { return nil }
    return ("/upload " + paths.map { DroppedPath.quoted($0) }.joined(separator: " "), paths.count)
  }
}
