import Crypto
import FoundationEssentials
import XML
import XMPP

/// Messages: to whom they go (RFC 6121 §8.5), and what is kept until they have arrived.
extension Router {
  enum MessageKind: String {
    case normal, chat, groupchat, headline, error
  }

  mutating func receive(
    message received: Element, to recipient: JID?, from sender: ClientSession,
    _ ledger: ServerTransaction
  ) throws {
    var message = received
    // RFC 6121 §5.2.2: a type that is not known is `normal`.
    let kind = message["type"].flatMap { MessageKind(rawValue: $0) } ?? .normal
    // RFC 6120 §10.3.1: a message without an address is for one's own account.
    let to = recipient ?? sender.jid.bare
    message["to"] = to.description
    if isRoom(to), to.local != nil {
      return try receive(roomMessage: message, kind, to: to, from: sender, ledger)
    }
    guard isOurs(to) else { return refuse(message, .remoteServerNotFound, to: sender.id) }
    guard let account = to.local else { return refuse(message, .serviceUnavailable, to: sender.id) }

    // The mark is for the servers; what it says is done here (XEP-0280 §9).
    let copied = isCarbonCopied(message, kind)
    message.removeAll("private", Names.carbons)
    let refusal: StanzaRefusal?
    if isGuide(to) {
      refusal = kind == .groupchat ? .serviceUnavailable : nil
    } else {
      refusal = try deliver(message, kind, to: to, account: account, isCopied: copied, ledger)
    }
    if let refusal { return refuse(message, refusal, to: sender.id) }
    try keep(message, kind, sentBy: sender, to: to, isCopied: copied, ledger)
    if isGuide(to), kind == .chat || kind == .normal {
      try answerAsGuide(message, from: sender, ledger)
    }
  }

  /// Archives what an account's client has sent, and shows it to the account's other clients.
  mutating func keep(
    _ sent: Element, _ kind: MessageKind, sentBy sender: ClientSession, to: JID, isCopied: Bool,
    _ ledger: ServerTransaction
  ) throws {
    // What an account says to itself has arrived, and so it was kept and shown already.
    guard to.bare != sender.jid.bare else { return }
    var message = sent
    if isStored(message, kind) {
      try archive(&message, of: sender.account, with: to, ledger)
    } else {
      message.removeStanzaIDs(by: sender.jid.bare)
    }
    if isCopied { sendCarbons(of: message, "sent", of: sender.account, except: [sender.id]) }
  }

  /// Brings a message to an account of this server.
  /// - Parameters:
  ///   - chosen: the sessions that it is for; `nil`: those that its address says.
  ///   - isCopied: whether the account's other clients get copies.
  /// - Returns: why not, for the sender to know.
  mutating func deliver(
    _ original: Element, _ kind: MessageKind, to: JID, account: String,
    chosen: [ClientSession]? = nil, isCopied: Bool, _ ledger: ServerTransaction
  ) throws -> StanzaRefusal? {
    guard try ledger.accounts.exists(account) else {
      return kind == .error ? nil : .serviceUnavailable
    }
    let sender = original["from"].flatMap { Address.parse($0) } ?? address(of: account)
    if try blocks(account, sender, ledger) {
      return kind == .chat || kind == .normal ? .serviceUnavailable : nil
    }
    let match = session(at: to)
    // RFC 6121 §8.5.2.1.1, §8.5.3.2.1: what to do with each type if no client can take it.
    let takers = chosen ?? match.map { [$0] } ?? sessions(of: account).filter(\.takesMessages)
    switch kind {
    case .groupchat where match == nil: return .serviceUnavailable
    case .error where match == nil: return nil
    case .headline where match == nil && (!to.isBare || takers.isEmpty): return nil
    default: break
    }

    var message = original
    message.removeStanzaIDs(by: address(of: account))
    var row: Int64?
    if isStored(message, kind) {
      let count = try stored[account] ?? ledger.messages.count(of: account)
      // Who is there is working on the heap; who is away only lets it grow.
      guard count < settings.offlineLimit * (takers.isEmpty ? 1 : 10) else {
        return .resourceConstraint
      }
      let text = try archive(&message, of: account, with: sender, ledger)
      row = try ledger.messages.add(text, to: account, at: now())
      stored[account] = count + 1
    } else if takers.isEmpty {
      return nil
    }
    for taker in takers {
      // What is in the store comes in its order; a client that lags behind gets the rest later.
      if let row {
        let isFull = taker.inFlight.count >= Self.window
        if taker.hasBacklog || isFull {
          sessions[taker.id]?.hasBacklog = true
          continue
        }
        send(message, to: taker.id, message: row)
      } else {
        send(message, to: taker.id)
      }
    }
    if isCopied, !takers.isEmpty {
      sendCarbons(of: message, "received", of: account, except: Set(takers.map(\.id)))
    }
    return nil
  }

  /// Returns whether the message must not get lost: a text, or a statement about one, and not a
  /// passing state.
  func isStored(_ message: Element, _ kind: MessageKind) -> Bool {
    guard kind == .chat || kind == .normal else { return false }
    if message.first("no-store", Names.hints) != nil { return false }
    if message.first("no-permanent-store", Names.hints) != nil { return false }
    if message.first("store", Names.hints) != nil { return true }
    // XEP-0160 §3, XEP-0085 §5.7: "is typing" is of no use tomorrow.
    return message.elements.contains {
      ![Names.chatStates, Namespace.stanzaIDs, Names.hints].contains($0.namespace)
        && !$0.is("thread", Namespace.client)
    }
  }

  // MARK: The store

  /// Messages have arrived: their rows go, and the next ones follow.
  mutating func settle(_ messages: [Int64], by id: ConnectionID, _ ledger: ServerTransaction) throws
  {
    for message in messages {
      sessions[id]?.inFlight.remove(message)
      try forget(message, ledger)
    }
    try sendBacklog(to: id, ledger)
  }

  private mutating func forget(_ message: Int64, _ ledger: ServerTransaction) throws {
    guard let account = try ledger.messages.remove(message) else { return }
    if let count = stored[account] { stored[account] = count > 1 ? count - 1 : nil }
  }

  /// Sends the messages that wait in the store, as many as may be on their way.
  mutating func sendBacklog(to id: ConnectionID, _ ledger: ServerTransaction) throws {
    guard let session = sessions[id], session.hasBacklog, session.takesMessages else { return }
    // A page at a time: one row less on its way is no reason to read the store.
    guard session.inFlight.count <= Self.window / 2 else { return }
    let room = Self.window - session.inFlight.count
    let messages = try ledger.messages.oldest(room, of: session.account, except: session.inFlight)
    var size = 0
    for message in messages {
      size += message.stanza.utf8.count
      // Large messages fill the client's queue sooner than many small ones.
      guard size < settings.queueLimit / 4 || size == message.stanza.utf8.count else { break }
      guard let stanza = XMLColumn.parse(message.stanza) else {
        try forget(message.id, ledger)
        continue
      }
      send(delayed(stanza, since: message.arrived), to: id, message: message.id)
    }
    if messages.count < room, size < settings.queueLimit / 4 { sessions[id]?.hasBacklog = false }
  }

  /// A stanza that says when it came, if it does not yet (XEP-0203).
  func delayed(_ stanza: Element, since time: Double) -> Element {
    guard !stanza.isStanza("iq") else { return stanza }
    var stanza = stanza
    let isStamped = stanza.all("delay", Namespace.delay).contains { $0["from"] == domain }
    if !isStamped {
      stanza.append(
        Element(
          "delay", Namespace.delay,
          ["from": domain, "stamp": XEP0082DateTime.text(for: Date(timeIntervalSince1970: time))]))
    }
    return stanza
  }
}
