import FoundationEssentials
import NatterCore
import Synchronization
import XMPP

/// Imports histories of other programs into the database of an account.
///
/// A history is read in pieces, which are stored one after the other, so that memory is bounded and
/// the import can be cancelled at any time: what was stored until then is a batch like any other.
package struct HistoryImporter: Sendable {
  /// A file or folder, and its format.
  package struct Source: Sendable {
    package let path: String
    package let format: any HistoryFormat.Type

    package init(path: String, format: any HistoryFormat.Type) {
      self.path = path
      self.format = format
    }
  }

  /// A conversation that an import creates is hidden if its newest message is older, in seconds.
  package static let shownAge: TimeInterval = 90 * 86_400
  /// The most owners of a history that are distinguished.
  private static let ownerLimit = 20

  /// `nil`: nothing is stored, and all messages count as new.
  private let store: (any ImportStoring)?
  private let now: @Sendable () -> Date

  package init(store: (any ImportStoring)?, now: @escaping @Sendable () -> Date = { Date() }) {
    self.store = store
    self.now = now
  }

  /// Imports a history.
  /// - Parameters:
  ///   - isTrial: only counts what would be stored.
  ///   - progress: gets the report after each piece.
  /// - Returns: the report; of a history that could not be read to its end, or of an import that
  ///   was cancelled, what was done until then.
  /// - Throws: what the store throws; what was stored until then stays a batch.
  package func run(
    _ source: Source, _ selection: ImportSelection, _ context: ImportContext,
    isTrial: Bool = false, progress: @Sendable (ImportReport) async -> Void = { _ in }
  ) async throws -> ImportReport {
    var report = ImportReport(path: source.path, format: source.format.name)
    let reading = try HistoryReading(of: source.path, selection) { take in
      try source.format.init(path: source.path, context: context).read(take)
    }
    return try await withTaskCancellationHandler {
      defer { reading.cancel() }
      do {
        for try await chunk in reading.chunks {
          try await store(chunk, isTrial, &report)
          reading.finishedChunk()
          await progress(report)
          try Task.checkCancellation()
        }
      } catch let failure as ImportFailure {
        report.failure = failure
      } catch is CancellationError {
        report.isCancelled = true
      } catch {
        // What was stored stays; the first error is the one to report.
        try? await end(&report)
        throw error
      }
      if Task.isCancelled { report.isCancelled = true }
      try await end(&report)
      return report
    } onCancel: {
      reading.cancel()
    }
  }

  private func store(_ chunk: ImportChunk, _ isTrial: Bool, _ report: inout ImportReport)
    async throws
  {
    report.add(chunk)
    guard !chunk.entries.isEmpty else { return }
    guard let store else {
      report.tally += ImportTally(
        added: chunk.entries.count,
        conversations: Set(chunk.entries.map(\.message.conversation.bare)))
      return
    }
    guard !isTrial else {
      report.tally += try await store.preview(chunk.entries)
      return
    }
    let batch: ImportBatch.ID
    if let known = report.batch {
      batch = known
    } else {
      batch = try await store.beginImport(format: report.format, path: report.path, at: now())
      report.batch = batch
    }
    report.tally += try await store.add(
      chunk.entries, to: batch, shownSince: now() - Self.shownAge)
  }

  private func end(_ report: inout ImportReport) async throws {
    guard let store, let batch = report.batch else { return }
    try await store.endImport(batch)
    if report.tally.added == 0 { report.batch = nil }
  }

  /// Returns the accounts that a history belongs to, as far as it says; `account` alone if that is
  /// one of them.
  /// - Throws: `CancellationError`. A history that cannot be read has no owners here.
  package func owners(
    of source: Source, for account: JID, _ context: ImportContext
  ) async throws -> Set<JID> {
    let found = Owners()
    let reading = try HistoryReading(of: source.path, ImportSelection(account: account)) { take in
      try source.format.init(path: source.path, context: context).read { item in
        if case .message(let message) = item, let owner = message.account?.bare {
          guard !found.add(owner, unless: account.bare) else { throw CancellationError() }
        }
        try take(.skipped)
      }
    }
    await withTaskCancellationHandler {
      defer { reading.cancel() }
      do {
        for try await _ in reading.chunks { reading.finishedChunk() }
      } catch {
        // The import itself reports what cannot be read.
      }
    } onCancel: {
      reading.cancel()
    }
    try Task.checkCancellation()
    return found.all
  }

  /// Returns the accounts that a history belongs to, sorted, where `account` is none of them; empty
  /// if the history does not say whose it is.
  /// - Throws: as `owners`.
  package func otherOwners(
    of source: Source, than account: JID, _ context: ImportContext
  ) async throws -> [JID] {
    let owners = try await owners(of: source, for: account, context)
    return owners.contains(account.bare) ? [] : owners.sorted { $0.description < $1.description }
  }

  private final class Owners: Sendable {
    private let known = Mutex<Set<JID>>([])

    var all: Set<JID> { known.withLock { $0 } }

    /// - Returns: `true` if `account` is an owner, or there are too many.
    func add(_ owner: JID, unless account: JID) -> Bool {
      known.withLock { known in
        if owner == account {
          known = [account]
          return true
        }
        known.insert(owner)
        return known.count > HistoryImporter.ownerLimit
      }
    }
  }
}
