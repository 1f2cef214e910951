import FoundationEssentials
import XML
import XMPP

/// Archives of accounts and rooms (XEP-0313).
extension Router {
  /// The largest size of a page in bytes; one message is always let through.
  private static let pageSize = 1 << 20

  // MARK: What is kept

  /// Puts a message into an account's archive, as far as the account wants that, and into the
  /// message the id that it has there (XEP-0359).
  /// - Returns: the message as XML.
  @discardableResult
  mutating func archive(
    _ message: inout Element, of account: String, with peer: JID, _ ledger: ServerTransaction
  ) throws -> String {
    let owner = address(of: account)
    message.removeStanzaIDs(by: owner)
    let rules = try preferences(of: account, ledger)
    let isWanted = try rules.archives(peer) {
      try ledger.rosters.item(peer.bare, of: account)?.isListed ?? false
    }
    guard isWanted, message.first("no-permanent-store", Names.hints) == nil else {
      return XMLWriter().string(message)
    }
    return try archive(&message, owner: owner, with: peer, ledger)
  }

  /// Puts a message into the archive of `owner`, an account or a room.
  mutating func archive(
    _ message: inout Element, owner: JID, with peer: JID, _ ledger: ServerTransaction
  ) throws -> String {
    let id = try nextArchiveID(ledger)
    message.append(
      Element(
        "stanza-id", Namespace.stanzaIDs, ["by": owner.description, "id": String(id)]))
    let text = XMLWriter().string(message)
    let name = owner.description
    try ledger.archives.add(text, id, of: name, with: peer)
    archivedSince[name, default: 0] += 1
    if archivedSince[name] ?? 0 >= min(1_000, settings.archiveLimit) {
      archivedSince[name] = 0
      try ledger.archives.trim(of: name, to: settings.archiveLimit)
    }
    return text
  }

  /// The time, or what follows the last id: ids only ever grow.
  private mutating func nextArchiveID(_ ledger: ServerTransaction) throws -> Int64 {
    let last = try lastArchived ?? ledger.archives.lastID()
    let id = max(last + 1, Int64(now() * 1_000_000))
    lastArchived = id
    return id
  }

  private mutating func preferences(
    of account: String, _ ledger: ServerTransaction
  ) throws -> ArchivePreferences {
    if let known = preferences[account] { return known }
    let kept = try ledger.elements.element(KeptElementStore.archivePreferences, of: account)
    let rules =
      kept.flatMap { XMLColumn.parse($0) }.flatMap { ArchivePreferences($0) }
      ?? ArchivePreferences()
    preferences[account] = rules
    return rules
  }

  // MARK: What is asked

  /// Answers a request to the account's own archive.
  mutating func answerArchive(
    _ payload: Element, isSet: Bool, _ session: ClientSession, _ ledger: ServerTransaction
  ) throws -> IQReply {
    switch (payload.name, isSet) {
    case ("prefs", false):
      return .result(try preferences(of: session.account, ledger).element)
    case ("prefs", true):
      guard let rules = ArchivePreferences(payload) else { return .refused(.badRequest) }
      try ledger.elements.put(
        XMLWriter().string(rules.element), KeptElementStore.archivePreferences,
        of: session.account)
      preferences[session.account] = rules
      return .result(rules.element)
    default:
      return try answerArchive(
        payload, isSet: isSet, owner: address(of: session.account), to: session, ledger)
    }
  }

  /// Answers a request to the archive of an account or a room, whose reader may read it.
  mutating func answerArchive(
    _ payload: Element, isSet: Bool, owner: JID, to session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply {
    switch (payload.name, isSet) {
    case ("query", false): return .result(ArchiveQuery.form)
    case ("metadata", false):
      return .result(try metadata(ArchiveFilter(owner: owner.description), ledger))
    case ("query", true):
      do {
        let query = try ArchiveQuery(payload, of: owner.description)
        return .result(try sendPage(query, from: owner, to: session, ledger))
      } catch let refusal as RequestRefusal {
        return .refused(refusal.reason)
      }
    default: return .refused(.serviceUnavailable)
    }
  }

  /// Sends the results of a query.
  /// - Returns: the `<fin/>`.
  private mutating func sendPage(
    _ query: ArchiveQuery, from owner: JID, to session: ClientSession, _ ledger: ServerTransaction
  ) throws -> Element {
    for id in query.mentioned where try !ledger.archives.contains(id, of: owner.description) {
      throw RequestRefusal(.itemNotFound)
    }
    let limit = min(query.limit ?? 50, settings.archivePages.messages)
    // One more than the page has, to know whether it is the last one.
    let page = try ledger.archives.page(
      query.filter, newest: query.isFromEnd, limit: limit + 1,
      searching: settings.archivePages.searched)
    var messages = page.messages
    let isWhole = fit(&messages, limit, keepsNewest: query.isFromEnd)
    let isComplete = isWhole && page.searchedTo == nil
    for message in query.isFlipped ? messages.reversed() : messages {
      guard let stanza = XMLColumn.parse(message.stanza) else { continue }
      var result = Element(
        "result", Namespace.archive, ["id": String(message.id)],
        [forwarded(stanza, ArchiveStamp.text(of: message.id))])
      result["queryid"] = query.id
      send(
        Element(
          "message", Namespace.client,
          ["from": owner.description, "to": session.jid.description], [result]), to: session.id)
    }
    var fin = Element("fin", Namespace.archive)
    fin["queryid"] = query.id
    if isComplete { fin["complete"] = "true" }
    var set = Element("set", Namespace.resultSets)
    for edge in page.edges(of: messages) { set.append(edge) }
    var whole = query.filter
    whole.after = nil
    whole.before = nil
    let count = try ledger.archives.count(whole).map(String.init)
    if let count { set.append(Element("count", Namespace.resultSets, text: count)) }
    fin.append(set)
    return fin
  }

  /// Takes away what is beyond the page.
  /// - Returns: whether nothing was.
  private func fit(_ messages: inout [ArchivedMessage], _ limit: Int, keepsNewest: Bool) -> Bool {
    var size = 0
    var count = 0
    for message in keepsNewest ? messages.reversed() : messages {
      size += message.stanza.utf8.count
      guard count < limit, count == 0 || size <= Self.pageSize else { break }
      count += 1
    }
    guard count < messages.count else { return true }
    messages = Array(keepsNewest ? messages.suffix(count) : messages.prefix(count))
    return false
  }

  private func forwarded(_ stanza: Element, _ stamp: String) -> Element {
    Element(
      "forwarded", Names.forward, [:],
      [Element("delay", Namespace.delay, ["stamp": stamp]), stanza])
  }

  /// Where the archive begins and ends (§5.1).
  private func metadata(_ filter: ArchiveFilter, _ ledger: ServerTransaction) throws -> Element {
    var metadata = Element("metadata", Namespace.archive)
    for (name, newest) in [("start", false), ("end", true)] {
      guard let message = try ledger.archives.messages(filter, newest: newest, limit: 1).first
      else { continue }
      metadata.append(
        Element(
          name, Namespace.archive,
          ["id": String(message.id), "timestamp": ArchiveStamp.text(of: message.id)]))
    }
    return metadata
  }
}
