import ExportService
import FoundationEssentials
import NatterCore
import Storage
import Text
import ViewModels
import XMPP

/// The stored messages of an account, and how they are written: for `natter export`, for clients of
/// the bridge, and for `/export`.
nonisolated struct ExportContent {
  /// An address of which nothing is known.
  struct UnknownConversation: Error, Hashable {
    let jid: JID
  }

  /// There is no message to write.
  struct NoMessages: Error {}

  /// A file that was written.
  struct Outcome {
    /// The messages in it.
    var messages = 0
    /// The files of an archive; `nil` for all other formats.
    var archive: ArchiveExport.Summary?
  }

  private let database: AccountDatabase
  private let source: StoredExport
  private let texts: ExportTexts

  /// - Parameters:
  ///   - format: names the account, and formats names and dates.
  ///   - addresses: the conversations, in the order of the output; empty: all of them.
  /// - Throws: `UnknownConversation`, `StorageError`.
  init(of database: AccountDatabase, format: ItemFormat, addresses: [JID]) async throws {
    self.database = database
    let names = try await StoredNames(database, format: format)
    for address in addresses where !names.hasConversation(with: address) {
      guard try await database.roster.contact(address) != nil else {
        throw UnknownConversation(jid: address)
      }
    }
    source = StoredExport(
      account: format.account, database: database, names: names,
      addresses: addresses.isEmpty ? nil : addresses)
    texts = ExportTexts(names: names)
  }

  /// Formats the dates that the user gives, and those of the output.
  var format: ItemFormat { texts.names.format }

  var account: JID { format.account }

  /// Writes a new file, which has its name only when it is whole.
  /// - Parameters:
  ///   - date: the time of the export.
  ///   - includesFiles: whether an archive contains the downloaded files.
  ///   - mayBeEmpty: whether a file without messages is written, too.
  ///   - report: called after each page of messages.
  /// - Throws: `ExportFailure`, `NoMessages`, `StorageError`, `CancellationError`. There is no new
  ///   file then.
  func write(
    to file: ExportFile, as format: ExportFormat, in period: ExportPeriod = ExportPeriod(),
    at date: Date, includesFiles: Bool = false, mayBeEmpty: Bool = true,
    report: @escaping (ExportProgress) -> Void
  ) async throws -> Outcome {
    do {
      var outcome = Outcome()
      let note: (ExportProgress) -> Void = {
        outcome.messages = $0.messages
        report($0)
      }
      if format == .archive {
        let archive = ArchiveExport(
          of: StoredArchive(account: account, database: database, format: self.format),
          at: date, includesFiles: includesFiles, report: note)
        outcome.archive = try await archive.write(to: file)
      } else {
        try await write(as: format, in: period, at: date, report: note) { try file.print($0) }
      }
      guard mayBeEmpty || outcome.messages > 0 else { throw NoMessages() }
      try file.commit()
      return outcome
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
