import FoundationEssentials
import Glibc
import ImportService
import NatterCore
import Storage
import System
import XMPP

/// Restores an account from an archive of Natter, as the first history that is imported.
nonisolated struct ArchiveRestoring {
  /// The result.
  enum Outcome: Sendable {
    case done(ImportReport)
    /// Only messages of the archive are imported.
    case merges(ImportReport.MergeReason)
  }

  let source: HistoryImporter.Source
  let selection: ImportSelection
  /// The path of the account's database.
  let path: String
  /// Indicates whether it is only examined, and nothing is stored.
  let isTrial: Bool
  /// Why messages failed that had not been sent when the archive was made.
  let reason: String
  /// The folder of downloads, an absolute path.
  let downloads: String

  /// Restores the account, if nothing of it is stored yet.
  /// - Throws: `StorageError`, `CancellationError`; nothing was changed then.
  func run() async throws -> Outcome {
    guard selection.since == nil, selection.only == nil else { return .merges(.options) }
    guard selection.owner == selection.account else { return .merges(.account) }
    guard try await AccountRestore(path, reason: reason).isPossible() else { return .merges(.data) }
    var report = ImportReport(path: source.path, format: source.format.name)
    do {
      let archive = try AccountArchive(source.path, newestSchema: AccountDatabase.newestSchema)
      guard archive.hasDatabase else { return .merges(.database) }
      guard archive.account == selection.account else { return .merges(.account) }
      guard let summary = try await restore(archive) else { return .merges(.data) }
      report.tally.added = summary.messages
      report.archive = .restored(unsent: summary.unsent)
      if !isTrial { await restoreFiles(of: archive, &report) }
    } catch let failure as ImportFailure {
      report.failure = failure
    } catch let refusal as AccountRestore.Refusal {
      report.failure = Self.failure(refusal, source.path)
    }
    return .done(report)
  }

  /// - Returns: `nil` if something is stored.
  private func restore(_ archive: AccountArchive) async throws -> AccountRestore.Summary? {
    guard isTrial else {
      return try await AccountRestore(path, reason: reason).run { try archive.readDatabase($0) }
    }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "natter-\(getpid())-\(UInt32.random(in: 0...UInt32.max))")
    guard mkdir(folder.path, 0o700) == 0 else {
      throw StorageError.notWritable(path: folder.path)
    }
    defer { rmdir(folder.path) }
    return try await AccountRestore(folder.appending(path: "store").path, reason: reason)
      .examine { try archive.readDatabase($0) }
  }

  /// Puts the downloaded files into the folder of downloads. The account is whole without them.
  private func restoreFiles(of archive: AccountArchive, _ report: inout ImportReport) async {
    guard archive.fileCount > 0 else { return }
    do {
      let database = try await AccountDatabase.open(at: path)
      let result: Result<ArchivedFiles.Outcome, any Error>
      do {
        result = .success(
          try await ArchivedFiles(archive: archive, folder: downloads).run(database))
      } catch { result = .failure(error) }
      await database.close()
      let outcome = try result.get()
      (report.files, report.lostFiles) = (outcome.restored, outcome.lost)
    } catch {
      // Another Natter has opened the account by now, or its database cannot be read.
      report.lostFiles = archive.fileCount
    }
  }

  private static func failure(_ refusal: AccountRestore.Refusal, _ path: String) -> ImportFailure {
    if case .newerSchema = refusal.reason { return .newerVersion(path: path) }
    return .archive(path: path)
  }
}
