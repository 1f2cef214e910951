import FoundationEssentials
import XML
import XMPP

/// The notifications of published items, for clients whose capabilities request them (XEP-0163
/// §4.3, XEP-0115).
extension Router {
  private static let capabilitiesLimit = 1_000
  private static let queryPrefix = "capabilities."

  /// Notifies the account's own clients and its contacts' of a change of a node.
  mutating func notify(
    _ content: Element, of node: String, _ settings: NodeSettings, _ account: String,
    _ ledger: ServerTransaction
  ) throws {
    let event = event(content, of: account)
    func wants(_ session: ClientSession) -> Bool { session.interests.contains(node) }
    for session in available(account) where wants(session) { send(event, addressedTo: session) }
    for contact in try ledger.rosters.items(of: account)
    where contact.subscription.from && isOurs(contact.jid) {
      for session in available(contact.jid.local ?? "") where wants(session) {
        if try mayRead(node, settings, of: account, session.jid, ledger) {
          send(event, addressedTo: session)
        }
      }
    }
  }

  private func event(_ content: Element, of account: String) -> Element {
    Element(
      "message", Namespace.client,
      ["type": "headline", "from": address(of: account).description],
      [Element("event", Names.nodeEvents, [:], [content])])
  }

  private mutating func send(_ event: Element, addressedTo session: ClientSession) {
    var copy = event
    copy["to"] = session.jid.description
    send(copy, to: session.id)
  }

  // MARK: Capabilities

  /// Finds out what the client of an available session wants to hear of.
  mutating func learnInterests(
    of id: ConnectionID, _ presence: Element, _ ledger: ServerTransaction
  ) throws {
    let said = presence.first("c", Namespace.capabilities).flatMap { XEP0115Capabilities($0) }
    guard let session = sessions[id], session.capabilities != said else { return }
    sessions[id]?.capabilities = said
    guard let said else {
      sessions[id]?.interests = []
      return
    }
    let key = "\(said.hash ?? "") \(said.node)#\(said.version)"
    if let known = interests[key] { return try follow(known, id, ledger) }
    var query = Element("query", Namespace.discoInfo)
    query["node"] = "\(said.node)#\(said.version)"
    send(
      Element(
        "iq", Namespace.client,
        [
          "type": "get", "from": domain, "to": session.jid.description,
          "id": Self.queryPrefix + said.version,
        ], [query]), to: id)
  }

  /// Takes a client's answer to what it can do.
  /// - Returns: whether it was one.
  mutating func takeCapabilities(
    _ answer: Element, from id: ConnectionID, _ ledger: ServerTransaction
  ) throws -> Bool {
    guard let said = sessions[id]?.capabilities, answer["id"] == Self.queryPrefix + said.version
    else { return false }
    guard answer["type"] == "result", let query = answer.elements.first,
      let info = XEP0030Discovery(query)
    else { return true }
    let wanted = Set(
      info.features.filter { $0.hasSuffix("+notify") }.map { String($0.dropLast(7)) })
    // Only what the hash proves is good for other clients of that name too.
    if said.hash == "sha-1",
      try XEP0115Capabilities.version(of: info, crypto: crypto) == said.version
    {
      if interests.count >= Self.capabilitiesLimit { interests = [:] }
      interests["sha-1 \(said.node)#\(said.version)"] = wanted
    }
    try follow(wanted, id, ledger)
    return true
  }

  /// Sends a client the last items of what it wants to hear of from now on.
  private mutating func follow(
    _ wanted: Set<String>, _ id: ConnectionID, _ ledger: ServerTransaction
  ) throws {
    guard let session = sessions[id] else { return }
    sessions[id]?.interests = wanted
    let new = wanted.subtracting(session.interests)
    guard !new.isEmpty, session.presence != nil else { return }
    try sendLastItems(of: session.account, in: new, to: session, ledger)
    for contact in try ledger.rosters.items(of: session.account)
    where contact.subscription.to && isOurs(contact.jid) {
      guard let local = contact.jid.local else { continue }
      try sendLastItems(of: local, in: new, to: session, ledger)
    }
  }

  /// Sends the clients of a new subscriber the last items of the nodes they want (XEP-0163 §4.3.4).
  mutating func sendLastItems(
    of account: String, to subscriber: JID, _ ledger: ServerTransaction
  ) throws {
    for session in available(subscriber.local ?? "") where !session.interests.isEmpty {
      try sendLastItems(of: account, in: session.interests, to: session, ledger)
    }
  }

  private mutating func sendLastItems(
    of account: String, in nodes: Set<String>, to session: ClientSession,
    _ ledger: ServerTransaction
  ) throws {
    for node in try ledger.nodes.names(of: account) where nodes.contains(node) {
      guard let settings = try ledger.nodes.settings(of: node, account),
        settings.lastItem == .onPresence,
        try mayRead(node, settings, of: account, session.jid, ledger),
        let item = try ledger.nodes.items(of: node, account, limit: 1).first
      else { continue }
      let content = Element(
        "items", Names.nodeEvents, ["node": node], [item.element(Names.nodeEvents)])
      send(event(content, of: account), addressedTo: session)
    }
  }
}
