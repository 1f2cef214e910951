import FoundationEssentials
import XML
import XMPP

/// IQ: requests to the server and to accounts, and those between clients (RFC 6121 §8, §10).
extension Router {
  enum IQReply {
    case result(Element? = nil)
    case refused(StanzaRefusal, Element? = nil)
    /// Everything was said already.
    case done
  }

  mutating func receive(
    request: Element, to recipient: JID?, from session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    guard let type = request["type"], request["id"] != nil,
      ["get", "set", "result", "error"].contains(type)
    else { return refuse(request, .badRequest, to: session.id) }
    let isRequest = type == "get" || type == "set"
    if isRequest, request.elements.count != 1 {
      // RFC 6120 §8.2.3: exactly one child, or the request is not defined.
      return refuse(request, .badRequest, to: session.id)
    }
    let to = recipient ?? session.jid.bare
    if isRoom(to) { return try receive(roomRequest: request, to: to, from: session, ledger) }
    guard isOurs(to) else { return refuse(request, .remoteServerNotFound, to: session.id) }
    if !to.isBare, !isGuide(to), to.local != nil {
      guard let match = self.session(at: to), try !blocks(match.account, session.jid, ledger)
      else { return refuse(request, .serviceUnavailable, to: session.id) }
      return send(request, to: match.id)
    }
    if !isRequest, try takeCapabilities(request, from: session.id, ledger) { return }
    guard isRequest, let payload = request.elements.first else { return }

    let answer =
      if isGuide(to) {
        answerForGuide(payload, isSet: type == "set", to: to)
      } else if to == session.jid.bare || to.local == nil {
        try answerOwn(
          request, payload, isSet: type == "set",
          isDomain: recipient?.local == nil && recipient != nil,
          session, ledger)
      } else {
        try answerForAccount(payload, isSet: type == "set", to: to, from: session, ledger)
      }
    finish(request, answer, to: session)
  }

  mutating func finish(_ request: Element, _ answer: IQReply, to session: ClientSession) {
    switch answer {
    case .result(let payload): send(request.result(payload), to: session.id)
    case .refused(let reason, let detail):
      if let refusal = request.refusal(reason, detail) { send(refusal, to: session.id) }
    case .done: break
    }
  }

  // MARK: One's own account, the server

  /// Answers what an account asks of its server. Who has no address in mind and who names the
  /// domain mean the same, but for discovery.
  private mutating func answerOwn(
    _ request: Element, _ payload: Element, isSet: Bool, isDomain: Bool, _ session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply {
    switch (payload.name, payload.namespace, isSet) {
    case ("query", Namespace.roster, false):
      try sendRoster(request, payload, to: session, ledger)
      return .done
    case ("query", Namespace.roster, true):
      let refusal = try changeRoster(payload, of: session, ledger)
      return refusal.map { .refused($0) } ?? .result()
    case ("session", Namespace.session, true): return .result()
    case ("bind", Namespace.bind, true): return .refused(.notAllowed)
    case ("ping", Namespace.ping, false): return .result()
    case ("enable", Names.carbons, true), ("disable", Names.carbons, true):
      sessions[session.id]?.hasCarbons = payload.name == "enable"
      return .result()
    case ("query", Namespace.register, _):
      return try changeAccount(request, payload, isSet: isSet, session, ledger)
    case ("query", Namespace.discoInfo, false):
      if !isDomain, let node = payload["node"],
        try ledger.nodes.settings(of: node, session.account) != nil
      {
        return .result(features.node(node))
      }
      let answer =
        isDomain ? features.server(node: payload["node"]) : features.account(node: payload["node"])
      return answer.map { .result($0) } ?? .refused(.itemNotFound)
    case ("query", Namespace.discoItems, false):
      return .result(try items(isDomain: isDomain, payload["node"], session, ledger))
    case ("query", Namespace.version, false): return .result(features.versionAnswer)
    case ("time", Namespace.time, false):
      let date = Date(timeIntervalSince1970: now())
      return .result(features.timeAnswer(XEP0082DateTime.text(for: date)))
    case ("vCard", Names.vcard, false): return .result(try card(of: session.account, ledger))
    case ("vCard", Names.vcard, true):
      try ledger.elements.put(
        XMLWriter().string(payload), KeptElementStore.card, of: session.account)
      return .result()
    case ("pubsub", Names.nodes, _):
      return try answerNodes(payload, isSet: isSet, account: session.account, session, ledger)
    case ("pubsub", Names.nodeOwners, _):
      return try answerNodeOwner(payload, isSet: isSet, session, ledger)
    case (_, Names.blocking, _):
      return try answerBlocking(payload, isSet: isSet, session, ledger)
    case (_, Namespace.archive, _):
      return try answerArchive(payload, isSet: isSet, session, ledger)
    case ("request", XEP0363Slot.namespace, false): return try answerUpload(payload)
    case ("query", Names.privateStorage, _):
      return try answerPrivate(payload, isSet: isSet, session, ledger)
    default: return .refused(.serviceUnavailable)
    }
  }

  /// Assigns a slot for a file (XEP-0363 §4).
  private func answerUpload(_ request: Element) throws -> IQReply {
    guard let uploads = settings.uploads else { return .refused(.serviceUnavailable) }
    guard let name = request["filename"], !name.isEmpty, name.utf8.count <= 1024,
      let size = request["size"].flatMap({ Int($0) }), size > 0
    else { return .refused(.badRequest) }
    guard size <= ServerSettings.uploadLimit else {
      return .refused(
        .notAcceptable,
        Element(
          "file-too-large", XEP0363Slot.namespace, [:],
          [
            Element(
              "max-file-size", XEP0363Slot.namespace, text: String(ServerSettings.uploadLimit))
          ]))
    }
    return .result(try uploads.slot(name: name, byteCount: size).element)
  }

  /// The parts of an account are its clients, those of the server its rooms.
  private func items(
    isDomain: Bool, _ node: String?, _ session: ClientSession, _ ledger: ServerTransaction
  ) throws -> Element {
    var query = Element("query", Namespace.discoItems)
    query["node"] = node
    guard node == nil else { return query }
    if isDomain {
      query.append(
        Element("item", Namespace.discoItems, ["jid": roomDomain, "name": "Rooms"]))
      return query
    }
    for other in available(session.account) {
      query.append(Element("item", Namespace.discoItems, ["jid": other.jid.description]))
    }
    let own = address(of: session.account).description
    for node in try ledger.nodes.names(of: session.account) {
      query.append(Element("item", Namespace.discoItems, ["jid": own, "node": node]))
    }
    return query
  }

  /// An account's vCard, an empty one where it has none (XEP-0054 §3.1).
  func card(of account: String, _ ledger: ServerTransaction) throws -> Element {
    try ledger.elements.element(KeptElementStore.card, of: account).flatMap { XMLColumn.parse($0) }
      ?? Element("vCard", Names.vcard)
  }

  /// XML that a client keeps on the server for itself (XEP-0049).
  private func answerPrivate(
    _ query: Element, isSet: Bool, _ session: ClientSession, _ ledger: ServerTransaction
  ) throws -> IQReply {
    let elements = query.elements
    guard !elements.isEmpty, isSet || elements.count == 1 else { return .refused(.badRequest) }
    guard
      elements.allSatisfy({
        !$0.namespace.isEmpty && $0.namespace != Names.privateStorage
          && $0.namespace != Namespace.client
      })
    else { return .refused(.notAcceptable) }
    if isSet {
      for element in elements {
        try ledger.elements.put(
          XMLWriter().string(element),
          KeptElementStore.privateKind(element.name, element.namespace), of: session.account)
      }
      return .result()
    }
    let asked = elements[0]
    let kept = try ledger.elements.element(
      KeptElementStore.privateKind(asked.name, asked.namespace), of: session.account)
    return .result(
      Element(
        "query", Names.privateStorage, [:], [kept.flatMap { XMLColumn.parse($0) } ?? asked]))
  }

  // MARK: Others

  /// Answers in the name of another account (RFC 6121 §8.5.1).
  private mutating func answerForAccount(
    _ payload: Element, isSet: Bool, to: JID, from session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply {
    guard let account = to.local, try ledger.accounts.exists(account),
      try !blocks(account, session.jid, ledger)
    else { return .refused(.serviceUnavailable) }
    if payload.is("pubsub", Names.nodes) {
      return try answerNodes(payload, isSet: isSet, account: account, session, ledger)
    }
    guard !isSet else { return .refused(.serviceUnavailable) }
    switch (payload.name, payload.namespace) {
    case ("vCard", Names.vcard): return .result(try card(of: account, ledger))
    case ("query", Namespace.discoInfo):
      // XEP-0030 §8: only who sees the account's presence may know that it exists.
      guard try ledger.rosters.item(session.jid.bare, of: account)?.subscription.from ?? false
      else { return .refused(.serviceUnavailable) }
      return features.account(node: payload["node"]).map { .result($0) } ?? .refused(.itemNotFound)
    default: return .refused(.serviceUnavailable)
    }
  }

  private func answerForGuide(_ payload: Element, isSet: Bool, to: JID) -> IQReply {
    guard !isSet else { return .refused(.serviceUnavailable) }
    switch (payload.name, payload.namespace) {
    case ("query", Namespace.discoInfo):
      let answer =
        to.isBare
        ? features.account(node: payload["node"])
        : features.guide(name: guide.name, node: payload["node"])
      return answer.map { .result($0) } ?? .refused(.itemNotFound)
    case ("vCard", Names.vcard):
      return .result(
        Element(
          "vCard", Names.vcard, [:],
          [
            Element("FN", Names.vcard, text: guide.name),
            Element("NICKNAME", Names.vcard, text: guide.name),
          ]))
    case ("ping", Namespace.ping) where !to.isBare: return .result()
    case ("query", Namespace.version) where !to.isBare: return .result(features.versionAnswer)
    default: return .refused(.serviceUnavailable)
    }
  }

  // MARK: The account itself (XEP-0077 §3.2-3.3)

  private mutating func changeAccount(
    _ request: Element, _ query: Element, isSet: Bool, _ session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply {
    guard isSet else {
      return .result(
        Element(
          "query", Namespace.register, [:],
          [
            Element("registered", Namespace.register),
            Element("username", Namespace.register, text: session.account),
            Element("password", Namespace.register),
          ]))
    }
    if query.first("remove", Namespace.register) != nil {
      guard query.elements.count == 1 else { return .refused(.badRequest) }
      send(request.result(), to: session.id)
      try removeAccount(session.account, ledger)
      return .done
    }
    guard let name = query.childText("username", Namespace.register),
      let typed = query.childText("password", Namespace.register)
    else { return .refused(.badRequest) }
    guard Address.parse("\(name)@\(domain)")?.local == session.account else {
      return .refused(.notAllowed)
    }
    guard let password = Passwords.prepared(typed) else { return .refused(.notAcceptable) }
    try setPassword(password, of: session.account, ledger)
    return .result()
  }
}
