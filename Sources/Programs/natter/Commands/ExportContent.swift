import ExportService
import FoundationEssentials
import NatterCore
import Storage
import Text
import ViewModels
import XMPP

/// The stored messages of an account, and how they are written: for `natter export`, and for
/// clients of the bridge.
nonisolated struct ExportContent {
  /// An address of which nothing is known.
  struct UnknownConversation: Error, Hashable {
    let jid: JID
  }

  let account: JID
  let database: AccountDatabase
  private let source: StoredExport
  private let texts: ExportTexts

  /// - Parameter addresses: the conversations, in the order of the output; empty: all of them.
  /// - Throws: `UnknownConversation`, `StorageError`.
  init(
    of account: JID, _ database: AccountDatabase, addresses: [JID], _ localizer: Localizer
  ) async throws {
    self.account = account
    self.database = database
    let names = try await StoredNames(
      database, format: ItemFormat(localizer: localizer, account: account))
    for address in addresses where !names.hasConversation(with: address) {
      guard try await database.roster.contact(address) != nil else {
        throw UnknownConversation(jid: address)
      }
    }
    source = StoredExport(
      account: account, database: database, names: names,
      addresses: addresses.isEmpty ? nil : addresses)
    texts = ExportTexts(names: names)
  }

  /// Formats the dates that the user gives, and those of the output.
  var format: ItemFormat { texts.names.format }

  /// Writes a new file, which has its name only when it is whole.
  /// - Parameters:
  ///   - date: the time of the export.
  ///   - includesFiles: whether an archive contains the downloaded files.
  ///   - report: called after each page of messages.
  /// - Returns: the files of an archive; `nil` for all other formats.
  /// - Throws: `ExportFailure`, `StorageError`, `CancellationError`. There is no new file then.
  func write(
    to file: ExportFile, as format: ExportFormat, in period: ExportPeriod, at date: Date,
    includesFiles: Bool, report: @escaping (ExportProgress) -> Void
  ) async throws -> ArchiveExport.Summary? {
    do {
      var summary: ArchiveExport.Summary?
      if format == .archive {
        let archive = ArchiveExport(
          of: StoredArchive(account: account, database: database, format: self.format),
          at: date, includesFiles: includesFiles, report: report)
        summary = try await archive.write(to: file)
      } else {
        try await write(as: format, in: period, at: date, report: report) { try file.print($0) }
      }
      try file.commit()
      return summary
    } catch {
      file.abandon()
      throw error
    }
  }

  /// Writes the messages in a format that is text.
  /// - Parameter print: writes a line.
  /// - Throws: the errors of `print`, `StorageError`, `CancellationError`.
  func write(
    as format: ExportFormat, in period: ExportPeriod, at date: Date,
    report: @escaping (ExportProgress) -> Void, _ print: @escaping (String) throws -> Void
  ) async throws {
    try await HistoryExport(of: source, in: period, report: report)
      .write(as: format, at: date, texts, print)
  }
}
