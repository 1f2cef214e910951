import FoundationEssentials
import NatterCore
import Text
import XMPP

/// The search for messages, which each key repeats: in the open conversation, where it shows the
/// newest match, or in all of the account or of all accounts, as a list.
package final class MessageSearch {
  /// The highest number of matches in the conversation.
  private static let limit = 1000

  package let invalidation = Invalidation()
  package let conversation: JID
  package private(set) var query: String
  /// Graphemes before the cursor.
  package private(set) var cursor: Int
  package private(set) var scope = SearchScope.conversation
  /// The matches as a list; `nil` while only the open conversation is searched.
  package internal(set) var list: FoundMessages?

  /// Indicates whether the best matches come first in the list, rather than the newest.
  package internal(set) var isBestFirst = false

  let context: SearchContext
  private let show: (Message.ID, [String]) -> Void
  /// The other accounts, as far as they are known.
  private var others: [SearchedAccount] = []
  /// The search on the server; `nil` until the user asks for it.
  var server: ServerSearch?
  /// Indicates whether the list is being searched for, also in another order.
  var isListing = false
  /// Indicates whether a message was opened that had to be fetched first.
  package private(set) var isOver = false
  /// In order, newest first.
  private var matches: [Message.ID] = []
  private var index = 0
  /// The query of the matches, and its text; `nil` before the first search.
  private(set) var searched: (text: String, query: SearchQuery)?
  var running: Task<Void, Never>?
  /// Opens the other accounts.
  private var opening: Task<Void, Never>?
  /// The messages that only the server has; `nil` while there are matches.
  private var older: OlderMessages?
  private var localizer: Localizer { context.format.localizer }

  /// - Parameter show: shows a message that was found in the conversation, and highlights the terms
  ///   in it.
  init(
    _ query: String, in conversation: JID, _ context: SearchContext,
    show: @escaping (Message.ID, [String]) -> Void
  ) {
    self.query = query
    cursor = query.count
    self.conversation = conversation
    self.context = context
    self.show = show
    search()
    opening = context.lifetime.aside { [weak self, context] in
      let others = await context.others()
      guard !Task.isCancelled, let self else { return }
      self.others = others
      invalidation.raise()
    }
  }

  package var title: String {
    switch scope {
    case .conversation: localizer("find.title")
    case .account: localizer(others.isEmpty ? "find.titleAll" : "find.titleAccount")
    case .everywhere: localizer("find.titleEverywhere")
    }
  }
  package var hints: [KeyHint] { hints(isNarrow: false) }

  /// The key hints, the most important first.
  /// - Parameter isNarrow: whether they are short, so that the key that changes what is searched
  ///   has room in 36 columns.
  package func hints(isNarrow: Bool) -> [KeyHint] {
    var keys = list == nil ? ["find.keysOlder", "find.keysNewer"] : ["find.keysOpen"]
    if isNarrow, list == nil { keys = ["find.keysOlderShort"] }
    switch scope {
    case .conversation where isNarrow, .account where isNarrow && !others.isEmpty:
      keys.append("find.keysAllShort")
    case .conversation: keys.append(others.isEmpty ? "find.keysAll" : "find.keysAccount")
    case .account where !others.isEmpty: keys.append("find.keysEverywhere")
    case .account, .everywhere: keys.append(isNarrow ? "find.keysHereShort" : "find.keysHere")
    }
    if list != nil {
      let best = isBestFirst ? "find.keysNewest" : "find.keysBest"
      keys.append(isNarrow ? "find.keysOrderShort" : best)
      if accounts.contains(where: { $0.server != nil }) {
        keys.append(isNarrow ? "find.keysServerShort" : "find.keysServer")
      }
    }
    return keys.map { localizer.hint($0) } + [localizer.wayOut("dialog.keysClose")]
  }

  package var status: String { status(isNarrow: false) }

  /// The index of the match and their number, or that there is none, with the asides.
  /// - Parameter isNarrow: whether there is no room for the asides.
  package func status(isNarrow: Bool) -> String {
    guard let searched, searched.text == query.trimmed else { return "" }
    let place = searched.query.isEmpty ? "" : place
    guard !isNarrow else { return place }
    return [problem, place, missing, unread].compactMap { $0 }.filter { !$0.isEmpty }
      .joined(separator: "  ")
  }

  /// A filter that is not valid.
  private var problem: String? {
    guard let searched, searched.text == query.trimmed else { return nil }
    return searched.query.problems.first.map { localizer("find.problem", ["text": $0]) }
  }

  /// Older messages that are not searched yet.
  private var missing: String? {
    list?.missingUpTo.map {
      localizer("find.notYet", ["date": context.format.shortDay($0, now: context.now())])
    }
  }

  /// Accounts that are not searched at all.
  private var unread: String? {
    let failed = list.map(\.failed) ?? []
    guard !failed.isEmpty else { return nil }
    return localizer("find.failed", ["accounts": localizer.list(failed.map(\.shown))])
  }

  private var place: String {
    let (count, limit, index) =
      list.map { ($0.count, SearchMatches.countLimit - 1, $0.selection) }
      ?? (matches.count, Self.limit - 1, index)
    guard count > 0 else { return localizer("find.nothing") }
    return "\(index + 1)/" + (count > limit ? "\(Self.limit)+" : "\(count)")
  }

  /// The accounts of the list.
  var accounts: [SearchedAccount] {
    switch scope {
    case .conversation: []
    case .account: [context.own]
    case .everywhere: [context.own] + others
    }
  }

  /// The line below the query: where nothing was found, the key that asks the server for older
  /// messages, and what came of it; in a list, the state of the search on the server.
  /// - Parameters:
  ///   - isNarrow: whether there are 36 columns only.
  ///   - hasAsides: whether it says what the status has no room for.
  package func note(isNarrow: Bool, hasAsides: Bool = false) -> String {
    if hasAsides, let problem { return problem }
    if let server { return server.text(localizer, isNarrow: isNarrow) }
    guard let searched, searched.text == query.trimmed else { return "" }
    if list == nil, let older { return older.text(context.format, isNarrow: isNarrow) }
    return hasAsides ? [missing, unread].compactMap { $0 }.joined(separator: "  ") : ""
  }

  /// Updates the query after a key of the line editor.
  package func edit(_ text: String, cursor: Int) {
    self.cursor = min(max(0, cursor), text.count)
    let isNew = text.trimmed != query.trimmed
    query = text
    invalidation.raise()
    if isNew { search() }
  }

  /// Completes the name or the value of a filter before the cursor.
  /// - Returns: `false` if there is nothing to complete.
  package func complete() -> Bool {
    let completion = SearchCompletion(localizer, names: context.names())
    guard let whole = completion.completed(query, cursor: cursor) else { return false }
    edit(whole.query, cursor: whole.cursor)
    return true
  }

  /// Moves to an older match (`1`), or to a newer one (`-1`); it stops at the ends.
  package func move(_ step: Int) {
    if list != nil {
      moveSelection(step)
      _ = selection.map(open)
      return
    }
    if matches.isEmpty, step > 0 { return askForOlder() }
    guard matches.indices.contains(index + step) else { return }
    index += step
    invalidation.raise()
    show(matches[index], words)
  }

  /// Fetches older messages page by page until one of them matches; another key ends it.
  private func askForOlder() {
    guard let history = context.history, let searched, searched.text == query.trimmed,
      var older, older.canBeAsked
    else { return }
    older.state = .underWay
    self.older = older
    invalidation.raise()
    let search = OlderSearch(
      conversation: conversation, searching: context.own.searching, history: history,
      query: searched.query, limit: Self.limit)
    running?.cancel()
    running = context.lifetime.aside { [weak self, context] in
      do {
        let result = try await search.run { older in
          if !Task.isCancelled { self?.took(older) }
        }
        guard !Task.isCancelled, let self else { return }
        if result.found.isEmpty {
          took(result.older)
        } else {
          take(result.found, of: searched.query, searched.text)
        }
      } catch {
        guard !Task.isCancelled else { return }
        self?.took(OlderMessages(state: .unanswered, stored: older.stored))
        context.report(error)
      }
    }
  }

  private func took(_ older: OlderMessages) {
    self.older = older
    invalidation.raise()
  }

  // MARK: Lists

  /// Searches the account, all accounts where there are others, or only the open conversation
  /// again.
  package func changeScope() {
    scope =
      switch scope {
      case .conversation: .account
      case .account where !others.isEmpty: .everywhere
      case .account, .everywhere: .conversation
      }
    list = scope == .conversation ? nil : FoundMessages()
    (matches, index, searched, older) = ([], 0, nil, nil)
    invalidation.raise()
    search()
  }

  /// Lists the best matches first, or the newest again.
  package func changeOrder() {
    guard list != nil else { return }
    isBestFirst.toggle()
    list?.selection = 0
    invalidation.raise()
    search(keeping: FoundOnServer(list, server))
  }

  /// Ends the search without opening a row: a list leaves the conversation as it was before.
  package func cancel() {
    if list != nil { context.goBack() }
    running?.cancel()
    end()
  }

  /// Gives up the other accounts, some of which are open for the search only.
  private func end() {
    opening?.cancel()
    others = []
  }

  /// The number of rows of the list.
  package var count: Int { list?.rows.count ?? 0 }
  /// The index of the selected row; `nil`: there is none.
  package var selection: Int? { count == 0 ? nil : list?.selection }

  /// Moves the selection by `step` rows; it stops at the ends.
  package func moveSelection(_ step: Int) {
    guard let selection else { return }
    let last = count - 1
    list?.selection = min(max(0, selection + step), last)
    invalidation.raise()
  }

  /// Shows the message of a row in its conversation, in its account.
  /// - Returns: `false` without such a row.
  package func open(_ row: Int) -> Bool {
    guard let rows = list?.rows, rows.indices.contains(row) else { return false }
    if let match = rows[row].server {
      fetch(match, of: rows[row].id.account)
      return false
    }
    context.open(rows[row], words)
    end()
    return true
  }

  /// Shows a message that only the server had, and ends the search.
  func open(fetched row: FoundMessages.Row) {
    context.open(row, words)
    end()
    isOver = true
    invalidation.raise()
  }

  // MARK: Searching

  /// - Parameter kept: the search on servers for the same query, which is not begun again if it has
  ///   ended.
  private func search(keeping kept: FoundOnServer? = nil) {
    // Another key makes the result of the last one superfluous.
    running?.cancel()
    (older, server, isListing) = (nil, kept?.search, false)
    let text = query.trimmed
    let vocabulary = SearchVocabulary(format: context.format, now: context.now())
    let wanted = SearchQuery(text, vocabulary: vocabulary)
    guard !wanted.isEmpty else {
      matches = []
      if list != nil { list = FoundMessages() }
      searched = text.isEmpty ? nil : (text, wanted)
      return
    }
    let accounts = accounts
    isListing = !accounts.isEmpty
    running = context.lifetime.aside { [weak self, context, conversation, isBestFirst] in
      do {
        if !accounts.isEmpty {
          var found = try await FoundMessages(
            wanted, in: accounts, isBestFirst: isBestFirst, context)
          guard !Task.isCancelled, let self else { return }
          if let kept { found.add(kept.rows) }
          take(found, of: wanted, text)
        } else {
          let found = try await context.own.searching.messages(
            having: wanted, in: conversation, limit: Self.limit)
          let stored =
            found.isEmpty ? try await context.own.searching.storedMessages(in: conversation) : 0
          guard !Task.isCancelled else { return }
          self?.take(found, of: wanted, text)
          if found.isEmpty, context.history != nil { self?.took(OlderMessages(stored: stored)) }
        }
      } catch {
        guard !Task.isCancelled else { return }
        self?.isListing = false
        if self?.server?.state == .next { self?.server = nil }
        context.report(error)
      }
    }
  }

  private func take(_ found: [Message.ID], of wanted: SearchQuery, _ text: String) {
    (matches, index, searched, older) = (found, 0, (text, wanted), nil)
    invalidation.raise()
    if let first = found.first { show(first, words) }
  }

  private func take(_ found: FoundMessages, of wanted: SearchQuery, _ text: String) {
    (list, searched, isListing) = (found, (text, wanted), false)
    if let failure = found.failure { context.report(failure) }
    invalidation.raise()
    if server?.state == .next { askServer() }
  }

  var words: [String] { searched?.query.terms.map(\.text) ?? [] }
}
