import ExportService
import FoundationEssentials
import Glibc
import ImportService
import NatterCore
import Storage
import System
import Terminal
import Text
import ViewModels
import XMPP

/// Exports and imports history of an account that this process has open, for its screen.
nonisolated struct AccountHistoryFiles: HistoryFiling {
  let transfers: AccountTransfers
  let format: ItemFormat
  /// The folder of exports without a path.
  let folder: String

  private var account: JID { transfers.account }
  private var database: AccountDatabase { transfers.database }

  /// The most names that are tried for an export without a path.
  private static let attempts = 100

  // MARK: - Exporting

  @concurrent func export(
    _ conversation: JID, as format: HistoryFileFormat?, to path: String?,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws -> ExportedHistory {
    do {
      let file: ExportFile
      let written: HistoryFileFormat
      if let path {
        written = try format ?? Self.format(ofFile: path)
        file = try ExportFile(path, mayReplace: false)
      } else {
        written = format ?? .text
        file = try Self.newFile(of: conversation, as: written, in: folder)
      }
      let content = try await ExportContent(
        of: database, format: self.format, addresses: [conversation])
      let outcome = try await content.write(
        to: file, as: written.exported, at: Date(), mayBeEmpty: false
      ) { progress($0.messages) }
      return ExportedHistory(path: file.path, format: written, messages: outcome.messages)
    } catch is ExportContent.UnknownConversation {
      throw Self.nothing
    } catch is ExportContent.NoMessages {
      throw Self.nothing
    } catch let failure as ExportFailure {
      throw failure.natterError
    } catch let error as StorageError { throw error.natterError }
  }

  private static let nothing = NatterError(.invalidInput, "error.historyFile.nothing")

  /// Creates a file with the name of the conversation that replaces none.
  private static func newFile(
    of conversation: JID, as format: HistoryFileFormat, in folder: String
  ) throws -> ExportFile {
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    let name = name(of: conversation)
    for number in 1...attempts {
      let suffix = number == 1 ? "" : "-\(number)"
      let path = "\(folder)/\(name)\(suffix).\(format.ending)"
      do throws(ExportFailure) { return try ExportFile(path, mayReplace: false) } catch {
        switch error {
        // Another export writes a file of this name.
        case .exists, .busy: continue
        case .notAFile, .file: throw error
        }
      }
    }
    throw ExportFailure.exists(path: "\(folder)/\(name).\(format.ending)")
  }

  /// Returns the name of a conversation's file, without its ending; at most 200 bytes.
  static func name(of conversation: JID) -> String {
    // By scalars: in a nick, a mark after a slash forms one character with it.
    var name = String.UnicodeScalarView()
    for scalar in conversation.description.unicodeScalars {
      name.append(scalar == "/" || scalar == "\\" ? "_" : scalar)
    }
    return SharedFile.safe(String(name)) ?? "history"
  }

  private static func format(ofFile path: String) throws -> HistoryFileFormat {
    switch ExportFormat(ofFile: path) {
    case .text: .text
    case .html: .html
    case .jsonl: .jsonl
    case .archive: throw NatterError(.invalidInput, "error.historyFile.archive")
    case nil: throw NatterError(.invalidInput, "error.historyFile.format", ["text": path])
    }
  }

  // MARK: - Importing

  @concurrent func importHistory(
    at path: String, progress: @escaping @Sendable (Int) -> Void
  ) async throws -> ImportedHistory {
    do {
      guard access(path, R_OK) == 0 else {
        throw NatterError(
          .invalidInput, "cli.import-unreadable", ["path": path, "reason": String(errno)])
      }
      guard let format = HistoryFormats.format(of: path) else {
        throw NatterError(
          .invalidInput, "error.historyFile.unknown",
          ["path": path, "formats": HistoryFormats.names.joined(separator: ", ")])
      }
      guard !format.needsPassword else {
        throw NatterError(.invalidInput, "error.historyFile.password", ["path": path])
      }
      let source = HistoryImporter.Source(path: path, format: format)
      let context = transfers.context
      let owners = try await HistoryImporter(store: nil)
        .otherOwners(of: source, than: account, context)
      guard owners.isEmpty else {
        throw NatterError(
          .invalidInput, "error.historyFile.owner",
          [
            "path": path, "account": account.description,
            "owners": owners.map(\.description).joined(separator: ", "),
          ])
      }
      let report = try await transfers.run(source, ImportSelection(account: account), context) {
        progress($0.messages)
      }
      return ImportedHistory(report, isArchive: AccountArchive.isArchive(source))
    } catch let error as StorageError { throw error.natterError }
  }

  @concurrent func undoLastImport() async throws -> UndoneImport? {
    do {
      guard let last = try await database.imports.imports().first,
        let count = try await transfers.undoImport(Int(last.id))
      else { return nil }
      return UndoneImport(path: last.path, messages: count)
    } catch let error as StorageError { throw error.natterError }
  }
}

nonisolated extension AccountHistoryFiles {
  /// - Parameter folder: the folder of exports without a path.
  init(_ services: AccountServices, format: ItemFormat, folder: String) {
    self.init(transfers: services.historyTransfers, format: format, folder: folder)
  }
}

extension HistoryFileFormat {
  nonisolated fileprivate var exported: ExportFormat {
    switch self {
    case .text: .text
    case .html: .html
    case .jsonl: .jsonl
    }
  }

  /// The ending of file names.
  nonisolated fileprivate var ending: String {
    switch self {
    case .text: "txt"
    case .html: "html"
    case .jsonl: "jsonl"
    }
  }
}

extension ImportedHistory {
  nonisolated fileprivate init(_ report: ImportReport, isArchive: Bool) {
    self.init(path: report.path, format: report.format)
    (added, known) = (report.tally.added, report.tally.known)
    (foreign, refused) = (report.foreign, report.refused)
    location = report.locations.first
    (self.isArchive, isCancelled) = (isArchive, report.isCancelled)
    failure = report.failure.map { $0.error(of: report) }
  }
}
