import Diagnostics
import FoundationEssentials
import NatterCore
import XML
import XMPP

/// The search in the account's archive by the server (XEP-0431). Nothing of it is stored: what it
/// returns is no contiguous part of the archive.
struct FullTextSearch: ArchivePart {
  let context: ArchiveContext

  func search(for query: SearchQuery, limit: Int) async throws -> ServerSearchOutcome {
    let text = query.terms.map(\.text).joined(separator: " ")
    guard !text.isEmpty, limit > 0 else { return .found([], isComplete: true) }
    switch await offer() {
    case .offered: break
    case .notOffered: return .notOffered
    case .offline: return .offline
    case .early: return .early
    }
    guard let channel else { return .offline }
    do {
      var request = XEP0313Query(start: query.start, end: query.end, .last, limit: limit)
      request.text = text
      let page = try await found(by: request, over: channel)
      // Before the first result there may be more of them.
      let results = Array(page.results.suffix(limit))
      return .found(
        try await matches(in: XEP0313Page(results: results, isComplete: page.isComplete)),
        isComplete: page.isComplete && results.count == page.results.count)
    } catch is ChannelError {
      return .offline
    } catch let error as StanzaError {
      ports.log.info("the server does not search its archive: \(error.condition.rawValue)")
      return error.mayPass ? .offline : .notOffered
    } catch let error as CancellationError {
      throw error
    } catch {
      throw NatterError(reporting: error, orElse: .storage, key: "error.storage.read")
    }
  }

  /// The most pages that are requested for one search.
  static let mostPages = 20

  /// Returns the newest results of a search, at least as many as requested if `mostPages` have
  /// them. A server may end a page when it has searched enough, with few results or none: the next
  /// one begins where it says.
  private func found(by query: XEP0313Query, over channel: any StanzaChannel) async throws
    -> XEP0313Page
  {
    var request = query
    var found = XEP0313Page(results: [], isComplete: false)
    for _ in 0..<Self.mostPages {
      let page: XEP0313Page
      do { page = try await channel.archivePage(request, of: ports.account) } catch
        where !found.results.isEmpty && !(error is CancellationError)
      {
        ports.log.info("a search on the server ended early: \(error)")
        break
      }
      // The same page again: the server ignores where it is to begin.
      if let oldest = page.oldest, request.page.position == .before(oldest) { break }
      found = XEP0313Page(results: page.results + found.results, isComplete: page.isComplete)
      guard !found.isComplete, found.results.count < query.page.limit, let oldest = page.oldest
      else { break }
      request.page.position = .before(oldest)
    }
    return found
  }

  /// The channel; `nil` while the archive cannot be asked.
  private var channel: (any StanzaChannel)? {
    state.session.hasStarted ? state.session.channel : nil
  }

  /// Returns whether the archive announces the search and its form has the field: Prosody 0.12
  /// ignores an unknown field, and returns all messages.
  func offer() async -> ServerSearchOffer {
    guard let channel else { return state.isSigningIn ? .early : .offline }
    do { return try await isOffered(over: channel) ? .offered : .notOffered } catch {
      ports.log.info("it is not known whether the archive can be searched: \(error)")
      return .offline
    }
  }

  private func isOffered(over channel: any StanzaChannel) async throws -> Bool {
    if let known = state.session.isSearchable { return known }
    let connection = state.connections
    var isOffered = false
    do {
      let answer = try await channel.request(XEP0030Discovery.question(to: ports.account))
      if XEP0030Discovery(answer: answer)?.features.contains(XEP0431FullText.feature) == true {
        isOffered = XEP0431FullText.isInForm(
          try await channel.request(XEP0431FullText.question(to: ports.account)))
      }
    } catch let error as StanzaError where !error.mayPass {}
    // Another session may have begun meanwhile.
    if state.connections == connection { state.session.isSearchable = isOffered }
    return isOffered
  }

  /// Returns the messages of a page that are not stored, as they would be.
  private func matches(in page: XEP0313Page) async throws -> [ServerMatch] {
    let decoder = MessageDecoder(account: ports.account)
    let rooms = await owners.rooms(in: page, of: ports.account)
    // The archive's ids of messages that were sent from here may not be known.
    let local = try await ports.store.localIDs(among: page.results.compactMap(\.message.originID))
    var matches: [ServerMatch] = []
    // A server may repeat one, on a page or on the next: a row of the list is known by its id.
    var ids: Set<String> = []
    for result in page.results where ids.insert(result.id).inserted {
      // Only messages with a text of their own are found, as among those that are stored.
      guard
        let message = decoder.decode(
          result.inLanguages(ports.languages), of: ports.account, in: nil, rooms: rooms),
        message.effect == nil, message.replaces == nil, message.retraction == nil,
        !message.body.isEmpty || message.file != nil,
        message.direction == .incoming || !local.contains(message.originID ?? ""),
        try await ports.store.storedTime(of: result.id, in: ports.account) == nil
      else { continue }
      let sentAt = min(message.sentAt, ports.now())
      matches.append(
        ServerMatch(
          id: result.id, stamp: result.stamp,
          message: Message(
            id: Message.ID(0), conversation: message.conversation, sender: message.sender,
            direction: message.direction, body: message.body, sentAt: sentAt,
            originID: message.originID, stanzaID: result.id, file: message.file,
            reply: message.reply)))
    }
    return matches
  }
}
