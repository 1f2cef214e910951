import BridgeService
import ExportService
import FoundationEssentials
import JSONLines
import NatterCore
import Storage
import System
import Terminal
import Text
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
    var messages = 0
    let summary: ArchiveExport.Summary?
    do {
      let content = try await ExportContent(
        of: account, database, addresses: request.conversations, localizer)
      summary = try await content.write(
        to: ExportFile(request.path, mayReplace: request.mayReplace), as: format,
        in: ExportPeriod(start: request.since, end: request.until), at: Date(),
        includesFiles: request.includesFiles
      ) { messages = $0.messages }
    } catch is ExportContent.UnknownConversation {
      throw BridgeError(.notFound, "no such conversation")
    } catch let failure as ExportFailure { throw BridgeError(failure, localizer) }
    return JSONLine {
      $0.add("path", request.path)
      $0.add("format", format.rawValue)
      $0.add("account", account.description)
      $0.add("messages", messages)
      guard let summary else { return }
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
    func text(_ key: String, _ path: String, _ others: [String: String] = [:]) -> String {
      localizer(key, others.merging(["path": SafeText.line(path)]) { $1 })
    }
    func path(_ message: String, _ text: String) -> BridgeError {
      BridgeError(.parameters, message, failure: text, details: ["path": .text("path")])
    }
    switch failure {
    case .exists(let name): self = path("the file exists", text("error.bridge.exists", name))
    case .notAFile(let name):
      self = path("the path is not that of a regular file", text("cli.export-no-file", name))
    case .busy(let name):
      self.init(.busy, "another export writes to the path", failure: text("cli.export-busy", name))
    case .file(let problem):
      let sentence =
        switch problem.kind {
        case .full: text("error.file.full", problem.path)
        case .notAllowed, .readOnly: text("error.file.notAllowed", problem.path)
        case .tooLarge, .other:
          text("error.file.other", problem.path, ["detail": problem.reason])
        }
      self.init(.refused, "the file could not be written", failure: sentence)
    }
  }
}
