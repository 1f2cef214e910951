import Crypto
import XML
import XMPP

/// The nodes to which accounts publish, and which others read (XEP-0163, XEP-0060).
extension Router {
  /// Answers a request to the nodes of `account`.
  mutating func answerNodes(
    _ pubsub: Element, isSet: Bool, account: String, _ session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply {
    guard let action = pubsub.elements.first else { return .refused(.badRequest) }
    let isOwn = account == session.account
    switch (action.name, isSet) {
    case ("items", false):
      return try items(action, of: account, session, ledger)
    case ("publish", true):
      let options = pubsub.first("publish-options", Names.nodes)?
        .first("x", Namespace.dataForms).flatMap { XEP0004DataForm($0) }
      return try publish(action, options, account, session, ledger)
    case ("retract", true) where isOwn:
      return try retract(action, account, ledger)
    case ("create", true) where isOwn:
      let form = pubsub.first("configure", Names.nodes)?.first("x", Namespace.dataForms)
        .flatMap { XEP0004DataForm($0) }
      return try createNode(action["node"], form, account, ledger)
    case ("retract", true), ("create", true): return .refused(.forbidden)
    case ("subscriptions", false), ("affiliations", false):
      return .result(Element("pubsub", Names.nodes, [:], [Element(action.name, Names.nodes)]))
    default:
      return .refused(
        .featureNotImplemented,
        Element("unsupported", Names.nodeErrors, ["feature": action.name]))
    }
  }

  // MARK: Reading (XEP-0060 §6.5)

  private mutating func items(
    _ request: Element, of account: String, _ session: ClientSession, _ ledger: ServerTransaction
  ) throws -> IQReply {
    guard let node = request["node"] else {
      return .refused(.badRequest, Element("nodeid-required", Names.nodeErrors))
    }
    guard let settings = try ledger.nodes.settings(of: node, account) else {
      return .refused(.itemNotFound)
    }
    guard try mayRead(node, settings, of: account, session.jid, ledger) else {
      return Self.closed(settings)
    }
    let ids = request.all("item", Names.nodes).compactMap { $0["id"] }
    let found: [NodeItem]
    if ids.isEmpty {
      let limit = request["max_items"].flatMap { Int($0) } ?? NodeSettings.itemLimit
      guard limit > 0 else { return .refused(.badRequest) }
      found = try ledger.nodes.items(
        of: node, account, limit: min(limit, NodeSettings.itemLimit))
    } else {
      found = try ids.prefix(NodeSettings.itemLimit).compactMap {
        try ledger.nodes.item($0, of: node, account)
      }
    }
    var answer = Element("items", Names.nodes, ["node": node])
    var size = 0
    for item in found {
      size += item.payload.utf8.count
      guard size <= NodeLimits.answer || size == item.payload.utf8.count else { break }
      answer.append(item.element(Names.nodes))
    }
    return .result(Element("pubsub", Names.nodes, [:], [answer]))
  }

  /// The refusal for an account that may not read a node.
  private static func closed(_ settings: NodeSettings) -> IQReply {
    settings.access == .presence
      ? .refused(.notAuthorized, Element("presence-subscription-required", Names.nodeErrors))
      : .refused(.notAllowed, Element("closed-node", Names.nodeErrors))
  }

  /// Returns whether the node's access model lets `reader` in (XEP-0060 §4.5).
  mutating func mayRead(
    _ node: String, _ settings: NodeSettings, of account: String, _ reader: JID,
    _ ledger: ServerTransaction
  ) throws -> Bool {
    if reader.bare == address(of: account) { return true }
    if try blocks(account, reader, ledger) { return false }
    switch settings.access {
    case .open: return true
    case .presence:
      return try ledger.rosters.item(reader.bare, of: account)?.subscription.from ?? false
    case .whitelist:
      return try ledger.nodes.members(of: node, account).contains(reader.bare.description)
    }
  }

  // MARK: Publishing (XEP-0060 §7.1)

  private mutating func publish(
    _ request: Element, _ options: XEP0004DataForm?, _ account: String, _ session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply {
    guard let node = request["node"], !node.isEmpty, node.utf8.count <= 1023 else {
      return .refused(.badRequest, Element("nodeid-required", Names.nodeErrors))
    }
    let sent = request.all("item", Names.nodes)
    guard sent.count == 1, let item = sent.first, item.elements.count <= 1 else {
      return .refused(.badRequest, Element("invalid-payload", Names.nodeErrors))
    }
    let id = item["id"].flatMap { $0.isEmpty ? nil : $0 } ?? randomIdentifier()
    let payload = item.elements.first.map { XMLWriter().string($0) } ?? ""
    guard payload.utf8.count <= NodeLimits.payload, id.utf8.count <= 3071 else {
      return .refused(.notAcceptable, Element("payload-too-big", Names.nodeErrors))
    }
    let settings: NodeSettings
    if account != session.account,
      let refusal = try refusal(ofPublishing: id, in: node, of: account, session, ledger)
    {
      return refusal
    }
    if let there = try ledger.nodes.settings(of: node, account) {
      if let options, !there.fulfils(options) {
        return .refused(.conflict, Element("precondition-not-met", Names.nodeErrors))
      }
      settings = there
    } else {
      switch try makeNode(node, options, account, ledger) {
      case .success(let made): settings = made
      case .failure(let refusal): return .refused(refusal.reason)
      }
    }
    let new = NodeItem(id: id, publisher: session.jid.description, payload: payload)
    if settings.isPersistent {
      try ledger.nodes.add(new, to: node, account, limit: settings.maximum)
    }
    try notify(
      Element("items", Names.nodeEvents, ["node": node], [new.element(Names.nodeEvents)]),
      of: node, settings, account, ledger)
    return .result(
      Element(
        "pubsub", Names.nodes, [:],
        [
          Element(
            "publish", Names.nodes, ["node": node], [Element("item", Names.nodes, ["id": id])])
        ]))
  }

  /// Why an account other than the owner may not publish an item; `nil`: it may.
  private mutating func refusal(
    ofPublishing id: String, in node: String, of account: String, _ session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply? {
    // Whether such a node exists is not revealed to others.
    guard let settings = try ledger.nodes.settings(of: node, account) else {
      return .refused(.forbidden)
    }
    guard try mayRead(node, settings, of: account, session.jid, ledger) else {
      return Self.closed(settings)
    }
    switch settings.publishing {
    case .publishers: return .refused(.forbidden)
    case .subscribers:
      guard
        try ledger.rosters.item(session.jid.bare, of: account)?.subscription.from == true
      else { return .refused(.forbidden) }
    case .open: break
    }
    // A guest's item is not replaced by another guest.
    if let there = try ledger.nodes.item(id, of: node, account),
      Address.parse(there.publisher)?.bare != session.jid.bare
    {
      return .refused(.forbidden)
    }
    return nil
  }

  private func makeNode(
    _ node: String, _ form: XEP0004DataForm?, _ account: String, _ ledger: ServerTransaction
  ) throws -> Result<NodeSettings, RequestRefusal> {
    guard try ledger.nodes.names(of: account).count < NodeLimits.nodes else {
      return .failure(RequestRefusal(.resourceConstraint))
    }
    var settings = NodeSettings()
    if let form, !settings.apply(form) { return .failure(RequestRefusal(.notAcceptable)) }
    try ledger.nodes.put(settings, of: node, account)
    return .success(settings)
  }

  private func createNode(
    _ node: String?, _ form: XEP0004DataForm?, _ account: String, _ ledger: ServerTransaction
  ) throws -> IQReply {
    guard let node, !node.isEmpty, node.utf8.count <= 1023 else {
      return .refused(.notAcceptable, Element("nodeid-required", Names.nodeErrors))
    }
    guard try ledger.nodes.settings(of: node, account) == nil else { return .refused(.conflict) }
    switch try makeNode(node, form, account, ledger) {
    case .success: return .result()
    case .failure(let refusal): return .refused(refusal.reason)
    }
  }

  // MARK: Retracting (XEP-0060 §7.2)

  private mutating func retract(
    _ request: Element, _ account: String, _ ledger: ServerTransaction
  ) throws -> IQReply {
    guard let node = request["node"], let settings = try ledger.nodes.settings(of: node, account)
    else { return .refused(.itemNotFound) }
    let ids = request.all("item", Names.nodes).compactMap { $0["id"] }
    guard !ids.isEmpty else {
      return .refused(.badRequest, Element("item-required", Names.nodeErrors))
    }
    var gone = Element("items", Names.nodeEvents, ["node": node])
    for id in ids where try ledger.nodes.retract(id, of: node, account) {
      gone.append(Element("retract", Names.nodeEvents, ["id": id]))
    }
    guard !gone.children.isEmpty else { return .refused(.itemNotFound) }
    if settings.notifiesRetraction || ["1", "true"].contains(request["notify"] ?? "") {
      try notify(gone, of: node, settings, account, ledger)
    }
    return .result()
  }

  // MARK: Owning (XEP-0060 §8)

  /// Answers the owner of a node.
  mutating func answerNodeOwner(
    _ pubsub: Element, isSet: Bool, _ session: ClientSession, _ ledger: ServerTransaction
  ) throws -> IQReply {
    let account = session.account
    guard let action = pubsub.elements.first else { return .refused(.badRequest) }
    func answer(_ element: Element) -> IQReply {
      .result(Element("pubsub", Names.nodeOwners, [:], [element]))
    }
    if action.name == "default", !isSet {
      return answer(
        Element("default", Names.nodeOwners, [:], [NodeSettings().form().element]))
    }
    guard let node = action["node"], var settings = try ledger.nodes.settings(of: node, account)
    else { return .refused(.itemNotFound) }
    switch (action.name, isSet) {
    case ("configure", false):
      return answer(
        Element("configure", Names.nodeOwners, ["node": node], [settings.form().element]))
    case ("configure", true):
      guard let form = action.first("x", Namespace.dataForms).flatMap({ XEP0004DataForm($0) })
      else { return .refused(.badRequest) }
      if form.kind == .cancel { return .result() }
      guard settings.apply(form) else { return .refused(.notAcceptable) }
      try ledger.nodes.put(settings, of: node, account)
      return .result()
    case ("delete", true):
      try ledger.nodes.remove(node, account)
      try notify(
        Element("delete", Names.nodeEvents, ["node": node]), of: node, settings, account, ledger)
      return .result()
    case ("purge", true):
      try ledger.nodes.purge(node, account)
      try notify(
        Element("purge", Names.nodeEvents, ["node": node]), of: node, settings, account, ledger)
      return .result()
    case ("affiliations", false):
      let own = ["jid": session.jid.bare.description, "affiliation": "owner"]
      var list = Element(
        "affiliations", Names.nodeOwners, ["node": node],
        [Element("affiliation", Names.nodeOwners, Attributes(own))])
      for member in try ledger.nodes.members(of: node, account) {
        list.append(
          Element(
            "affiliation", Names.nodeOwners, ["jid": member, "affiliation": "member"]))
      }
      return answer(list)
    case ("affiliations", true):
      let changes = action.all("affiliation", Names.nodeOwners)
      guard changes.count <= 500 else { return .refused(.resourceConstraint) }
      for change in changes {
        guard let jid = change["jid"].flatMap({ Address.parse($0)?.bare }),
          ["member", "none"].contains(change["affiliation"] ?? "")
        else { return .refused(.notAcceptable) }
        try ledger.nodes.setMember(jid, change["affiliation"] == "member", of: node, account)
      }
      return .result()
    case ("subscriptions", false):
      return answer(Element("subscriptions", Names.nodeOwners, ["node": node]))
    default: return .refused(.featureNotImplemented)
    }
  }
}
