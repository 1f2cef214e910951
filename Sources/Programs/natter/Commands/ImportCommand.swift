import Configuration
import FoundationEssentials
import Glibc
import ImportService
import JSONLines
import NatterCore
import Storage
import Synchronization
import System
import Terminal
import Text
import ViewModels
import XMPP

/// `natter import`: stores the histories of other programs, without a connection.
struct ImportCommand {
  let context: LaunchContext
  let request: ImportRequest

  private var printer: ImportPrinter {
    ImportPrinter(localizer: context.localizer, isJSON: request.isJSON, isTrial: request.isTrial)
  }

  /// - Throws: `CommandFailure`.
  func run() async throws -> ExitCode {
    do {
      switch request.action {
      case .files(let paths): return try await importFiles(paths)
      case .find: return try await find()
      case .undo(let number): return try await undo(number)
      }
    } catch let error as StorageError { throw failure(error) }
  }

  private func failure(_ error: StorageError) -> CommandFailure {
    let text =
      switch error {
      case .locked(let holder):
        context.localizer("cli.import-open", ["pid": holder.map { String($0) } ?? "?"])
      // The text of the screen is about messages that were not sent.
      case .full(let path): context.localizer("error.file.full", ["path": path])
      default: context.localizer(error.natterError.key, error.natterError.arguments)
      }
    return CommandFailure(code: ExitCode(reading: error), text: text)
  }

  // MARK: - Files

  private func importFiles(_ paths: [String]) async throws -> ExitCode {
    let account = try await StoredAccounts(context: context).address()
    let sources = paths.compactMap { source(at: $0) }
    var settings = importContext(of: account)
    settings.password = try password(for: sources)
    var work: [(source: HistoryImporter.Source, selection: ImportSelection)] = []
    for source in sources {
      var selection = ImportSelection(
        account: account, owner: try await owner(of: source, account, settings))
      selection.since = request.since?.beginning(
        now: Date(), in: ItemFormat(localizer: context.localizer, account: account))
      selection.only = request.only
      work.append((source, selection))
    }
    // What was looked for was said for each of them.
    guard !work.isEmpty else { return .badData }
    var reports: [ImportReport] = []
    var merge: ImportReport.MergeReason?
    do {
      if let (source, selection) = work.first, AccountArchive.isArchive(source) {
        switch try await restore(source, selection) {
        case .done(let report):
          reports.append(report)
          work.removeFirst()
        case .merges(let reason): merge = reason
        }
      }
      if !work.isEmpty {
        reports += try await merging(work, settings, first: merge)
      }
    } catch StorageError.locked(let holder) {
      guard let socket = await SocketImport(context, request, account) else {
        throw StorageError.locked(by: holder)
      }
      defer { socket.close() }
      for (number, (source, selection)) in work.enumerated() {
        let merge = number == 0 ? merge ?? .inUse : .data
        reports.append(
          try await socket.run(
            source, selection, password: settings.password, merge: merge, number: number))
      }
    }
    return ExitCode(importing: reports, isComplete: sources.count == paths.count)
  }

  private typealias Work = (source: HistoryImporter.Source, selection: ImportSelection)

  /// Restores an account from its archive, and prints the report.
  /// - Throws: `StorageError`; `CommandFailure` after a signal.
  private func restore(
    _ source: HistoryImporter.Source, _ selection: ImportSelection
  ) async throws -> ArchiveRestoring.Outcome {
    let line = ProgressLine()
    line.show(source.path, context.localizer("cli.import-restoring"))
    let restoring = ArchiveRestoring(
      source: source, selection: selection,
      path: context.databaseFile(of: selection.account).path, isTrial: request.isTrial,
      reason: context.localizer("cli.import-unsent-reason"),
      downloads: context.files.downloadFolder)
    let (result, signal) = await StopSignals.cancelling { try await restoring.run() }
    line.end()
    switch result {
    case .success(let outcome):
      if case .done(let report) = outcome {
        try printer.print(report, of: selection.account)
        if let signal, report.lostFiles > 0 {
          throw SendCommand.stopped(signal, context.localizer("cli.import-files-stopped"))
        }
      }
      return outcome
    case .failure(is CancellationError):
      throw SendCommand.stopped(signal ?? SIGINT, context.localizer("cli.import-restore-stopped"))
    case .failure(let error): throw error
    }
  }

  /// Adds histories to what is stored.
  /// - Parameter first: why the first one, an archive, is not restored; `nil`: it is none.
  private func merging(
    _ work: [Work], _ settings: ImportContext, first: ImportReport.MergeReason?
  ) async throws -> [ImportReport] {
    guard let account = work.first?.selection.account else { return [] }
    let database = try await database(of: account)
    var reports: [ImportReport] = []
    do {
      for (index, (source, selection)) in work.enumerated() {
        // After another history there is data.
        let merge: ImportReport.MergeReason? =
          AccountArchive.isArchive(source) ? (index == 0 ? first : nil) ?? .data : nil
        reports.append(try await run(source, selection, settings, database, merge))
      }
    } catch {
      await database?.close()
      throw error
    }
    await database?.close()
    return reports
  }

  /// Imports a history, and prints what was stored of it, also before it throws.
  /// - Throws: `StorageError`; `CommandFailure` after a signal.
  private func run(
    _ source: HistoryImporter.Source, _ selection: ImportSelection, _ settings: ImportContext,
    _ database: AccountDatabase?, _ merge: ImportReport.MergeReason?
  ) async throws -> ImportReport {
    let importer = HistoryImporter(store: database?.imports)
    let (line, localizer, isTrial) = (ProgressLine(), context.localizer, request.isTrial)
    let last = Mutex<ImportReport?>(nil)
    let (result, signal) = await StopSignals.cancelling {
      try await importer.run(source, selection, settings, isTrial: isTrial) { report in
        last.withLock { $0 = report }
        let count = String(report.messages)
        await line.show(report.path, localizer("cli.import-progress", ["count": count]))
      }
    }
    line.end()
    var report: ImportReport
    do { report = try result.get() } catch {
      if let stored = last.withLock({ $0 }), stored.tally.added > 0 {
        try printer.print(stored, of: selection.account)
      }
      throw error
    }
    if report.failure == nil { report.archive = merge.map { .merged($0) } }
    try printer.print(report, of: selection.account)
    if report.isCancelled {
      throw SendCommand.stopped(signal ?? SIGINT, localizer("cli.import-stopped"))
    }
    return report
  }

  private func importContext(of account: JID?) -> ImportContext {
    var settings = ImportContext()
    settings.account = account
    settings.ownNames = request.names
    settings.offset = request.zone.flatMap { HistoryZone($0) }?.offsets ?? HistoryZone.here
    settings.newestSchema = AccountDatabase.newestSchema
    settings.languages = LanguageChoice.read(besides: context.localizer.tag, context.environment)
    return settings
  }

  /// Returns the password of encrypted histories: that of `--password-file`, or what the user
  /// types; `nil` if no history needs one.
  private func password(for sources: [HistoryImporter.Source]) throws -> String? {
    guard let source = sources.first(where: { $0.format.needsPassword }) else { return nil }
    if let given = try context.choice.givenCredential(allowsStandardInput: true)?.password {
      return given
    }
    let path = ["path": SafeText.line(source.path)]
    if isatty(STDIN_FILENO) != 0 {
      let typed = HiddenLine.read(context.localizer("cli.import-password-prompt", path))
      if let typed { return typed }
    }
    throw CommandFailure(
      code: .usage, text: context.localizer("cli.import-needs-password", path))
  }

  /// A database that is read, or `nil` for none, if nothing is to be stored.
  private func database(of account: JID) async throws -> AccountDatabase? {
    guard request.isTrial else {
      return try await context.openDatabase(of: account, patience: .none)
    }
    return try await AccountDatabase.openReading(at: context.databaseFile(of: account).path)
  }

  /// Returns a history with its format; reports a file that has none, or cannot be read.
  private func source(at path: String) -> HistoryImporter.Source? {
    guard access(path, R_OK) == 0 else {
      printer.reportUnreadable(path, errno)
      return nil
    }
    let given = request.format.flatMap { HistoryFormats.format(named: $0) }
    guard let format = given ?? HistoryFormats.format(of: path) else {
      printer.reportUnknown(path)
      return nil
    }
    return HistoryImporter.Source(path: path, format: format)
  }

  /// Returns the owner whose messages are imported: the account, if the history has messages of
  /// it, or does not name its owner.
  private func owner(
    of source: HistoryImporter.Source, _ account: JID, _ settings: ImportContext
  ) async throws -> JID {
    let owners = try await HistoryImporter(store: nil)
      .otherOwners(of: source, than: account, settings)
    guard let owner = owners.first else { return account }
    let names = owners.map(\.description).joined(separator: ", ")
    let arguments = [
      "path": SafeText.line(source.path), "owners": SafeText.line(names),
      "account": account.description,
    ]
    if owners.count == 1 {
      if context.options.account != nil { return owner }
      if isatty(STDIN_FILENO) != 0 {
        StandardStreams.write(
          context.localizer("cli.import-owner-question", arguments), to: STDERR_FILENO)
        if context.readsYes() { return owner }
      }
    }
    let key = owners.count == 1 ? "cli.import-owner" : "cli.import-owners"
    throw CommandFailure(code: .usage, text: context.localizer(key, arguments))
  }

  // MARK: - Known histories

  private func find() async throws -> ExitCode {
    let sources = KnownHistories.sources(context.environment)
    guard !sources.isEmpty else {
      StandardStreams.printError("natter: " + context.localizer("cli.import-none"))
      return .done
    }
    let settings = importContext(of: nil)
    for source in sources {
      try printer.printFound(try await KnownHistories.report(on: source, settings))
    }
    return .done
  }

  // MARK: - Undoing

  private func undo(_ number: Int64) async throws -> ExitCode {
    let account = try await StoredAccounts(context: context).address()
    let database: AccountDatabase
    do {
      database = try await context.openDatabase(of: account, patience: .none)
    } catch StorageError.locked(let holder) {
      guard let socket = await SocketImport(context, request, account) else {
        throw StorageError.locked(by: holder)
      }
      defer { socket.close() }
      if try await socket.undo(number) { return .done }
      throw try await noImport(number, of: account)
    }
    let (result, signal) = await StopSignals.cancelling {
      try await database.imports.undoImport(number)
    }
    await database.close()
    switch result {
    case .success(let count?): try printer.printUndone(number, count, of: account)
    case .success(nil): throw try await noImport(number, of: account)
    case .failure(is CancellationError):
      throw SendCommand.stopped(
        signal ?? SIGINT,
        context.localizer("cli.import-undo-stopped", ["batch": String(number)]))
    case .failure(let error): throw error
    }
    return .done
  }

  /// Returns the failure for a number that no import has; it names those that there are.
  /// - Throws: `StorageError`.
  private func noImport(_ number: Int64, of account: JID) async throws -> CommandFailure {
    let database = try await AccountDatabase.openReading(
      at: context.databaseFile(of: account).path)
    let imports = try await database?.imports.imports() ?? []
    await database?.close()
    let known = imports.map { String($0.id) }.joined(separator: ", ")
    return CommandFailure(
      code: .failed,
      text: context.localizer(
        known.isEmpty ? "cli.import-no-imports" : "cli.import-no-batch",
        ["batch": String(number), "account": account.description, "batches": known]))
  }
}

extension ExitCode {
  /// The exit code of an import.
  /// - Parameters:
  ///   - reports: those of the histories that were read.
  ///   - isComplete: `false` if another path has no history.
  init(importing reports: [ImportReport], isComplete: Bool) {
    guard reports.allSatisfy(\.isUseless) else {
      let isWhole = reports.allSatisfy {
        $0.refused == 0 && $0.failure == nil && $0.lostFiles == 0
      }
      self = isComplete && isWhole ? .done : .failed
      return
    }
    let lacksLibrary = reports.contains {
      if case .missingLibrary = $0.failure { true } else { false }
    }
    self = lacksLibrary ? .badConfiguration : .badData
  }
}
