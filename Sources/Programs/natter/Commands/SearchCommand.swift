import FoundationEssentials
import NatterCore
import Storage
import Text
import ViewModels
import XMPP

/// `natter search TEXT...`: the messages that contain all of them, the newest first.
struct SearchCommand {
  let request: ReadingRequest
  let context: LaunchContext
  let output: ReadingOutput

  private typealias Match = (message: Message, printer: MessagePrinter)

  /// - Returns: `failed` if nothing was found, as `grep` does.
  func run(_ query: String, in accounts: [StoredAccount]) async throws -> ExitCode {
    let conversation = try request.conversation.map {
      try SentText(localizer: context.localizer).recipient($0)
    }
    let limit = request.limit == 0 ? Int(Int32.max) : request.limit
    var found: [Match] = []
    for account in accounts {
      found += try await matches(of: query, in: conversation, of: account, limit)
    }
    // Each account has its matches in order.
    if accounts.count > 1 { found.sort { $0.message.position > $1.message.position } }
    for match in found.prefix(limit) { try await match.printer.print(match.message) }
    return found.isEmpty ? .failed : .done
  }

  private func matches(
    of query: String, in conversation: JID?, of account: StoredAccount, _ limit: Int
  ) async throws -> [Match] {
    let format = ItemFormat(localizer: context.localizer, account: account.jid)
    let search = SearchQuery(query, vocabulary: SearchVocabulary(format: format, now: Date()))
    // Without the filter, a program would take other messages for the matches.
    if let problem = search.problems.first {
      throw CommandFailure(
        code: .usage, text: context.localizer("find.problem", ["text": problem]))
    }
    guard let database = account.database else { return [] }
    let ids =
      if let conversation {
        try await database.search.messages(having: search, in: conversation, limit: limit)
      } else {
        try await database.search.matches(of: search, limit: limit).matches.map(\.id)
      }
    guard !ids.isEmpty else { return [] }
    var printer = MessagePrinter(
      account: account.jid, database: database,
      names: try await StoredNames(database, format: format), isJSON: request.isJSON,
      output: output)
    printer.showsConversation = true
    var matches: [Match] = []
    for id in ids {
      // It may have been deleted meanwhile.
      guard let message = try await database.timeline.storedMessage(id), !message.isRetracted
      else { continue }
      matches.append((message, printer))
    }
    return matches
  }
}
