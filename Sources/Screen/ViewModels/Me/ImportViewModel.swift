import NatterCore
import Text
import XMPP

/// The histories of other programs that can be imported into the account, and the import that can
/// be undone: a page of Me. It does what `/import` does.
package final class ImportViewModel: ValueListing {
  private enum Row: Hashable {
    /// The history with that index.
    case found(Int)
    /// A file or folder that the user types.
    case other
    case undo
    /// Ends what runs.
    case cancel

    var id: String {
      switch self {
      case .found(let index): "found \(index)"
      case .other: "other"
      case .undo: "undo"
      case .cancel: "cancel"
      }
    }
  }

  private struct Found {
    let history: FoundHistory
    /// `nil`: not counted yet.
    var content: HistoryContent?

    /// Indicates whether all of it was read.
    var isReadable: Bool { content.map { !$0.isUseless && $0.failure == nil } ?? false }

    func has(path: String) -> Bool { history.path.utf8.elementsEqual(path.utf8) }
  }

  /// The import that can be undone.
  private enum Newest {
    /// Not read yet.
    case unknown
    /// There is none.
    case nothing
    case batch(ImportBatch)
    case failed(NatterError)
  }

  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      invalidation.raise()
      if isFocused { look() }
    }
  }

  private let shell: ShellViewModel
  private let finding: any HistoryFinding
  /// Counts messages. The end of the program does not wait for it.
  let counting = Lifetime()
  /// `nil`: not searched yet.
  private var found: [Found]?
  private var isLooking = false
  private var newest = Newest.unknown
  private var selected: Row? { didSet { if selected != oldValue { invalidation.raise() } } }

  /// Returns whether histories are imported in this shell.
  package static func isOffered(in shell: ShellViewModel) -> Bool {
    shell.ports.historyFiles != nil
  }

  package init(shell: ShellViewModel, finding: any HistoryFinding) {
    self.shell = shell
    self.finding = finding
    shell.tools.historyFiles.follow { [weak self] in self?.followWork() }
    shell.follow { [weak self] in
      // Another process may have imported something.
      if case .historyImported = $0 { self?.readNewest() }
    }
    readNewest()
  }

  private var localizer: Localizer { shell.format.localizer }
  private var progress: HistoryFileWork.Progress? { shell.requests.historyFile?.progress }

  private func followWork() {
    if progress == nil {
      // Its row goes with what it ends.
      if selected == .cancel { selected = .undo }
      readNewest()
    }
    invalidation.raise()
  }

  private func readNewest() {
    shell.lifetime.inOrder { [weak self, finding] in
      let read: Newest
      do {
        read = try await finding.newestImport().map { .batch($0) } ?? .nothing
      } catch {
        read = .failed(NatterError(reporting: error, key: "error.unexpected"))
      }
      self?.newest = read
      self?.invalidation.raise()
    }
  }

  // MARK: Search

  /// Searches for histories, when the user opens the page, and counts the new ones.
  private func look() {
    guard !isLooking else { return }
    isLooking = true
    invalidation.raise()
    counting.aside { [weak self, finding] in
      let histories = await finding.find()
      self?.take(histories)
      while let next = self?.nextToCount {
        let content: HistoryContent
        do {
          content = try await finding.content(of: next)
        } catch is CancellationError {
          break
        } catch {
          content = HistoryContent(
            messages: 0, isUseless: true,
            failure: NatterError(reporting: error, key: "error.unexpected"))
        }
        self?.take(content, of: next)
      }
      self?.isLooking = false
    }
  }

  private func take(_ histories: [FoundHistory]) {
    let (known, chosen) = (found ?? [], selectedRow)
    found = histories.map { history in
      // What could not be read may be readable now.
      let same = known.first { $0.has(path: history.path) && $0.isReadable }
      return Found(history: history, content: same?.content)
    }
    if case .found(let old) = chosen, selected != nil {
      let index = found?.firstIndex { $0.has(path: known[old].history.path) }
      selected = index.map { .found($0) }
    }
    invalidation.raise()
  }

  private var nextToCount: FoundHistory? { found?.first { $0.content == nil }?.history }

  private func take(_ content: HistoryContent, of history: FoundHistory) {
    // The names of two folders may differ only in bytes that are no text, and so not in their path.
    guard
      let index = found?.firstIndex(where: { $0.content == nil && $0.has(path: history.path) })
    else { return }
    found?[index].content = content
    invalidation.raise()
  }

  // MARK: Rows

  package var title: String { shell.titled(localizer("import.page")) }

  private var rows: [Row] {
    (found ?? []).indices.map { .found($0) } + [.other, .undo]
      + (progress == nil ? [] : [.cancel])
  }

  private var selectedIndex: Int {
    selected.flatMap { rows.firstIndex(of: $0) } ?? 0
  }

  private var selectedRow: Row { rows[selectedIndex] }

  /// The row that shows the progress of what runs; `nil`: none does.
  private var runningRow: Row? {
    switch progress?.request {
    case .load(let path):
      (found ?? []).firstIndex { $0.has(path: path) }.map { .found($0) } ?? .other
    case .undo: .undo
    case .export, .cancel, nil: nil
    }
  }

  package var items: [ValueItem] {
    let (selected, running) = (selectedIndex, runningRow)
    return rows.enumerated().map { index, row in
      var item = ValueItem(
        id: row.id, title: title(of: row), value: row == running ? progressText : value(of: row))
      if case .found(let index) = row, row != running, let content = found?[index].content,
        !content.isUseless, content.failure != nil
      {
        item.note = localizer("import.partly")
        item.isWrong = true
      }
      item.isSelected = index == selected
      return item
    }
  }

  private func title(of row: Row) -> String {
    switch row {
    case .found(let index): found.map { title(of: $0[index].history) } ?? ""
    case .other: localizer("import.other")
    case .undo: localizer("import.undo")
    case .cancel: localizer("import.cancel")
    }
  }

  private func title(of history: FoundHistory) -> String {
    localizer("import.found", ["format": history.format, "path": short(history.path)])
  }

  private func value(of row: Row) -> String {
    switch row {
    case .found(let index):
      guard let content = found?[index].content else { return localizer("import.counting") }
      return content.isUseless
        ? localizer("import.unreadable") : localizer.plural("import.messages", content.messages)
    case .other: return ""
    case .undo:
      switch newest {
      case .unknown: return ""
      case .nothing: return localizer("settings.none")
      case .batch(let batch):
        return localizer.plural(
          "import.batch", batch.rows, ["name": texts.name(ofFile: batch.path)])
      case .failed: return localizer("import.unreadable")
      }
    case .cancel: return workText
    }
  }

  package var help: [String] {
    switch selectedRow {
    case .found(let index):
      guard let one = found?[index] else { return [] }
      let isUseless = one.content?.isUseless == true
      // The path may not fit its row.
      return [title(of: one.history)]
        + [one.content?.failure.map { shell.format.text($0.notice) }].compactMap { $0 }
        + [localizer(isUseless ? "import.unreadable-help" : "import.found-help")]
    case .other: return searchHelp + [localizer("import.other-help")]
    case .undo:
      let about: String? =
        switch newest {
        case .batch(let batch): short(batch.path)
        case .failed(let error): shell.format.text(error.notice)
        case .unknown, .nothing: nil
        }
      return [about].compactMap { $0 } + [localizer("import.undo-help")]
    case .cancel: return [localizer("import.cancel-help")]
    }
  }

  private var searchHelp: [String] {
    guard let found else { return [localizer(isLooking ? "import.looking" : "import.unopened")] }
    guard found.isEmpty else { return [] }
    let paths = localizer.list(finding.searched.map { short($0) })
    return [localizer("import.none", ["paths": paths])]
  }

  // MARK: Texts

  private var texts: HistoryFileText { HistoryFileText(format: shell.format, name: "") }

  private var progressText: String {
    guard let progress, progress.request != .undo else { return localizer("import.undoing") }
    return progress.count > 0 && !shell.isCalm
      ? texts.count(of: progress) : localizer("import.running")
  }

  /// The name of what runs.
  private var workText: String {
    guard let progress else { return "" }
    switch progress.request {
    case .export:
      return localizer(
        "import.work.export", ["name": shell.tools.historyFiles.name(of: progress)])
    case .load(let path): return localizer("import.work.load", ["name": texts.name(ofFile: path)])
    case .undo, .cancel: return localizer("import.undoing")
    }
  }

  /// Returns a path for display, with `~` for the home folder.
  private func short(_ path: String) -> String {
    var path = path
    if let home = shell.ports.files?.absolute("~/"), home.utf8.last == 0x2F, home.utf8.count > 1,
      path.utf8.starts(with: home.utf8)
    {
      path = "~/" + String(Substring(path.utf8.dropFirst(home.utf8.count)))
    }
    return shell.format.shown(ErrorText.oneLine(path))
  }

  // MARK: User input

  package func select(_ id: ValueItem.ID) {
    if let row = rows.first(where: { $0.id == id }) { selected = row }
  }

  package func select(key: String) { select(key) }

  package func moveSelection(_ step: Int) {
    let (rows, last) = (rows, rows.count - 1)
    selected =
      rows[step == .min ? 0 : step == .max ? last : min(last, max(0, selectedIndex + step))]
  }

  package func open() {
    switch selectedRow {
    case .found(let index): if let one = found?[index] { ask(about: one) }
    // Tab completes the path.
    case .other: shell.begin(line: "/import ")
    case .undo: askForUndo()
    case .cancel: run(.cancel)
    }
  }

  package func turn(_ step: Int) {}

  package func reset() {}

  private func ask(about one: Found) {
    let path = one.history.path
    do {
      try shell.tools.historyFiles.requireIdle()
      if let content = one.content, content.isUseless {
        throw content.failure
          ?? NatterError(.invalidInput, "error.historyFile.useless", ["path": path])
      }
    } catch { return shell.report(error) }
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "import.askTitle", textKey: "import.ask", acceptKey: "import.askAccept",
        arguments: [
          "path": short(path), "format": one.history.format,
          "account": shell.format.account.description,
        ]
      ) { [weak self] in self?.run(.load(path: path)) })
  }

  private func askForUndo() {
    let batch: ImportBatch
    do {
      try shell.tools.historyFiles.requireIdle()
      switch newest {
      case .unknown: return
      case .nothing: return shell.show(StatusNotice(.warning, "error.historyFile.noUndo"))
      case .failed(let error):
        readNewest()
        throw error
      case .batch(let newest): batch = newest
      }
    } catch { return shell.report(error) }
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "import.undoTitle", textKey: "import.undoAsk", acceptKey: "import.undoAccept",
        arguments: ["path": short(batch.path), "count": String(batch.rows)]
      ) { [weak self] in
        guard let self else { return }
        // Another process may have imported something since.
        if case .batch(batch) = newest { run(.undo) } else { askForUndo() }
      })
  }

  private func run(_ request: HistoryFileRequest) {
    do { try shell.tools.historyFiles.run(request) } catch { shell.report(error) }
  }
}
