import ImportService
import NatterCore
import Storage

/// Finds the histories that can be imported into an account that this process has open, for its
/// screen.
nonisolated struct AccountHistoryFinder: HistoryFinding {
  let transfers: AccountTransfers
  let environment: [String: String]

  var searched: [String] { KnownHistories.paths(environment) }

  @concurrent func find() async -> [FoundHistory] {
    KnownHistories.sources(environment).map {
      FoundHistory(path: $0.path, format: $0.format.name)
    }
  }

  @concurrent func content(of history: FoundHistory) async throws -> HistoryContent {
    guard let format = HistoryFormats.format(named: history.format) else {
      throw NatterError(
        .invalidInput, "error.historyFile.unknown",
        ["path": history.path, "formats": HistoryFormats.names.joined(separator: ", ")])
    }
    let report = try await KnownHistories.report(
      on: HistoryImporter.Source(path: history.path, format: format), transfers.context)
    guard !report.isCancelled else { throw CancellationError() }
    return HistoryContent(
      messages: report.messages, isUseless: report.isUseless,
      failure: report.failure.map { $0.error(of: report) })
  }

  @concurrent func newestImport() async throws -> ImportBatch? {
    do {
      return try await transfers.database.imports.imports().first
    } catch let error as StorageError { throw error.natterError }
  }
}
