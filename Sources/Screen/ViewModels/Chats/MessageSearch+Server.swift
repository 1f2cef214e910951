import FoundationEssentials
import NatterCore
import Text
import XMPP

// The search on the servers of the accounts in a list, which the user asks for.
extension MessageSearch {
  /// Searches on the servers, too: first the user is asked, once for each account, because a server
  /// learns the terms. While the account is searched, the key waits for that to end.
  package func askServer() {
    guard list != nil else { return }
    if isListing {
      if case .found = server?.state { return }
      return take(.next)
    }
    guard let searched, searched.text == query.trimmed else { return }
    let accounts = accounts.filter { $0.server != nil }
    guard !searched.query.terms.isEmpty else { return take(.withoutTerms) }
    switch server?.state {
    case .checking, .underWay, .fetching, .found: return
    case .question:
      context.consent.accounts.formUnion(accounts.map(\.jid))
      searchServers(of: accounts, searched.query)
    case nil, .next, .notOffered, .unanswered, .early, .withoutTerms, .gone:
      if accounts.allSatisfy({ context.consent.accounts.contains($0.jid) }) {
        searchServers(of: accounts, searched.query)
      } else {
        check(accounts)
      }
    }
  }

  private func take(_ state: ServerSearch.State) {
    server = ServerSearch(state: state, servers: accounts.count { $0.server != nil })
    invalidation.raise()
  }

  /// Asks the user, if a server offers the search.
  private func check(_ accounts: [SearchedAccount]) {
    take(.checking)
    let servers = accounts.compactMap(\.server)
    running?.cancel()
    running = context.lifetime.aside { [weak self] in
      let offers = await Self.answers(of: servers) { await $0.searchOffer() }
      guard !Task.isCancelled else { return }
      if offers.contains(.offered) {
        self?.take(.question)
      } else {
        let isEarly = offers.contains(.early)
        self?.take(offers.contains(.offline) ? .unanswered : isEarly ? .early : .notOffered)
      }
    }
  }

  private func searchServers(of accounts: [SearchedAccount], _ query: SearchQuery) {
    take(.underWay)
    let servers = accounts.compactMap(\.server)
    running?.cancel()
    running = context.lifetime.aside { [weak self, context] in
      let answers = await Self.answers(of: servers) { server in
        do {
          return Result<_, any Error>.success(
            try await server.searchServer(for: query, limit: FoundMessages.limit))
        } catch { return .failure(error) }
      }
      guard !Task.isCancelled, let self else { return }
      var found: [(SearchedAccount, ServerMatch)] = []
      var (isComplete, hasAnswer) = (true, false)
      var failure = ServerSearch.State.notOffered
      for (account, answer) in zip(accounts, answers) {
        switch answer {
        case .success(.found(let matches, let isAll)):
          let filter = ServerMatchFilter(query: query, account: account)
          found += await filter.matches(among: matches).map { (account, $0) }
          (hasAnswer, isComplete) = (true, isComplete && isAll)
        case .success(.notOffered): break
        case .success(.early): if failure == .notOffered { failure = .early }
        case .success(.offline): failure = .unanswered
        case .failure(let error):
          failure = .unanswered
          context.report(error)
        }
      }
      guard !Task.isCancelled else { return }
      list?.add(found, query, isAlone: self.accounts.count == 1, context)
      let isFound = hasAnswer && (!found.isEmpty || failure == .notOffered)
      take(isFound ? .found(found.count, isComplete: isComplete) : failure)
    }
  }

  /// Fetches a message and what follows it, and shows it in its conversation.
  func fetch(_ match: ServerMatch, of jid: JID) {
    guard server?.state != .fetching, let account = accounts.first(where: { $0.jid == jid }),
      let searching = account.server
    else { return }
    take(.fetching)
    running?.cancel()
    isListing = false
    // A list in another order does not come any more.
    isBestFirst = list?.isBestFirst ?? false
    running = context.lifetime.aside { [weak self, context] in
      do {
        let outcome = try await searching.fetchSurroundings(of: match)
        let message =
          outcome == .offline
          ? nil
          : try await account.archive.storedMessage(
            named: match.id, in: match.message.conversation)
        guard !Task.isCancelled, let self else { return }
        guard let message else { return take(outcome == .offline ? .unanswered : .gone) }
        open(
          fetched: FoundMessages.row(
            message, words, of: account, isAlone: accounts.count == 1, context))
      } catch {
        guard !Task.isCancelled else { return }
        self?.take(.unanswered)
        context.report(error)
      }
    }
  }

  /// Asks all servers at once.
  /// - Returns: the answers, in the order of the servers.
  private static func answers<Answer: Sendable>(
    of servers: [any ServerSearching],
    _ ask: @escaping @Sendable (any ServerSearching) async -> Answer
  ) async -> [Answer] {
    await withTaskGroup(of: (Int, Answer).self) { group in
      for (index, server) in servers.enumerated() {
        group.addTask { (index, await ask(server)) }
      }
      var answers: [(Int, Answer)] = []
      for await answer in group { answers.append(answer) }
      return answers.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }
}

/// The part of a list that servers found, which another order keeps.
struct FoundOnServer {
  let rows: [FoundMessages.Row]
  let search: ServerSearch

  /// - Returns: `nil` where no search on a server runs or has ended. One that runs follows the list
  ///   in its new order.
  init?(_ list: FoundMessages?, _ search: ServerSearch?) {
    guard let list, let search else { return nil }
    rows = list.rows.filter { $0.server != nil }
    switch search.state {
    case .found: self.search = search
    // One of the messages could not be fetched.
    case .unanswered where !rows.isEmpty, .gone where !rows.isEmpty: self.search = search
    case .next, .checking, .underWay:
      self.search = ServerSearch(state: .next, servers: search.servers)
    case .question, .notOffered, .unanswered, .early, .withoutTerms, .fetching, .gone: return nil
    }
  }
}

extension FoundMessages {
  /// Adds messages that only servers have.
  mutating func add(
    _ found: [(account: SearchedAccount, match: ServerMatch)], _ query: SearchQuery,
    isAlone: Bool, _ context: SearchContext
  ) {
    let terms = query.terms.map(\.text)
    let rows = found.map { account, match in
      var row = Self.row(match.message, terms, of: account, isAlone: isAlone, context)
      row.mark = context.format.localizer("find.onServer")
      row.server = match
      row.id.archived = match.id
      return row
    }
    add(rows)
  }

  /// Adds rows of messages that only servers have, instead of earlier ones: by their times, or
  /// after all others where the best matches are first, because they have no rank.
  mutating func add(_ found: [Row]) {
    let selected = rows.indices.contains(selection) ? rows[selection].id : nil
    let stored = rows.filter { $0.server == nil }
    if count < SearchMatches.countLimit { count -= rows.count - stored.count }
    rows = stored
    let added = found.sorted { $0.sentAt > $1.sentAt }
    if isBestFirst {
      rows += added
    } else {
      // Of the same time, those that are stored are first.
      let all = zip(0..., rows + added).sorted { ($0.1.sentAt, $1.0) > ($1.1.sentAt, $0.0) }
      rows = all.map(\.1)
    }
    if count < SearchMatches.countLimit {
      count = min(count + added.count, SearchMatches.countLimit)
    }
    selection = rows.firstIndex { $0.id == selected } ?? 0
  }
}
