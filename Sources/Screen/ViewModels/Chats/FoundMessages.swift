import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The matches of a search in all conversations of one account or of several: a list, newest first.
package struct FoundMessages {
  /// A message in the list.
  package struct Row: Identifiable {
    package struct ID: Hashable {
      let account: JID
      /// 0 where only the server has the message.
      let message: Message.ID
      /// The archive's id where only the server has the message.
      var archived: String?
    }

    package internal(set) var id: ID
    let jid: JID
    /// The account; `nil` where only one is searched.
    package let account: AccountName?
    package let time: String
    /// The time in 7 columns at most.
    package let narrowTime: String
    /// The name of the conversation.
    package let conversation: String
    /// The sender's name; empty in a conversation that has this name itself.
    package let sender: String
    /// The text on one line, from shortly before the first match on.
    package let text: String
    /// The matches in the text, in characters.
    package let ranges: [Range<Int>]
    /// The mark of a message that only the server has; empty for all others.
    package var mark = ""
    let sentAt: Date
    /// The message where only the server has it.
    var server: ServerMatch?
  }

  /// An account in the list.
  package struct AccountName: Hashable {
    /// Its number, which `/account` takes: 1 is the first.
    package let number: String
    package let name: String
    /// The index of its name colour, from 0 to 7.
    package let color: Int
  }

  /// The highest number of rows.
  static let limit = 50
  /// The characters before the first match that are kept of a long text.
  private static let before = 16
  /// The highest number of characters of a text: more than a line has. Marking and drawing take
  /// time for each of them, with every key.
  private static let longest = 400

  package internal(set) var rows: [Row] = []
  package internal(set) var selection = 0
  /// Indicates whether the best ones come first, rather than the newest.
  private(set) var isBestFirst = false
  /// The number of all matches, `SearchMatches.countLimit` at most.
  var count = 0
  /// The time up to which messages are not searched yet.
  private(set) var missingUpTo: Date?
  /// The accounts that could not be searched, with the first reason.
  private(set) var failed: [JID] = []
  private(set) var failure: (any Error)?

  init() {}

  /// Finds the matches of `query`.
  /// - Parameter isBestFirst: whether the best ones come first, rather than the newest.
  /// - Throws: the error of an account that is searched alone; `CancellationError`.
  init(
    _ query: SearchQuery, in accounts: [SearchedAccount], isBestFirst: Bool = false,
    _ context: SearchContext
  ) async throws {
    self.isBestFirst = isBestFirst
    var results: [SearchMatches] = []
    let answers = await Self.results(of: query, in: accounts, isBestFirst: isBestFirst)
    for (account, result) in zip(accounts, answers) {
      switch result {
      case .success(let matches): results.append(matches)
      case .failure(let error):
        if error is CancellationError || accounts.count == 1 { throw error }
        results.append(SearchMatches())
        note(error, of: account)
      }
    }
    let merged = SearchMerge(results, limit: Self.limit)
    (count, missingUpTo) = (merged.count, merged.missingUpTo)
    let terms = query.terms.map(\.text)
    for found in merged.matches {
      try Task.checkCancellation()
      let account = accounts[found.account]
      let message: Message?
      do { message = try await account.archive.storedMessage(found.match.id) } catch {
        if error is CancellationError || accounts.count == 1 { throw error }
        note(error, of: account)
        continue
      }
      // It may have gone in the meantime.
      guard let message else { continue }
      rows.append(Self.row(message, terms, of: account, isAlone: accounts.count == 1, context))
    }
  }

  private mutating func note(_ error: any Error, of account: SearchedAccount) {
    failure = failure ?? error
    if !failed.contains(account.jid) { failed.append(account.jid) }
  }

  /// Asks all accounts at once.
  private static func results(
    of query: SearchQuery, in accounts: [SearchedAccount], isBestFirst: Bool
  ) async -> [Result<SearchMatches, any Error>] {
    let searches = accounts.map(\.searching)
    let limit = limit
    return await withTaskGroup(of: (Int, Result<SearchMatches, any Error>).self) { group in
      for (index, searching) in searches.enumerated() {
        group.addTask {
          do {
            let found =
              isBestFirst
              ? try await searching.bestMatches(of: query, limit: limit)
              : try await searching.matches(of: query, limit: limit)
            return (index, .success(found))
          } catch {
            return (index, .failure(error))
          }
        }
      }
      var results = searches.map { _ in Result<SearchMatches, any Error>.success(SearchMatches()) }
      for await (index, result) in group { results[index] = result }
      return results
    }
  }

  static func row(
    _ message: Message, _ terms: [String], of account: SearchedAccount, isAlone: Bool,
    _ context: SearchContext
  ) -> Row {
    let conversation = account.name(message.conversation)
    let sender = account.author(message)
    func line(_ text: String) -> (text: String, ranges: [Range<Int>]) {
      let part = FoundText.excerpt(
        of: text, having: terms, before: Self.before, length: Self.longest)
      let line = ErrorText.oneLine(String(part.text), limit: Self.longest)
      let whole = part.isCut ? context.format.glyphs.ellipsis + line : line
      return (whole, FoundText.ranges(of: terms, in: whole))
    }
    var shown = line(context.format.bodyText(of: message, by: sender, now: context.now()))
    if let name = message.file?.safeName, shown.ranges.isEmpty { shown = line(name) }
    return Row(
      id: Row.ID(account: account.jid, message: message.id), jid: message.conversation,
      account: isAlone ? nil : AccountName(account),
      time: context.format.shortDay(message.sentAt, now: context.now()),
      narrowTime: context.format.narrowDay(message.sentAt, now: context.now()),
      conversation: conversation, sender: sender == conversation ? "" : sender,
      text: shown.text, ranges: shown.ranges, sentAt: message.sentAt)
  }
}

extension FoundMessages.AccountName {
  init(_ account: SearchedAccount) {
    self.init(
      number: "\(account.index + 1)", name: account.jid.shown,
      color: AccountListViewModel.color(at: account.index))
  }
}

/// The parts of the shell that a search uses.
struct SearchContext {
  let format: ItemFormat
  let now: () -> Date
  let lifetime: Lifetime
  /// The account of the shell.
  let own: SearchedAccount
  /// Returns the other accounts.
  let others: () async -> [SearchedAccount]
  /// Returns the names of the conversations, in the order of the list.
  let names: () -> [String]
  /// Fetches older messages; `nil` where nothing is fetched.
  let history: (any HistoryFetching)?
  /// Opens the conversation of a message, shows the message and highlights the terms in it.
  let open: (FoundMessages.Row, [String]) -> Void
  /// Goes back to the position in the conversation where the search began.
  let goBack: () -> Void
  let report: (any Error) -> Void
  /// The accounts whose servers may be asked.
  var consent = ServerSearchConsent()
}

extension SearchContext {
  init(of shell: ShellViewModel, _ searching: any MessageSearching) {
    let account = shell.format.account
    let (conversation, origin) = (shell.activeConversation, shell.timeline.position)
    var own = SearchedAccount(
      jid: account, index: shell.actions.accounts().firstIndex(of: account.bare) ?? 0,
      searching: searching, archive: shell.ports.timeline,
      name: { [weak shell] in shell?.name(of: $0) ?? $0.shown },
      author: { [weak shell] in shell?.timeline.author(of: $0) ?? "" })
    own.server = shell.actions.search.server()
    self.init(
      format: shell.format, now: shell.now, lifetime: shell.lifetime,
      own: own,
      others: shell.actions.search.others,
      names: { [weak shell] in
        guard let shell else { return [] }
        return shell.sidebar.order.map { shell.name(of: $0) }
      }, history: shell.ports.history,
      open: { [weak shell] row, words in
        if row.id.account == account.bare {
          shell?.reveal(row.id.message, in: row.jid, having: words)
        } else {
          shell?.actions.search.open(row.id.account, row.id.message, row.jid, words)
        }
      },
      goBack: { [weak shell] in
        guard let shell, shell.activeConversation == conversation else { return }
        origin.restore(in: shell.timeline)
      },
      report: { [weak shell] in shell?.report($0) }, consent: shell.actions.search.consent)
  }
}
