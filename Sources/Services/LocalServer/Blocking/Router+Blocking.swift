import Crypto
import XML
import XMPP

/// The block lists of accounts, and their effects (XEP-0191).
extension Router {
  private static let blockLimit = 1_000

  /// Returns whether `account` has blocked `jid`: this address, its account, its domain (§2.1).
  mutating func blocks(_ account: String, _ jid: JID, _ ledger: ServerTransaction) throws -> Bool {
    let list = try blockedAddresses(of: account, ledger)
    if list.isEmpty { return false }
    let domain = JID(local: nil, domain: jid.domain)
    return list.contains(jid) || list.contains(jid.bare) || list.contains(domain)
      || list.contains(JID(local: nil, domain: jid.domain, resource: jid.resource))
  }

  private mutating func blockedAddresses(
    of account: String, _ ledger: ServerTransaction
  ) throws -> Set<JID> {
    if let known = blocked[account] { return known }
    let kept = try ledger.blocks.addresses(of: account)
    blocked[account] = kept
    return kept
  }

  /// Answers requests about the list (§3.2-3.6).
  mutating func answerBlocking(
    _ payload: Element, isSet: Bool, _ session: ClientSession, _ ledger: ServerTransaction
  ) throws -> IQReply {
    let account = session.account
    let list = try blockedAddresses(of: account, ledger)
    if !isSet {
      guard payload.name == "blocklist" else { return .refused(.badRequest) }
      sessions[session.id]?.seesBlocking = true
      return .result(
        Element(
          "blocklist", Names.blocking, [:],
          list.map(\.description).sorted().map { Element("item", Names.blocking, ["jid": $0]) }))
    }
    var addresses: [JID] = []
    for item in payload.all("item", Names.blocking) {
      guard let jid = item["jid"].flatMap({ Address.parse($0) }) else {
        return .refused(.jidMalformed)
      }
      addresses.append(jid)
    }
    switch payload.name {
    case "block":
      guard !addresses.isEmpty else { return .refused(.badRequest) }
      guard list.count + addresses.count <= Self.blockLimit else {
        return .refused(.resourceConstraint)
      }
      for jid in addresses where !list.contains(jid) {
        // §3.3: who is blocked sees the account go.
        if try ledger.rosters.item(jid.bare, of: account)?.subscription.from ?? false {
          sendAbsence(of: account, to: jid.bare)
        }
        try ledger.blocks.add(jid, of: account)
        blocked[account, default: []].insert(jid)
      }
    case "unblock":
      for jid in addresses.isEmpty ? Array(list) : addresses where list.contains(jid) {
        try ledger.blocks.remove(jid, of: account)
        blocked[account, default: []].remove(jid)
        if try ledger.rosters.item(jid.bare, of: account)?.subscription.from ?? false {
          try show(account, to: jid.bare, ledger)
        }
      }
    default: return .refused(.badRequest)
    }
    for other in sessions(of: account) where other.seesBlocking {
      send(
        Element(
          "iq", Namespace.client,
          [
            "type": "set", "id": "block-" + randomIdentifier(byteCount: 6),
            "to": other.jid.description, "from": other.jid.bare.description,
          ], [payload]), to: other.id)
    }
    return .result()
  }

  /// Refuses what a client sends to an address that its account has blocked (§3.3).
  /// - Returns: whether it was that.
  mutating func refuseToBlocked(
    _ stanza: Element, to recipient: JID, _ session: ClientSession, _ ledger: ServerTransaction
  ) throws -> Bool {
    guard recipient.bare != session.jid.bare, try blocks(session.account, recipient, ledger) else {
      return false
    }
    switch (stanza.name, stanza["type"]) {
    // Going is always possible, and so are answers.
    case ("presence", "unavailable"), ("presence", "unsubscribe"), ("presence", "unsubscribed"),
      ("iq", "result"), ("iq", "error"), (_, "error"):
      return false
    default:
      if let refusal = stanza.refusal(.notAcceptable, Element("blocked", Names.blockingErrors)) {
        send(refusal, to: session.id)
      }
      return true
    }
  }
}
