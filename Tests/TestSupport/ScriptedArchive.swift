import Foundation
import XML
import XMPP

/// A server's archive as a client meets it, with the ways of two servers
/// (server-quirks.md, "Prosody" and "ejabberd").
package actor ScriptedArchive: StanzaChannel {
  /// The server's reaction to an unknown id.
  package enum UnknownID: Sendable, CaseIterable { case refused, ignored }

  package struct Entry: Sendable {
    package let id: String
    package let stamp: Date
    package let message: MessageStanza
    /// Its bare addresses: each query of a conversation compares them.
    fileprivate let peers: [JID]

    package init(id: String, stamp: Date, message: MessageStanza) {
      self.id = id
      self.stamp = stamp
      self.message = message
      peers = [message.from?.bare, message.to?.bare].compactMap { $0 }
    }
  }

  private let account: JID
  private var pageLimit: Int
  private let unknownID: UnknownID
  private let offersCarbons: Bool
  package private(set) var entries: [Entry]
  /// The archives of rooms, by address.
  private var rooms: [JID: [Entry]] = [:]
  package private(set) var queries: [XEP0313Query] = []
  /// The owner of the archive that each query named.
  package private(set) var asked: [JID] = []
  /// Called with each query's number before it is answered.
  private var onQuery: (@Sendable (Int) async -> Void)?
  private let reportsCount: Bool
  private let isExtended: Bool
  /// The parts of a search for texts (XEP-0431) that it announces; it ignores the field otherwise.
  package struct TextSearch: OptionSet, Sendable {
    package let rawValue: Int
    package static let feature = TextSearch(rawValue: 1)
    package static let field = TextSearch(rawValue: 2)
    package init(rawValue: Int) { self.rawValue = rawValue }
  }
  private var textSearch: TextSearch = []
  /// The entries that it searches for one page; `nil`: all.
  private var searched: Int?
  private var unreadable: Set<String> = []
  package private(set) var sent: [Element] = []
  package private(set) var requests: [Element] = []
  /// Thrown by the query with this number, from 1, and by all after it.
  private var failure: (from: Int, error: any Error)?

  package init(
    account: JID, entries: [Entry] = [], pageLimit: Int = 50, unknownID: UnknownID = .refused,
    offersCarbons: Bool = true, reportsCount: Bool = true, isExtended: Bool = false
  ) {
    self.isExtended = isExtended
    self.reportsCount = reportsCount
    self.account = account.bare
    self.entries = entries
    self.pageLimit = pageLimit
    self.unknownID = unknownID
    self.offersCarbons = offersCarbons
  }

  /// Has `action` run before each query is answered, with its number, from 1.
  package func before(_ action: (@Sendable (Int) async -> Void)?) { onQuery = action }
  /// - Parameter searched: has a search end each page after so many entries, wherever the text is.
  package func offer(_ search: TextSearch, searching searched: Int? = nil) {
    (textSearch, self.searched) = (search, searched)
  }
  package func setEntries(_ new: [Entry], of room: JID) { rooms[room] = new }
  package func append(_ new: [Entry]) { entries += new }
  /// Leaves entries out of pages, as what is no message, where they count all the same.
  package func leaveOut(_ ids: Set<String>) { unreadable = ids }
  package func removeFirst(_ count: Int) { entries.removeFirst(count) }
  package func fail(from number: Int = 1, with error: any Error) { failure = (number, error) }
  package func recover() { failure = nil }
  package func limitPages(to limit: Int) { pageLimit = limit }

  package func send(_ stanza: Element) { sent.append(stanza) }

  package func request(_ iq: Element, timeout: Duration) throws -> Element {
    requests.append(iq)
    let query = iq.first("query", Namespace.discoInfo)
    if iq.first("query", Namespace.archive) != nil {
      let names = textSearch.contains(.field) ? ["with", XEP0431FullText.field] : ["with"]
      let form = XEP0004DataForm(.form, fields: names.map { .init($0) })
      return Element(
        "iq", Namespace.client, ["type": "result"],
        [Element("query", Namespace.archive, [:], [form.element])])
    }
    if !offersCarbons, iq.first("enable", XEP0280Carbon.namespace) != nil {
      throw StanzaError(.cancel, .serviceUnavailable)
    }
    guard query != nil else { return Element("iq", Namespace.client, ["type": "result"]) }
    var features: Set<String> = isExtended ? [XEP0313Query.extended] : []
    if textSearch.contains(.feature) { features.insert(XEP0431FullText.feature) }
    return Element(
      "iq", Namespace.client, ["type": "result"], [XEP0030Discovery(features: features).element()])
  }

  package func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) async throws
    -> XEP0313Page
  {
    queries.append(query)
    asked.append(archive)
    await onQuery?(queries.count)
    guard let entries = archive == account ? entries : rooms[archive] else {
      throw StanzaError(.cancel, .serviceUnavailable)
    }
    if let failure, queries.count >= failure.from { throw failure.error }
    let peer = query.with?.bare
    func matches(_ entry: Entry) -> Bool {
      if let start = query.start, entry.stamp < start { return false }
      if let end = query.end, entry.stamp > end { return false }
      if searched == nil, !has(query.text, entry) { return false }
      guard let peer else { return true }
      return entry.peers.contains(peer)
    }
    let count = reportsCount ? entries.count(where: matches) : nil
    // The part that the page is taken from.
    var part = entries[...]
    var earliest: Date?
    var isBackwards = false
    // Ids of other conversations work by position.
    func location(_ id: String) throws -> Date? {
      if let entry = entries.first(where: { $0.id == id }) { return entry.stamp }
      guard unknownID == .refused else { return nil }
      throw StanzaError(.cancel, .itemNotFound)
    }
    if let floor = query.after {
      // "Unknown field", as ejabberd says; unknown ids are refused further on.
      guard isExtended else { throw StanzaError(.modify, .badRequest) }
      guard let position = entries.firstIndex(where: { $0.id == floor }) else {
        throw StanzaError(.modify, .itemNotFound)
      }
      part = part[(position + 1)...]
    }
    switch query.page.position {
    case .first: break
    case .last: isBackwards = true
    case .after(let id):
      if let stamp = try location(id) {
        let position = entries.firstIndex { $0.id == id } ?? 0
        part = part[max(part.startIndex, position + 1)...]
        earliest = stamp
      }
    case .before(let id):
      isBackwards = true
      if try location(id) != nil {
        let position = entries.firstIndex { $0.id == id } ?? 0
        part = part[..<max(part.startIndex, position)]
      }
    }
    let all = part.filter { matches($0) && $0.stamp >= earliest ?? $0.stamp }
    if let searched, query.text != nil {
      let part = Array(isBackwards ? all.suffix(searched) : all.prefix(searched))
      let found = part.filter { has(query.text, $0) }
      let edge = (isBackwards ? part.first : part.last)?.id
      return XEP0313Page(
        results: found.map { XEP0313Result(id: $0.id, stamp: $0.stamp, message: $0.message) },
        isComplete: part.count == all.count, oldest: found.first?.id ?? edge,
        newest: found.last?.id ?? edge)
    }
    let limit = min(query.page.limit, pageLimit)
    let page = Array(isBackwards ? all.suffix(limit) : all.prefix(limit))
    return XEP0313Page(
      results: page.filter { !unreadable.contains($0.id) }.map {
        XEP0313Result(id: $0.id, stamp: $0.stamp, message: $0.message)
      }, isComplete: page.count == all.count, oldest: page.first?.id, newest: page.last?.id,
      count: count)
  }

  private func has(_ text: String?, _ entry: Entry) -> Bool {
    guard let text, textSearch == [.feature, .field] else { return true }
    return entry.message.element.first("body", Namespace.client)?.text.contains(text) == true
  }
}
