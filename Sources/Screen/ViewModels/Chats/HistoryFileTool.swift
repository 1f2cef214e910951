import NatterCore
import Text
import XMPP

/// `/export` and `/import` in the full screen, with their progress in the status line.
struct HistoryFileTool {
  let shell: ShellViewModel

  /// - Throws: `NatterError` without a conversation to export, or while something else runs.
  func run(_ request: HistoryFileRequest) throws {
    guard let files = shell.ports.historyFiles else {
      throw NatterError(.refused, "error.historyFile.off")
    }
    let work = shell.requests.historyFile
    guard request != .cancel else {
      guard let work, work.progress != nil else {
        throw NatterError(.invalidInput, "error.historyFile.none")
      }
      return work.cancel()
    }
    try requireIdle()
    if case .export = request, shell.activeConversation == nil {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    (work ?? begun(files)).start(request, in: shell.activeConversation) { path in
      shell.ports.files?.absolute(path) ?? path
    }
  }

  /// - Throws: `NatterError` while an export or import runs.
  func requireIdle() throws {
    guard shell.requests.historyFile?.progress == nil else {
      throw NatterError(.invalidInput, "error.historyFile.busy")
    }
  }

  /// Has `onChange` called at each step of an export or import, and at its end.
  func follow(_ onChange: @escaping () -> Void) {
    shell.requests.historyFileFollowers.append(onChange)
  }

  private func begun(_ files: any HistoryFiling) -> HistoryFileWork {
    let work = HistoryFileWork(files)
    attach(work)
    return work
  }

  /// Continues what another shell of the account has begun.
  func take(from other: ShellViewModel) {
    guard let work = other.requests.historyFile else { return }
    other.requests.historyFile = nil
    attach(work)
    show(work.progress)
  }

  private func attach(_ work: HistoryFileWork) {
    shell.requests.historyFile = work
    work.onChange = { [weak shell] in shell?.tools.historyFiles.show($0) }
    work.onEnd = { [weak shell] in shell?.tools.historyFiles.report($1, of: $0) }
  }

  private func show(_ progress: HistoryFileWork.Progress?) {
    let text = progress.map {
      HistoryFileText(format: shell.format, name: name(of: $0))
        .progress($0, isCalm: shell.isCalm)
    }
    shell.status.show(fileWork: text ?? "")
    for onChange in shell.requests.historyFileFollowers { onChange() }
  }

  private func report(_ end: HistoryFileWork.End, of progress: HistoryFileWork.Progress) {
    shell.show(
      HistoryFileText(format: shell.format, name: name(of: progress)).notice(of: end, progress))
  }

  func name(of progress: HistoryFileWork.Progress) -> String {
    progress.conversation.map { shell.name(of: $0) } ?? ""
  }
}

/// The sentences about an export or an import.
package struct HistoryFileText {
  private let format: ItemFormat
  private let name: String
  private var localizer: Localizer { format.localizer }

  /// - Parameter name: the name of the conversation that is exported.
  package init(format: ItemFormat, name: String) { (self.format, self.name) = (format, name) }

  /// The progress in one line, and the way to end it.
  /// - Parameter isCalm: without numbers that change.
  package func progress(_ progress: HistoryFileWork.Progress, isCalm: Bool = false) -> String {
    let isCounted = progress.count > 0 && !isCalm
    switch progress.request {
    case .export where isCounted:
      return localizer.plural("status.historyFile.exportingAt", progress.count, ["name": name])
    case .export: return localizer("status.historyFile.exporting", ["name": name])
    case .load where isCounted:
      return localizer.plural("status.historyFile.importingAt", progress.count)
    case .load: return localizer("status.historyFile.importing")
    case .undo: return localizer("status.historyFile.undoing")
    case .cancel: return ""
    }
  }

  /// The number of messages so far.
  package func count(of progress: HistoryFileWork.Progress) -> String {
    localizer.plural("status.historyFile.messages", progress.count)
  }

  /// The result, and what the user can do next.
  package func notice(
    of end: HistoryFileWork.End, _ progress: HistoryFileWork.Progress
  ) -> StatusNotice {
    switch end {
    case .exported(let file): report(.info, [sentence(about: file)])
    case .imported(let history): report(of: history)
    case .undone(let undone?):
      report(
        .info,
        [
          localizer.plural(
            "status.historyFile.undone", undone.messages, ["path": name(ofFile: undone.path)])
        ])
    case .undone(nil): StatusNotice(.warning, "error.historyFile.noUndo")
    case .cancelled:
      switch progress.request {
      case .export: StatusNotice(.warning, "status.historyFile.exportCancelled")
      case .load: StatusNotice(.warning, "status.historyFile.importStopped")
      case .undo, .cancel: StatusNotice(.warning, "status.historyFile.undoCancelled")
      }
    case .failed(let error):
      NatterError(reporting: error, key: "error.unexpected").named(name).notice
    }
  }

  private func sentence(about file: ExportedHistory) -> String {
    let path = ["path": shown(file.path)]
    return switch file.format {
    case .text: localizer.plural("status.historyFile.exportedText", file.messages, path)
    case .html: localizer.plural("status.historyFile.exportedPage", file.messages, path)
    case .jsonl: localizer.plural("status.historyFile.exportedLines", file.messages, path)
    }
  }

  private func report(of history: ImportedHistory) -> StatusNotice {
    let arguments = [
      "path": name(ofFile: history.path), "format": history.format, "added": String(history.added),
      "known": String(history.known),
    ]
    let key =
      history.isCancelled
      ? "status.historyFile.importCancelled"
      : history.added > 0 ? "status.historyFile.imported" : "status.historyFile.importedNothing"
    var sentences: [String] = []
    if let failure = history.failure { sentences.append(format.text(failure.notice)) }
    if history.failure == nil || history.added + history.known > 0 {
      sentences.append(localizer(key, arguments))
    }
    if history.foreign > 0 {
      sentences.append(
        localizer("status.historyFile.foreign", ["count": String(history.foreign)]))
    }
    if history.refused > 0 {
      sentences.append(
        localizer(
          "status.historyFile.refused",
          ["count": String(history.refused), "location": shown(history.location ?? "")]))
    }
    if history.isArchive { sentences.append(localizer("status.historyFile.archive")) }
    if history.added > 0 { sentences.append(localizer("status.historyFile.undo")) }
    return report(
      history.failure != nil
        ? .error : history.isCancelled || history.refused > 0 ? .warning : .info, sentences)
  }

  private func report(_ level: StatusNotice.Level, _ sentences: [String]) -> StatusNotice {
    StatusNotice(
      level, "status.historyFile.report", ["text": sentences.joined(separator: " ")])
  }

  private func shown(_ text: String) -> String { ErrorText.oneLine(text) }

  /// Returns the name without folders. The user typed the path, and in a narrow terminal a long one
  /// takes the room of the last sentence, which is the way to undo the import.
  func name(ofFile path: String) -> String {
    shown(path.folderless)
  }
}

extension NatterError {
  /// The same with the name of the conversation, which a service does not know.
  fileprivate func named(_ name: String) -> NatterError {
    NatterError(
      kind, key, arguments.merging(["name": name]) { given, _ in given }, retry: retry,
      pause: pause)
  }
}
