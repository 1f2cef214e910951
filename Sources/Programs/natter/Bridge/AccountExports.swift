import BridgeService
import ExportService
import FoundationEssentials
import JSONLines
import NatterCore
import Storage
import Terminal
import Text
import ViewModels
import XMPP

/// Exports the stored messages of an account that this process has open, for clients of the bridge.
nonisolated struct AccountExports: HistoryExporting {
  let account: JID
  let database: AccountDatabase
  let localizer: Localizer

  @concurrent func runExport(_ request: BridgeExport) async throws -> JSONLine {
    let format =
      request.format.flatMap { ExportFormat(rawValue: $0) }
      ?? ExportFormat(ofFile: request.path) ?? .jsonl
    try check(request, format)
    let outcome: ExportContent.Outcome
    do {
      let content = try await ExportContent(
        of: database, format: ItemFormat(localizer: localizer, account: account),
        addresses: request.conversations)
      outcome = try await content.write(
        to: ExportFile(request.path, mayReplace: request.mayReplace), as: format,
        in: ExportPeriod(start: request.since, end: request.until), at: Date(),
        includesFiles: request.includesFiles
      ) { _ in }
    } catch is ExportContent.UnknownConversation {
      throw BridgeError(.notFound, "no such conversation")
    } catch let failure as ExportFailure { throw BridgeError(failure, localizer) }
    return JSONLine {
      $0.add("path", request.path)
      $0.add("format", format.rawValue)
      $0.add("account", account.description)
      $0.add("messages", outcome.messages)
      guard let summary = outcome.archive else { return }
      $0.add("files", summary.files)
      $0.add("missing_files", summary.missingFiles)
    }
  }

  /// Checks what only an archive, or everything but an archive, can have.
  private func check(_ request: BridgeExport, _ format: ExportFormat) throws(BridgeError) {
    guard format == .archive else {
      if request.includesFiles { throw .parameter("files", "only an archive has files") }
      return
    }
    let parts = [
      ("conversations", !request.conversations.isEmpty), ("since", request.since != nil),
      ("until", request.until != nil),
    ]
    for (name, isGiven) in parts where isGiven {
      throw .parameter(name, "an archive has everything that is stored")
    }
  }
}

nonisolated extension BridgeError {
  /// The failure of an export.
  fileprivate init(_ failure: ExportFailure, _ localizer: Localizer) {
    let error = failure.error(exists: "error.bridge.exists")
    let text = localizer(error.key, error.arguments.mapValues { SafeText.line($0) })
    let path: [String: JSONValue] = ["path": .text("path")]
    switch failure {
    case .exists: self.init(.parameters, "the file exists", failure: text, details: path)
    case .notAFile:
      self.init(
        .parameters, "the path is not that of a regular file", failure: text, details: path)
    case .busy: self.init(.busy, "another export writes to the path", failure: text)
    case .file: self.init(.refused, "the file could not be written", failure: text)
    }
  }
}
