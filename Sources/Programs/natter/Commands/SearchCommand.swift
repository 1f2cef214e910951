import FoundationEssentials
import NatterCore
import Storage
import Terminal
import Text
import ViewModels
import XMPP

/// `natter search TEXT...`: the messages that contain all of them, the newest first.
struct SearchCommand {
  let request: ReadingRequest
  let context: LaunchContext
  let output: ReadingOutput
  /// Shows a line that is not a part of the output.
  var warn: (String) -> Void = { StandardStreams.printError($0) }

  /// The most messages that are read at once.
  private static let pageSize = 500

  /// The matches of an account, read as they are needed.
  private struct Source {
    let account: StoredAccount
    let printer: MessagePrinter
    var pages: SearchPages
    /// The matches that were read, and not printed yet.
    var read: ArraySlice<Message> = []

    /// Reads on when nothing is left to print.
    mutating func fill() async throws {
      if read.isEmpty { read = try await pages.next()?[...] ?? [] }
    }
  }

  /// - Returns: `failed` if nothing was found, as `grep` does.
  func run(_ query: String, in accounts: [StoredAccount]) async throws -> ExitCode {
    let conversation = try request.conversation.map {
      try SentText(localizer: context.localizer).recipient($0)
    }
    var sources: [Source] = []
    for account in accounts {
      guard var source = try await source(of: query, in: conversation, of: account) else {
        continue
      }
      try await source.fill()
      sources.append(source)
    }
    var count = 0
    while request.limit == 0 || count < request.limit,
      let newest = sources.indices.max(by: { isEarlier(sources[$0], sources[$1]) }),
      let message = sources[newest].read.popFirst()
    {
      try await sources[newest].printer.print(message)
      try await sources[newest].fill()
      count += 1
    }
    try output.finish()
    for source in sources { warnOfMissing(source) }
    return count == 0 ? .failed : .done
  }

  /// Indicates whether the next match of a source is printed after that of another one; a source
  /// without any comes last.
  private func isEarlier(_ first: Source, _ second: Source) -> Bool {
    guard let second = second.read.first else { return false }
    guard let first = first.read.first else { return true }
    // In one conversation, its own order counts.
    guard request.conversation == nil else { return first.position < second.position }
    return first.sentAt < second.sentAt
  }

  private func source(
    of query: String, in conversation: JID?, of account: StoredAccount
  ) async throws -> Source? {
    let format = ItemFormat(localizer: context.localizer, account: account.jid)
    let search = SearchQuery(query, vocabulary: SearchVocabulary(format: format, now: Date()))
    // Without the filter, a program would take other messages for the matches.
    if let problem = search.problems.first {
      throw CommandFailure(
        code: .usage, text: context.localizer("find.problem", ["text": problem]))
    }
    guard let database = account.database else { return nil }
    var printer = MessagePrinter(
      account: account.jid, database: database,
      names: try await StoredNames(database, format: format), isJSON: request.isJSON,
      output: output)
    printer.showsConversation = true
    let size = request.limit == 0 ? Self.pageSize : min(request.limit, Self.pageSize)
    return Source(
      account: account, printer: printer,
      pages: database.search.pages(of: search, in: conversation, size: size))
  }

  /// Reports that older messages were not searched: the index is completed by a program that
  /// writes.
  private func warnOfMissing(_ source: Source) {
    guard let time = source.pages.missingUpTo else { return }
    let arguments = [
      "account": SafeText.line(source.account.jid.shown), "time": source.printer.stamp(time),
    ]
    warn("natter: " + context.localizer("cli.search-incomplete", arguments))
  }
}
