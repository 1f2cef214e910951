import XML
import XMPP

/// Presence: who is notified that a client is available (RFC 6121 §4).
extension Router {
  mutating func receive(
    presence: Element, to recipient: JID?, from session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    switch (presence["type"], recipient) {
    case (nil, nil): try becomeAvailable(session.id, presence, ledger)
    case ("unavailable", nil): try becomeUnavailable(session.id, stanza: presence, ledger)
    case (nil, let to?), ("unavailable", let to?):
      try direct(presence, to: to, from: session, ledger)
    case ("error", let to):
      if let to, let match = self.session(at: to) { send(presence, to: match.id) }
    case ("probe", let to):
      // RFC 6121 §4.3: a client has no need to, for its server has asked already; it is answered
      // all the same.
      if let to { try sendPresences(of: to.bare, to: session, ledger) }
    case (let type?, let to?):
      guard let request = SubscriptionRequest(rawValue: type) else {
        return refuse(presence, .badRequest, to: session.id)
      }
      try subscribe(request, presence, to: to.bare, from: session, ledger)
    case (_?, nil): refuse(presence, .badRequest, to: session.id)
    }
  }

  // MARK: Broadcast

  private mutating func becomeAvailable(
    _ id: ConnectionID, _ presence: Element, _ ledger: ServerTransaction
  ) throws {
    guard let session = sessions[id] else { return }
    var priority = 0
    if let text = presence.childText("priority") {
      let digits = text.trimmingPrefix { $0.isWhitespace }.prefix { !$0.isWhitespace }
      guard let value = Int(digits), (-128...127).contains(value) else {
        return refuse(presence, .badRequest, to: id)
      }
      priority = value
    }
    let isFirst = session.presence == nil
    let takesMore = priority >= 0 && !session.takesMessages
    sessions[id]?.presence = presence
    sessions[id]?.priority = priority
    try broadcast(presence, from: session, ledger)
    try learnInterests(of: id, presence, ledger)

    if isFirst {
      for contact in try ledger.rosters.items(of: session.account) where contact.subscription.to {
        try sendPresences(of: contact.jid, to: session, ledger)
      }
      for other in available(session.account) where other.id != id {
        if var presence = other.presence {
          presence["to"] = session.jid.description
          send(presence, to: id)
        }
      }
      for request in try ledger.rosters.requests(of: session.account) {
        send(
          subscriptionStanza(
            .subscribe, from: request.contact, to: session.jid.bare, content: request.content),
          to: id)
      }
    }
    if takesMore {
      sessions[id]?.hasBacklog = true
      try sendBacklog(to: id, ledger)
    }
    if isFirst, try ledger.accounts.markGreeted(session.account) {
      try greet(session, ledger)
    }
  }

  /// Sends unavailable presence to everyone who received the client's available presence.
  /// - Parameter stanza: the client's own stanza; `nil` when it disappeared without one.
  mutating func becomeUnavailable(
    _ id: ConnectionID, stanza: Element?, _ ledger: ServerTransaction
  ) throws {
    guard let session = sessions[id] else { return }
    try leaveAll(session, farewell: stanza?.childText("status"), ledger)
    guard session.presence != nil || !session.directed.isEmpty else { return }
    let presence =
      stanza
      ?? Element(
        "presence", Namespace.client,
        ["type": "unavailable", "from": session.jid.description])
    // One that went without a word hears nothing any more.
    if session.presence != nil {
      try broadcast(presence, from: session, notifiesItself: stanza != nil, ledger)
    }
    sessions[id]?.presence = nil
    sessions[id]?.priority = 0
    sessions[id]?.hasBacklog = false
    sessions[id]?.directed = []
    sessions[id]?.capabilities = nil
    sessions[id]?.interests = []
    for recipient in session.directed {
      // Contacts have just heard it by the broadcast.
      if session.presence != nil, let local = recipient.local, local != session.account,
        try ledger.rosters.item(address(of: session.account), of: local)?.subscription.to ?? false
      {
        continue
      }
      var copy = presence
      copy["to"] = recipient.description
      try deliver(presence: copy, to: recipient, from: session, ledger)
    }
  }

  /// Sends presence to the contacts that may see it and to the account's clients, including the
  /// sender (RFC 6121 §4.2.2, §4.4.2, §4.5.2).
  private mutating func broadcast(
    _ presence: Element, from session: ClientSession, notifiesItself: Bool = true,
    _ ledger: ServerTransaction
  ) throws {
    for contact in try ledger.rosters.items(of: session.account)
    where contact.subscription.from && isOurs(contact.jid) {
      guard let local = contact.jid.local,
        try !isSilent(between: session.account, and: local, ledger)
      else { continue }
      var copy = presence
      copy["to"] = contact.jid.description
      for taker in available(local) { send(copy, to: taker.id) }
    }
    var copy = presence
    copy["to"] = session.jid.bare.description
    for client in available(session.account) where notifiesItself || client.id != session.id {
      send(copy, to: client.id)
    }
  }

  /// Returns whether two accounts do not see each other, because one has blocked the other.
  mutating func isSilent(
    between account: String, and other: String, _ ledger: ServerTransaction
  ) throws -> Bool {
    try blocks(account, address(of: other), ledger)
      || blocks(other, address(of: account), ledger)
  }

  // MARK: Directed presence (RFC 6121 §4.6)

  private mutating func direct(
    _ presence: Element, to recipient: JID, from session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    guard isOurs(recipient) else { return refuse(presence, .remoteServerNotFound, to: session.id) }
    if presence["type"] == nil {
      sessions[session.id]?.directed.insert(recipient)
    } else {
      sessions[session.id]?.directed.remove(recipient)
    }
    try deliver(presence: presence, to: recipient, from: session, ledger)
  }

  private mutating func deliver(
    presence: Element, to recipient: JID, from session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    guard isOurs(recipient), let local = recipient.local,
      try !blocks(local, session.jid, ledger)
    else { return }
    if recipient.isBare {
      for taker in available(local) { send(presence, to: taker.id) }
    } else if let match = self.session(at: recipient) {
      send(presence, to: match.id)
    }
  }

  // MARK: Probes (RFC 6121 §4.3)

  /// Sends a client the presence of all of a contact's clients, if the contact allows it.
  mutating func sendPresences(
    of contact: JID, to session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    if isGuide(contact) { return send(guidePresence(to: session.jid), to: session.id) }
    guard isOurs(contact), let local = contact.local,
      try local == session.account
        || ledger.rosters.item(session.jid.bare, of: local)?.subscription.from ?? false,
      try !isSilent(between: session.account, and: local, ledger)
    else { return }
    for other in available(local) {
      guard var presence = other.presence, other.id != session.id else { continue }
      presence["to"] = session.jid.description
      send(presence, to: session.id)
    }
  }
}
