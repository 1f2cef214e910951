import Foundation
import NatterCore
import XMPP

/// Histories in memory, and what is done with them.
package actor FakeHistories: HistoryFinding, HistoryFiling {
  package nonisolated let searched = ["/home/alice/.local/share/profanity", "/mnt/histo"]
  /// The calls that change something, in order: `import /mnt/log`, `undo`.
  package private(set) var calls: [String] = []
  /// The paths of the histories that were counted, in order.
  package private(set) var counted: [String] = []
  private var histories: [(history: FoundHistory, content: Result<HistoryContent, NatterError>)] =
    []
  private var newest: Result<ImportBatch?, NatterError> = .success(nil)
  private var waits = false
  private var held: AsyncStream<Void>.Continuation?

  package init() {}

  package func add(_ path: String, format: String, _ content: HistoryContent) {
    histories.removeAll { $0.history.path == path }
    histories.append((FoundHistory(path: path, format: format), .success(content)))
  }
  package func fail(_ path: String, format: String, with error: NatterError) {
    histories.append((FoundHistory(path: path, format: format), .failure(error)))
  }
  package func setNewest(_ batch: ImportBatch?) { newest = .success(batch) }
  package func failNewest(with error: NatterError) { newest = .failure(error) }
  /// Has what begins from now on read 7 messages, and wait for `release` or its cancellation.
  package func wait() { waits = true }
  package func release() {
    waits = false
    held?.finish()
  }

  private func called(_ call: String, _ progress: @Sendable (Int) -> Void = { _ in }) async throws {
    calls.append(call)
    guard waits else { return }
    let (never, end) = AsyncStream<Void>.makeStream()
    held = end
    progress(7)
    for await _ in never {}
    try Task.checkCancellation()
  }

  package func find() -> [FoundHistory] { histories.map(\.history) }

  package func content(of history: FoundHistory) throws -> HistoryContent {
    counted.append(history.path)
    let known = histories.first { $0.history == history }
    return try known?.content.get() ?? HistoryContent(messages: 0)
  }

  package func newestImport() throws -> ImportBatch? { try newest.get() }

  package func export(
    _ conversation: JID, as format: HistoryFileFormat?, to path: String?,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws -> ExportedHistory {
    try await called("export \(conversation)", progress)
    return ExportedHistory(path: path ?? "/home/alice/bob.txt", format: .text, messages: 2)
  }

  /// Adds 3 messages.
  package func importHistory(
    at path: String, progress: @escaping @Sendable (Int) -> Void
  ) async throws -> ImportedHistory {
    try await called("import \(path)", progress)
    let format = histories.first { $0.history.path == path }?.history.format ?? "mcabber"
    newest = .success(
      ImportBatch(id: 9, format: format, path: path, at: Date(timeIntervalSince1970: 0), rows: 3))
    var imported = ImportedHistory(path: path, format: format)
    imported.added = 3
    return imported
  }

  package func undoLastImport() async throws -> UndoneImport? {
    try await called("undo")
    guard let batch = try newest.get() else { return nil }
    newest = .success(nil)
    return UndoneImport(path: batch.path, messages: batch.rows)
  }
}
