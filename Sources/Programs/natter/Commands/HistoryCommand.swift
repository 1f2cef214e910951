import FoundationEssentials
import NatterCore
import Storage
import Text
import ViewModels
import XMPP

/// `natter history JID`: the stored messages of a conversation, the oldest first.
struct HistoryCommand {
  let request: ReadingRequest
  let context: LaunchContext
  let output: ReadingOutput
  var now = Date()

  /// The most messages that are read at once.
  nonisolated static let pageSize = 1000

  /// - Throws: `CommandFailure` for an address without a conversation, `StorageError`.
  func run(_ address: String, in account: StoredAccount) async throws -> ExitCode {
    let jid = try SentText(localizer: context.localizer).recipient(address)
    guard let database = account.database, try await isKnown(jid, in: database) else {
      throw CommandFailure(unknown: jid, context.localizer)
    }
    let format = ItemFormat(localizer: context.localizer, account: account.jid)
    let printer = MessagePrinter(
      account: account.jid, database: database,
      names: try await StoredNames(database, format: format), isJSON: request.isJSON,
      output: output)
    let start = request.since?.beginning(now: now, in: format)
    let period = HistoryPeriod(
      start: start, end: request.until?.end(after: start, now: now, in: format),
      limit: request.limit == 0 ? nil : request.limit)
    let holes = try await StoredHoles(account: account.jid, database: database).holes(in: jid)
    try await StoredHistory(timeline: database.timeline, conversation: jid, period: period)
      .read(among: holes, gap: { try printer.print($0) }, message: { try await printer.print($0) })
    return .done
  }

  private func isKnown(_ jid: JID, in database: AccountDatabase) async throws -> Bool {
    if try await database.conversations.conversation(jid) != nil { return true }
    return try await database.roster.contact(jid) != nil
  }
}
