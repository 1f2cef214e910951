import ExportService
import FoundationEssentials
import Glibc
import NatterCore
import Storage
import System
import Text
import ViewModels
import XMPP

/// The stored messages of an account, for an export.
nonisolated struct StoredExport: ExportSource {
  let account: JID
  let conversations: [ExportedConversation]
  private let database: AccountDatabase

  /// The most bytes of texts that are passed on at once: a page may have many long messages.
  private static let pageBytes = 1 << 20

  /// - Parameter addresses: the conversations; `nil`: all of them.
  init(
    account: JID, database: AccountDatabase, names: StoredNames, addresses: [JID]? = nil
  ) {
    self.account = account
    self.database = database
    conversations = (addresses ?? names.addresses).map {
      ExportedConversation(jid: $0, kind: names.kind(of: $0), name: names.name(of: $0))
    }
  }

  func read(
    _ conversation: JID, in period: ExportPeriod, _ take: ([ExportItem]) throws -> Void
  ) async throws {
    let holes = try await StoredHoles(account: account, database: database)
      .holes(in: conversation)
    var (items, bytes) = ([ExportItem](), 0)
    try await StoredHistory(
      timeline: database.timeline, conversation: conversation,
      period: HistoryPeriod(start: period.start, end: period.end, limit: nil)
    ).read(among: holes, gap: { items.append(.gap($0)) }) { message in
      let first = try await database.details.firstText(of: message)
      if message.isShortened {
        let whole = try await database.timeline.whole(message)
        items.append(.message(whole, first: first))
        bytes += whole.body.utf8.count
      } else {
        items.append(.message(message, first: first))
        bytes += message.body.utf8.count
      }
      bytes += first?.utf8.count ?? 0
      guard bytes > Self.pageBytes || items.count >= HistoryCommand.pageSize else { return }
      try take(items)
      items.removeAll(keepingCapacity: true)
      bytes = 0
    }
    if !items.isEmpty { try take(items) }
  }
}

/// The database of an account, for an archive.
nonisolated struct StoredArchive: ExportStoring {
  let account: JID
  let database: AccountDatabase
  let format: ItemFormat

  var schema: Int { AccountDatabase.schemaVersion }

  func writeCopy(to path: String) async throws -> any ExportSource {
    let copy: AccountDatabase
    do { copy = try await database.exports.writeCopy(to: path) } catch StorageError.full(let path) {
      throw ExportFailure.file(PrivateFile.Failure(path, errno: ENOSPC))
    } catch StorageError.notWritable(let path) {
      throw ExportFailure.file(PrivateFile.Failure(path, errno: EACCES))
    }
    return StoredExport(
      account: account, database: copy, names: try await StoredNames(copy, format: format))
  }

  func downloadedPaths() async throws -> [String] { try await database.exports.downloadedPaths() }
}
