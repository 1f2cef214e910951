import Crypto
import XML
import XMPP

/// Sessions: binding, acknowledgements, resumption, their end.
extension Router {
  // MARK: Binding

  /// Gives the client its resource (RFC 6120 §7).
  mutating func bind(
    _ request: Element, account: String, on connection: ConnectionID, _ ledger: ServerTransaction
  ) throws {
    guard try ledger.accounts.exists(account) else {
      // Removed by another client between signing in and here.
      return try end(connection, StreamError(.notAuthorized), ledger)
    }
    let wanted = request.first("bind", Namespace.bind)?.childText("resource", Namespace.bind) ?? ""
    var resource = "natter-" + randomIdentifier(byteCount: 6)
    if !wanted.isEmpty {
      guard let prepared = Address.parse("\(account)@\(domain)/\(wanted)")?.resource else {
        return write(request.refusal(.badRequest), to: connection)
      }
      resource = prepared
    }
    if let older = online[account]?[resource] {
      // RFC 6120 §7.7.2.2, the second way: the newer client wins, for the older is often only the
      // same one's dead connection.
      if let olderConnection = sessions[older]?.connection {
        try end(olderConnection, StreamError(.conflict), ledger)
      }
      try endSession(older, ledger)
    }
    guard online[account]?.count ?? 0 < Self.resourceLimit else {
      return write(request.refusal(.resourceConstraint), to: connection)
    }
    let jid = JID(local: account, domain: domain, resource: resource)
    sessions[connection] = ClientSession(id: connection, account: account, jid: jid)
    online[account, default: [:]][resource] = connection
    carried[connection] = connection
    didBind(connection)
    let payload = Element(
      "bind", Namespace.bind, [:], [Element("jid", Namespace.bind, text: jid.description)])
    write(request.result(payload), to: connection)
  }

  private mutating func write(_ element: Element?, to connection: ConnectionID) {
    guard let element else { return }
    if collected[connection] != nil {
      collected[connection]?.append(element)
    } else {
      outputs[connection, default: Outbound()].write(element)
    }
  }

  // MARK: Acknowledgements (XEP-0198)

  mutating func manage(_ element: Element, _ id: ConnectionID, _ ledger: ServerTransaction) throws {
    guard let session = sessions[id], let connection = session.connection else { return }
    switch element.name {
    case "enable":
      guard session.management == nil else {
        return write(Acknowledgements.failure("unexpected-request"), to: connection)
      }
      let wantsResumption = ["true", "1"].contains(element["resume"] ?? "")
      let token = wantsResumption ? randomIdentifier(byteCount: 16) : nil
      // Messages that left before now are confirmed by the operating system; it knows the
      // connection only.
      sessions[id]?.management = Acknowledgements(token: token)
      var enabled = Element("enabled", Namespace.streamManagement)
      if let token {
        resumable[token] = id
        enabled["id"] = token
        enabled["resume"] = "true"
        enabled["max"] = String(settings.resumption.components.seconds)
      }
      write(enabled, to: connection)
    case "r":
      guard let management = session.management else { return }
      write(
        Element("a", Namespace.streamManagement, ["h": String(management.received)]),
        to: connection)
    case "a":
      guard session.management != nil else { return }
      guard let count = element["h"].flatMap({ UInt32($0) }),
        let confirmed = sessions[id]?.management?.acknowledge(count)
      else { return try endMiscounted(element, session.management, on: connection, ledger) }
      try settle(confirmed.compactMap(\.message), by: id, ledger)
    case "resume":
      write(Acknowledgements.failure("unexpected-request"), to: connection)
    default:
      try end(connection, StreamError(.unsupportedStanzaType), ledger)
    }
  }

  /// Requests acks from the clients that were sent stanzas in this step.
  mutating func askForAcknowledgements() {
    for id in touched {
      guard let session = sessions[id], let connection = session.connection,
        let management = session.management, !management.isAsking,
        !management.unacknowledged.isEmpty
      else { continue }
      sessions[id]?.management?.isAsking = true
      write(Element("r", Namespace.streamManagement), to: connection)
    }
    touched = []
  }

  /// Takes a session up again on a new connection (XEP-0198 §5).
  mutating func resume(
    _ element: Element, account: String, on connection: ConnectionID, _ ledger: ServerTransaction
  ) throws {
    guard let token = element["previd"], let id = resumable[token], let session = sessions[id],
      session.account == account
    else {
      let ended = element["previd"].flatMap { endedSessions[$0] }
      let received = ended?.account == account ? ended?.received : nil
      return write(
        Acknowledgements.failure("item-not-found", received: received), to: connection)
    }
    guard let count = element["h"].flatMap({ UInt32($0) }),
      let confirmed = sessions[id]?.management?.acknowledge(count)
    else { return try endMiscounted(element, session.management, on: connection, ledger) }

    if let older = session.connection {
      // The session lives on without that connection, so it must not end with it.
      carried[older] = nil
      try end(older, StreamError(.conflict), ledger)
    }
    carried[connection] = id
    sessions[id]?.connection = connection
    sessions[id]?.management?.isAsking = false
    didBind(connection)
    write(
      Element(
        "resumed", Namespace.streamManagement,
        ["previd": token, "h": String(sessions[id]?.management?.received ?? 0)]), to: connection)
    try settle(confirmed.compactMap(\.message), by: id, ledger)
    for item in sessions[id]?.management?.unacknowledged ?? [] {
      write(delayed(item.stanza, since: item.sent), to: connection)
    }
    touched.insert(id)
  }

  /// Ends the stream of a client that has counted more than was sent (XEP-0198 §4).
  private mutating func endMiscounted(
    _ element: Element, _ management: Acknowledgements?, on connection: ConnectionID,
    _ ledger: ServerTransaction
  ) throws {
    var error = StreamError(.undefinedCondition, text: "More is acknowledged than was sent.")
      .element
    error.append(
      Element(
        "handled-count-too-high", Namespace.streamManagement,
        ["h": element["h"] ?? "", "send-count": String(management?.sent ?? 0)]))
    write(error, to: connection)
    try end(connection, nil, ledger)
  }

  // MARK: The end

  private mutating func remember(_ session: ClientSession) {
    guard let management = session.management, let token = management.token else { return }
    resumable[token] = nil
    endedSessions[token] = EndedSession(
      account: session.account, received: management.received)
    endedTokens.append(token)
    if endedTokens.count > Self.endedLimit { endedSessions[endedTokens.removeFirst()] = nil }
  }

  /// Ends a session for good: its contacts learn that it is gone, and what it did not confirm waits
  /// for the account's others.
  mutating func endSession(_ id: ConnectionID, _ ledger: ServerTransaction) throws {
    guard let session = sessions[id] else { return }
    try becomeUnavailable(id, stanza: nil, ledger)
    sessions[id] = nil
    if let resource = session.jid.resource, online[session.account]?[resource] == id {
      online[session.account]?[resource] = nil
    }
    if online[session.account]?.isEmpty ?? false { online[session.account] = nil }
    if let connection = session.connection { carried[connection] = nil }
    remember(session)
    touched.remove(id)

    for item in session.management?.unacknowledged ?? [] where item.stanza.isStanza("iq") {
      if item.stanza["type"] == "get" || item.stanza["type"] == "set",
        let refusal = item.stanza.refusal(.recipientUnavailable),
        let to = item.stanza["from"].flatMap({ Address.parse($0) }),
        let asker = self.session(at: to)
      {
        send(refusal, to: asker.id)
      }
    }
    if !session.inFlight.isEmpty {
      for other in sessions(of: session.account) where other.takesMessages {
        sessions[other.id]?.hasBacklog = true
        try sendBacklog(to: other.id, ledger)
      }
    }
    if online[session.account] == nil {
      try ledger.accounts.setLastSeen(now(), of: session.account)
    }
  }
}
