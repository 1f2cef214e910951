import XML
import XMPP

/// Subscriptions: requesting a contact's presence and granting it (RFC 6121 §3).
extension Router {
  /// Follows a subscription stanza of one of the account's clients.
  mutating func subscribe(
    _ request: SubscriptionRequest, _ stanza: Element, to contact: JID,
    from session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    guard isOurs(contact) else { return refuse(stanza, .remoteServerNotFound, to: session.id) }
    guard contact.local != nil, contact != session.jid.bare else {
      return refuse(stanza, .badRequest, to: session.id)
    }
    try sendSubscription(
      request, from: session.account, to: contact, content: stanza.elements, ledger)
  }

  /// Takes a step of the account's subscription and lets the contact know (RFC 6121 Appendix A.2).
  mutating func sendSubscription(
    _ request: SubscriptionRequest, from account: String, to contact: JID, content: [Element],
    _ ledger: ServerTransaction
  ) throws {
    let old = try ledger.rosters.item(contact, of: account) ?? StoredContact(contact)
    let step = old.subscription.sending(request)
    try change(old, to: old.with(step.state), of: account, ledger)
    guard step.passesOn else { return }
    try receiveSubscription(
      request, from: address(of: account), at: contact, content: content, ledger)
    switch request {
    case .subscribed: try show(account, to: contact, ledger)
    case .unsubscribed where old.subscription.from: sendAbsence(of: account, to: contact)
    case .subscribe, .unsubscribe, .unsubscribed: break
    }
  }

  /// Takes a step of the contact's subscription and lets its clients know (RFC 6121 Appendix A.3).
  private mutating func receiveSubscription(
    _ request: SubscriptionRequest, from sender: JID, at recipient: JID,
    content: [Element],
    _ ledger: ServerTransaction
  ) throws {
    guard let account = recipient.local else { return }
    if isGuide(recipient) {
      // The guide accepts all requests.
      guard request == .subscribe else { return }
      try receiveSubscription(.subscribed, from: recipient, at: sender, content: [], ledger)
      for session in available(sender.local ?? "") {
        send(guidePresence(to: session.jid), to: session.id)
      }
      return
    }
    guard try ledger.accounts.exists(account) else {
      if request == .subscribe {
        try receiveSubscription(.unsubscribed, from: recipient, at: sender, content: [], ledger)
      }
      return
    }
    if request == .subscribe, try blocks(account, sender, ledger) { return }
    let old = try ledger.rosters.item(sender, of: account) ?? StoredContact(sender)
    let step = old.subscription.receiving(request)
    if step.isAlreadyGranted {
      try receiveSubscription(.subscribed, from: recipient, at: sender, content: [], ledger)
      try show(account, to: sender, ledger)
      return
    }
    // RFC 6121 §3.1.6: the stanza first, then the roster push.
    if step.passesOn {
      let stanza = subscriptionStanza(
        request, from: sender, to: recipient, content: content)
      for session in sessions(of: account) where session.presence != nil || session.isInterested {
        send(stanza, to: session.id)
      }
    }
    try change(old, to: old.with(step.state), of: account, ledger)
    if request == .subscribe, step.passesOn {
      try ledger.rosters.setRequest(content, from: sender, of: account)
    }
    // RFC 6121 §3.3.3: who is no longer subscribed sees the contact go.
    if request == .unsubscribe, old.subscription.from { sendAbsence(of: account, to: sender) }
  }

  func subscriptionStanza(
    _ request: SubscriptionRequest, from sender: JID, to recipient: JID, content: [Element]
  ) -> Element {
    Element(
      "presence", Namespace.client,
      [
        "type": request.rawValue, "from": sender.bare.description,
        "to": recipient.bare.description,
      ], content)
  }

  /// Shows a new subscriber who of the account is there, and what it has published.
  mutating func show(_ account: String, to subscriber: JID, _ ledger: ServerTransaction) throws {
    for session in available(account) {
      guard var presence = session.presence else { continue }
      presence["to"] = subscriber.description
      for taker in available(subscriber.local ?? "") { send(presence, to: taker.id) }
    }
    try sendLastItems(of: account, to: subscriber, ledger)
  }

  /// Sends unavailable presence of all clients of the account to a former subscriber.
  mutating func sendAbsence(of account: String, to former: JID) {
    for session in available(account) {
      let presence = Element(
        "presence", Namespace.client,
        [
          "type": "unavailable", "from": session.jid.description, "to": former.description,
        ])
      for taker in available(former.local ?? "") { send(presence, to: taker.id) }
    }
  }

  // MARK: The roster (RFC 6121 §2)

  /// Stores a contact's new state and pushes it to the account's clients, if it is one they see.
  private mutating func change(
    _ old: StoredContact, to new: StoredContact, of account: String, _ ledger: ServerTransaction
  ) throws {
    guard old != new else { return }
    try ledger.rosters.put(new, of: account)
    if new.isListed, !old.isListed || old.element != new.element {
      try push(new.element, of: account, ledger)
    }
  }

  /// Pushes a roster change to the account's clients that asked for the roster (RFC 6121 §2.1.6).
  mutating func push(_ item: Element, of account: String, _ ledger: ServerTransaction) throws {
    let version = try ledger.rosters.advanceVersion(of: account)
    for session in sessions(of: account) where session.isInterested {
      let query = Element("query", Namespace.roster, ["ver": String(version)], [item])
      send(
        Element(
          "iq", Namespace.client,
          [
            "type": "set", "id": "push-\(version)", "to": session.jid.description,
            "from": session.jid.bare.description,
          ], [query]), to: session.id)
    }
  }

  mutating func sendRoster(
    _ request: Element, _ query: Element, to session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    sessions[session.id]?.isInterested = true
    let version = String(try ledger.rosters.version(of: session.account))
    // RFC 6121 §2.6.3: nothing has changed since the client's copy.
    if query["ver"] == version { return send(request.result(), to: session.id) }
    let items = try ledger.rosters.items(of: session.account).filter(\.isListed)
    send(
      request.result(
        Element("query", Namespace.roster, ["ver": version], items.map(\.element))),
      to: session.id)
  }

  /// Follows a roster set: one item that is added, changed or removed (RFC 6121 §2.3-2.5).
  /// - Returns: why it was refused.
  mutating func changeRoster(
    _ query: Element, of session: ClientSession, _ ledger: ServerTransaction
  ) throws -> StanzaRefusal? {
    let items = query.all("item", Namespace.roster)
    guard items.count == 1, let item = items.first, let text = item["jid"] else {
      return .badRequest
    }
    guard let jid = Address.parse(text)?.bare else { return .jidMalformed }
    guard jid != session.jid.bare else { return .notAllowed }
    let old = try ledger.rosters.item(jid, of: session.account)
    if item["subscription"] == "remove" {
      guard let old, old.isListed else { return .itemNotFound }
      try remove(old, of: session.account, ledger)
      return nil
    }
    let groups = item.all("group", Namespace.roster).map(\.text)
    guard Set(groups).count == groups.count else { return .badRequest }
    // RFC 6121 §2.3.3: an empty name is none of a group; very long ones are refused.
    guard groups.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 1023 }),
      item["name"]?.utf8.count ?? 0 <= 1023
    else { return .notAcceptable }
    if old == nil, try ledger.rosters.count(of: session.account) >= 10_000 {
      return .resourceConstraint
    }
    var new = old ?? StoredContact(jid)
    new.name = item["name"]
    new.groups = groups
    new.isListed = true
    try ledger.rosters.put(new, of: session.account)
    try push(new.element, of: session.account, ledger)
    return nil
  }

  /// Removes a contact, which ends the subscriptions of both directions (RFC 6121 §2.5.2).
  private mutating func remove(
    _ contact: StoredContact, of account: String, _ ledger: ServerTransaction
  ) throws {
    if contact.subscription.to || contact.subscription.pendingOut {
      try sendSubscription(.unsubscribe, from: account, to: contact.jid, content: [], ledger)
    }
    if contact.subscription.from || contact.subscription.pendingIn {
      try sendSubscription(.unsubscribed, from: account, to: contact.jid, content: [], ledger)
    }
    try ledger.rosters.remove(contact.jid, of: account)
    try push(StoredContact.removal(of: contact.jid), of: account, ledger)
  }
}
