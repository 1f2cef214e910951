import Crypto
import XML
import XMPP

/// Accounts: made, changed and removed by their owners (XEP-0077).
extension Router {
  /// Handles a registration request of a client that has not signed in (XEP-0077 §3.1).
  mutating func register(
    _ request: Element, on connection: ConnectionID, _ ledger: ServerTransaction
  ) throws {
    let reply: Element?
    if request["type"] == "get" {
      reply = request.result(
        Element(
          "query", Namespace.register, [:],
          [
            Element("username", Namespace.register),
            Element("password", Namespace.register),
          ] + (settings.asksForKey ? [AccountForm.asked(settings.texts)] : [])))
    } else if let refusal = try register(request.first("query", Namespace.register), ledger) {
      reply = request.refusal(refusal)
    } else {
      reply = request.result()
    }
    if var reply {
      reply["from"] = domain
      reply["to"] = nil
      outputs[connection, default: Outbound()].write(reply)
    }
  }

  private mutating func register(_ query: Element?, _ ledger: ServerTransaction) throws
    -> StanzaRefusal?
  {
    guard let query, query.first("remove", Namespace.register) == nil else {
      // Only who is signed in can remove the account (XEP-0077 §3.2).
      return .unexpectedRequest
    }
    let form = AccountForm(query)
    return try register(form.name ?? "", form.password ?? "", key: form.key, ledger)
  }

  /// Makes an account.
  /// - Parameter key: the owner's: resets a password, and may be needed for a new account.
  /// - Returns: why there is none.
  private mutating func register(
    _ name: String, _ typed: String, key: String? = nil, _ ledger: ServerTransaction
  ) throws -> StanzaRefusal? {
    guard !name.isEmpty, let password = Passwords.prepared(typed) else { return .notAcceptable }
    guard !name.contains("/"), let address = Address.parse("\(name)@\(domain)"),
      let account = address.local, address == self.address(of: account)
    else { return .jidMalformed }
    guard !isGuide(address) else { return .conflict }
    guard !settings.asksForKey || settings.isOwner(key) else { return .notAllowed }
    if try ledger.accounts.exists(account) {
      guard settings.isOwner(key) else { return .conflict }
      try setPassword(password, of: account, ledger)
      return nil
    }
    guard try ledger.accounts.count() < settings.accountLimit else { return .resourceConstraint }
    let others = try ledger.accounts.names()
    try ledger.accounts.add(account)
    try setPassword(password, of: account, ledger)
    try introduce(account, to: others, ledger)
    return nil
  }

  /// Registers an account on a request over HTTP; `takeVerdict` returns the result.
  mutating func register(_ newcomer: Newcomer, _ ledger: ServerTransaction) throws {
    verdicts[newcomer.id] = .some(
      try register(newcomer.name, newcomer.password, key: newcomer.key, ledger))
  }

  /// Puts a new account, the guide and the accounts there are on each other's contact lists: who
  /// opens two accounts on one machine wants them to talk.
  private mutating func introduce(
    _ account: String, to others: [String], _ ledger: ServerTransaction
  ) throws {
    var contact = StoredContact(guide.address.bare, name: guide.name).with(.both)
    try ledger.rosters.put(contact, of: account)
    // A household, not a public server: with more accounts, few users want all of the others.
    guard settings.introducesAccounts, others.count < 50 else { return }
    for other in others {
      contact = StoredContact(address(of: other)).with(.both)
      try ledger.rosters.put(contact, of: account)
      let own = try ledger.rosters.item(address(of: account), of: other)
      let known = (own ?? StoredContact(address(of: account))).with(.both)
      try ledger.rosters.put(known, of: other)
      try push(known.element, of: other, ledger)
    }
  }

  /// - Parameter password: prepared.
  func setPassword(_ password: String, of account: String, _ ledger: ServerTransaction) throws {
    try ledger.accounts.setKeys(
      passwords.keys(for: password, by: .sha256), of: account, for: "SCRAM-SHA-256")
    try ledger.accounts.setKeys(
      passwords.keys(for: password, by: .sha1), of: account, for: "SCRAM-SHA-1")
    try ledger.tokens.removeAll(of: account)
  }

  /// Removes an account: its clients are sent away, its contacts lose it.
  mutating func removeAccount(_ account: String, _ ledger: ServerTransaction) throws {
    let own = address(of: account)
    for session in sessions(of: account) {
      let connection = session.connection
      try endSession(session.id, ledger)
      if let connection { try end(connection, StreamError(.notAuthorized), ledger) }
    }
    let others = try ledger.accounts.names().filter { $0 != account }
    for other in others {
      guard let item = try ledger.rosters.item(own, of: other) else { continue }
      try ledger.rosters.remove(own, of: other)
      if item.isListed { try push(StoredContact.removal(of: own), of: other, ledger) }
    }
    try ledger.accounts.remove(account)
    try ledger.archives.remove(of: own.description)
    stored[account] = nil
    preferences[account] = nil
    blocked[account] = nil
    try removeFromRooms(own, ledger)
  }
}
