import ExportService
import FoundationEssentials
import Glibc
import NatterCore
import Storage
import System
import Text
import ViewModels
import XMPP

/// `natter export`: writes the stored messages of an account into a file, or to standard output.
///
/// It reads as the commands of `ReadingCommand` do, beside a Natter that has the account open.
struct ExportCommand {
  let request: ExportRequest
  let context: LaunchContext
  var now = Date()

  /// - Throws: `CommandFailure`.
  func run() async throws -> ExitCode {
    do {
      let content = try await content()
      guard let path = request.output else {
        try await print(content)
        return .done
      }
      try await interruptibly { try await write(content, to: path) }
      return .done
    } catch is ReadingOutput.Closed {
      return .done
    } catch let failure as ExportFailure {
      throw CommandFailure(failure, context.localizer)
    } catch { throw CommandFailure(reading: error, context.localizer) }
  }

  // MARK: - Content

  /// Opens the account, and finds the conversations that the user named.
  private func content() async throws -> ExportContent {
    let checked = SentText(localizer: context.localizer)
    var addresses: [JID] = []
    for address in request.addresses {
      let jid = try checked.recipient(address)
      if !addresses.contains(jid) { addresses.append(jid) }
    }
    let account = try await StoredAccounts(context: context).one()
    guard let database = account.database else {
      if let address = addresses.first { throw CommandFailure(unknown: address, context.localizer) }
      throw CommandFailure(
        code: .failed,
        text: context.localizer("cli.export-nothing", ["account": account.jid.shown]))
    }
    do {
      return try await ExportContent(
        of: database, format: ItemFormat(localizer: context.localizer, account: account.jid),
        addresses: addresses)
    } catch let unknown as ExportContent.UnknownConversation {
      throw CommandFailure(unknown: unknown.jid, context.localizer)
    }
  }

  private func period(_ format: ItemFormat) -> ExportPeriod {
    let start = request.since?.beginning(now: now, in: format)
    return ExportPeriod(
      start: start, end: request.until?.end(after: start, now: now, in: format))
  }

  // MARK: - Output

  /// Writes to standard output. A signal ends the program there: nothing has to be removed.
  private func print(_ content: ExportContent) async throws {
    let format = request.format ?? (isatty(STDOUT_FILENO) == 1 ? .text : .jsonl)
    let output = ReadingOutput(context.localizer)
    try await content.write(
      as: format, in: period(content.format), at: now, report: { _ in }
    ) { try output.print($0) }
    try output.finish()
  }

  /// Writes a new file.
  private func write(_ content: ExportContent, to path: String) async throws {
    let file = try ExportFile(path, mayReplace: request.mayReplace)
    let line = ProgressLine()
    defer { line.end() }
    let outcome = try await content.write(
      to: file, as: request.format ?? .jsonl, in: period(content.format), at: now,
      includesFiles: request.includesFiles
    ) { show($0, of: content, in: line) }
    line.end()
    if let summary = outcome.archive { reportMissing(summary) }
  }

  private func show(_ progress: ExportProgress, of content: ExportContent, in line: ProgressLine) {
    line.show(
      progress.conversation?.name ?? content.account.shown,
      context.localizer.plural("cli.export-progress", progress.messages))
  }

  /// Reports downloaded files that the archive lacks.
  private func reportMissing(_ summary: ArchiveExport.Summary) {
    guard summary.missingFiles > 0 else { return }
    StandardStreams.printError(
      "natter: " + context.localizer.plural("cli.export-missing-files", summary.missingFiles))
  }

  /// Runs `work`, and cancels it with a signal that ends the program, so that it can remove its
  /// file.
  /// - Throws: `CommandFailure` after a signal.
  private func interruptibly(_ work: @escaping () async throws -> Void) async throws {
    let (result, number) = await StopSignals.cancelling(work)
    do { try result.get() } catch is CancellationError {
      throw SendCommand.stopped(number ?? SIGINT, context.localizer("cli.export-stopped"))
    }
  }
}

extension CommandFailure {
  /// The failure of an export.
  init(_ failure: ExportFailure, _ localizer: Localizer) {
    let error = failure.error(exists: "cli.export-exists", unwritable: "cli.export-unwritable")
    let code: ExitCode =
      switch failure {
      case .exists, .notAFile: .usage
      case .busy: .temporary
      case .file: .failed
      }
    self.init(code: code, text: localizer(error.key, error.arguments))
  }
}
