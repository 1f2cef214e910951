import Crypto
import FoundationEssentials
import XML
import XMPP

/// The server as a value: who is connected, and what every event leads to.
///
/// One event after the other goes in, inside one transaction of the ledger; what is to be sent
/// piles up in `outputs` and leaves when the transaction is committed. So nothing is said that a
/// crash could take back, and when a commit fails, the value from before is still there.
struct Router: Sendable {
  let settings: ServerSettings
  let domain: String
  /// The domain of the rooms.
  let roomDomain: String
  let crypto: CryptoLibrary
  let guide: WelcomeBot
  let passwords: Passwords
  let features: ServerFeatures
  let sasl: SASLExchange.Setting
  /// Seconds since 1970.
  let now: @Sendable () -> Double

  private(set) var streams: [ConnectionID: StreamHandler] = [:]
  var sessions: [ConnectionID: ClientSession] = [:]
  /// The session that a connection carries.
  var carried: [ConnectionID: ConnectionID] = [:]
  /// The sessions of each account, by resource.
  var online: [String: [String: ConnectionID]] = [:]
  /// The sessions that can be taken up again, by token.
  var resumable: [String: ConnectionID] = [:]
  /// Sessions that have ended, by token, and their tokens, the oldest first.
  var endedSessions: [String: EndedSession] = [:]
  var endedTokens: [String] = []
  /// The id of the message that was archived last; `nil` until it was asked for.
  var lastArchived: Int64?
  /// The number of messages archived for each owner since the last check of the limit.
  var archivedSince: [String: Int] = [:]
  /// Accounts' rules for their archives, as far as they were asked for.
  var preferences: [String: ArchivePreferences] = [:]
  /// The number of stored messages of each account, as far as it was queried: counting thousands of
  /// rows for each message would cost more than storing it.
  var stored: [String: Int] = [:]
  /// The nodes that clients of these capabilities want to hear of, where their hash proves it.
  var interests: [String: Set<String>] = [:]
  /// The block lists of accounts, as far as they were queried.
  var blocked: [String: Set<JID>] = [:]
  /// The output of connections that is collected for one response that holds all of it.
  var collected: [ConnectionID: [Element]] = [:]
  /// Rooms that were joined or asked about, by name.
  var rooms: [String: Room] = [:]
  /// The output of this step.
  var outputs: [ConnectionID: Outbound] = [:]
  /// Sessions whose connection has closed and that wait to be resumed, until their timeout is
  /// scheduled.
  private var waiting: [ConnectionID: ConnectionID] = [:]
  /// The results of registrations, until they are taken.
  var verdicts: [String: StanzaRefusal?] = [:]
  /// Sessions that were sent stanzas in this step.
  var touched: Set<ConnectionID> = []

  /// The most messages in transfer to one client at a time; more wait in the store.
  static let window = 500
  /// The most stanzas that a client may leave unacknowledged.
  static let unacknowledgedLimit = 5_000
  static let resourceLimit = 50
  /// The number of ended sessions that are remembered.
  static let endedLimit = 1_000

  init(
    settings: ServerSettings, crypto: CryptoLibrary,
    now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 },
    nonce: @escaping @Sendable () -> String = { randomIdentifier() }
  ) throws {
    self.settings = settings
    self.now = now
    domain = settings.domain
    roomDomain = "rooms.\(settings.domain)"
    self.crypto = crypto
    guide = WelcomeBot(domain: settings.domain, texts: settings.texts, program: settings.program)
    passwords = Passwords(crypto: crypto, iterations: settings.iterations)
    var sasl = SASLExchange.Setting(passwords: passwords, nonce: nonce)
    sasl.now = now
    sasl.loginAddress = settings.loginAddress
    self.sasl = sasl
    features = try ServerFeatures(crypto: crypto, version: settings.version)
  }

  /// The number of connections.
  var connectionCount: Int { streams.count }

  /// Takes the output of this step.
  mutating func takeOutputs() -> [ConnectionID: Outbound] {
    defer { outputs = [:] }
    return outputs
  }

  /// Takes the session that began to wait when `connection` closed, and how often it has waited. A
  /// second call returns `nil`.
  mutating func takeWaiting(_ connection: ConnectionID) -> (session: ConnectionID, closures: Int)? {
    guard let id = waiting.removeValue(forKey: connection), let session = sessions[id] else {
      return nil
    }
    return (id, session.closures)
  }

  /// Takes the reason why a registration failed; `nil` if the account was created.
  mutating func takeVerdict(on newcomer: Newcomer) -> StanzaRefusal? {
    verdicts.removeValue(forKey: newcomer.id) ?? .internalServerError
  }

  /// Follows one event.
  mutating func handle(_ event: ServerEvent, _ ledger: ServerTransaction) throws {
    switch event {
    case .opened(let connection): open(connection)
    case .received(let connection, let events):
      for event in events { try receive(event, on: connection, ledger) }
    case .closed(let connection): try connectionClosed(connection, ledger)
    case .written(let connection, let messages):
      try settle(messages, by: carried[connection] ?? connection, ledger)
    case .negotiationTimedOut(let connection):
      if let phase = streams[connection]?.phase, phase != .bound, phase != .ended {
        try end(connection, StreamError(.connectionTimeout), ledger)
      }
    case .overflowed(let connection):
      try end(
        connection, StreamError(.policyViolation, text: "You do not read fast enough."), ledger)
    case .resumptionTimedOut(let id, let closures):
      if let session = sessions[id], session.connection == nil, session.closures == closures {
        try endSession(id, ledger)
      }
    case .newcomer(let newcomer): try register(newcomer, ledger)
    case .shutdown:
      for connection in streams.keys.sorted(by: { $0.number < $1.number }) {
        try end(connection, StreamError(.systemShutdown), ledger)
      }
    }
    try endHoarders(ledger)
    askForAcknowledgements()
  }

  /// Answers an event whose transaction failed: the senders of its stanzas learn that they were not
  /// taken.
  mutating func refuse(_ event: ServerEvent) {
    switch event {
    case .received(let connection, let events):
      guard let id = carried[connection], let session = sessions[id] else {
        // An account that cannot be looked up cannot sign in.
        for step in streams[connection]?.end(StreamError(.internalServerError)) ?? [] {
          writeEnd(step, connection)
        }
        return
      }
      for case .element(var stanza) in events where stanza.isStanza {
        sessions[id]?.management?.countReceived()
        stanza["from"] = session.jid.description
        if let refusal = stanza.refusal(.resourceConstraint) { send(refusal, to: id) }
      }
    case .closed(let connection):
      streams[connection] = nil
      guard let id = carried.removeValue(forKey: connection),
        let session = sessions.removeValue(forKey: id)
      else { return }
      if let resource = session.jid.resource { online[session.account]?[resource] = nil }
      if let token = session.management?.token { resumable[token] = nil }
    default: break
    }
  }

  // MARK: Streams

  private mutating func open(_ connection: ConnectionID) {
    streams[connection] = StreamHandler(
      domain: domain, attemptLimit: settings.attemptLimit, sasl: sasl, capabilities: features.hash,
      stanzaLimit: settings.stanzaLimit)
    if streams.count > settings.connectionLimit {
      let steps = streams[connection]?.end(StreamError(.resourceConstraint)) ?? []
      for step in steps { writeEnd(step, connection) }
    }
  }

  private mutating func receive(
    _ event: StreamEvent, on connection: ConnectionID, _ ledger: ServerTransaction
  ) throws {
    let steps = try streams[connection]?.receive(event, keys: ledger.accounts) ?? []
    for step in steps { try take(step, on: connection, ledger) }
  }

  private mutating func take(
    _ step: StreamStep, on connection: ConnectionID, _ ledger: ServerTransaction
  ) throws {
    switch step {
    case .send(let element): outputs[connection, default: Outbound()].write(element)
    case .restart: outputs[connection, default: Outbound()].restartsParser = true
    case .register(let request): try register(request, on: connection, ledger)
    case .authenticated(let request, let account, let proof):
      try authenticated(request, account: account, proof: proof, on: connection, ledger)
    case .bind(let request, let account):
      try bind(request, account: account, on: connection, ledger)
    case .resume(let element, let account):
      try resume(element, account: account, on: connection, ledger)
    case .manage(let element):
      if let session = carried[connection] { try manage(element, session, ledger) }
    case .stanza(let stanza):
      if let session = carried[connection] { try receive(stanza, from: session, ledger) }
    case .header, .end:
      writeEnd(step, connection)
      if case .end(let error) = step, let session = carried[connection] {
        // A client that said goodbye, or broke the rules, does not come back to this session.
        if error?.condition != .policyViolation || sessions[session]?.management?.token == nil {
          try endSession(session, ledger)
        }
      }
    }
  }

  private mutating func writeEnd(_ step: StreamStep, _ connection: ConnectionID) {
    switch step {
    case .header(let client):
      let recipient = client.map { " to='\($0.bare)'" } ?? ""
      outputs[connection, default: Outbound()].bytes +=
        """
        <?xml version='1.0'?><stream:stream xmlns='\(Namespace.client)' \
        xmlns:stream='\(Namespace.streams)' from='\(domain)'\(recipient) \
        id='\(randomIdentifier())' version='1.0' xml:lang='en'>
        """.utf8
    case .end(let error):
      if let error { outputs[connection, default: Outbound()].write(error.element) }
      outputs[connection, default: Outbound()].bytes += "</stream:stream>".utf8
      outputs[connection, default: Outbound()].ends = true
    default: break
    }
  }

  /// Ends the stream of `connection` from this side.
  mutating func end(_ connection: ConnectionID, _ error: StreamError?, _ ledger: ServerTransaction)
    throws
  {
    for step in streams[connection]?.end(error) ?? [] { try take(step, on: connection, ledger) }
  }

  /// A resource was bound, or a session taken up again.
  mutating func didBind(_ connection: ConnectionID) {
    streams[connection]?.didBind()
    outputs[connection, default: Outbound()].isAuthenticated = true
  }

  private mutating func connectionClosed(_ connection: ConnectionID, _ ledger: ServerTransaction)
    throws
  {
    streams[connection] = nil
    outputs[connection] = nil
    guard let id = carried.removeValue(forKey: connection), let session = sessions[id] else {
      return
    }
    if session.management?.token != nil {
      sessions[id]?.connection = nil
      sessions[id]?.closures += 1
      waiting[connection] = id
    } else {
      try endSession(id, ledger)
    }
  }

  // MARK: Sending

  /// Sends a stanza to a session, or keeps it for the session to be taken up again.
  /// - Parameter message: the row of a stored message.
  mutating func send(_ stanza: Element, to id: ConnectionID, message: Int64? = nil) {
    guard let session = sessions[id] else { return }
    if let message { sessions[id]?.inFlight.insert(message) }
    let isManaged = session.management != nil
    if isManaged { sessions[id]?.management?.append(stanza, message: message, at: now()) }
    touched.insert(id)
    guard let connection = session.connection else { return }
    outputs[connection, default: Outbound()].write(stanza)
    if !isManaged, let message {
      outputs[connection, default: Outbound()].messages.append(message)
    }
  }

  /// Sends a stanza to a client of an occupant; the same to many costs little.
  mutating func send(_ broadcast: Broadcast, to taker: OccupantSession) {
    guard let session = sessions[taker.id] else { return }
    if session.management != nil {
      sessions[taker.id]?.management?.append(
        broadcast.stanza, to: taker.address, message: nil, at: now())
      touched.insert(taker.id)
    }
    guard let connection = session.connection else { return }
    broadcast.write(to: taker.address, into: &outputs[connection, default: Outbound()].bytes)
  }

  /// The sessions of `account`, in the order in which they began.
  func sessions(of account: String) -> [ClientSession] {
    (online[account] ?? [:]).values.compactMap { sessions[$0] }
      .sorted { $0.id.number < $1.id.number }
  }

  /// Those of them that are available (RFC 6121 §4.2).
  func available(_ account: String) -> [ClientSession] {
    sessions(of: account).filter { $0.presence != nil }
  }

  /// The session of exactly this full address.
  func session(at jid: JID) -> ClientSession? {
    guard jid.domain == domain, let local = jid.local, let resource = jid.resource,
      let id = online[local]?[resource]
    else { return nil }
    return sessions[id]
  }

  func address(of account: String) -> JID { JID(local: account, domain: domain) }

  /// Returns whether `jid` is an address of this server: the domain, an account or a resource,
  /// existing or not.
  func isOurs(_ jid: JID) -> Bool { jid.domain == domain }

  func isGuide(_ jid: JID) -> Bool { jid.local == guide.address.local && isOurs(jid) }

  /// Ends sessions that acknowledge nothing: what they hold must not grow without end.
  private mutating func endHoarders(_ ledger: ServerTransaction) throws {
    for id in touched {
      guard let session = sessions[id], let management = session.management,
        management.unacknowledged.count > Self.unacknowledgedLimit
      else { continue }
      if let connection = session.connection {
        try end(connection, StreamError(.policyViolation, text: "You acknowledge nothing."), ledger)
      }
      try endSession(id, ledger)
    }
  }

  // MARK: Stanzas

  private mutating func receive(
    _ received: Element, from id: ConnectionID, _ ledger: ServerTransaction
  ) throws {
    guard let session = sessions[id] else { return }
    sessions[id]?.management?.countReceived()
    var stanza = received
    if let from = stanza["from"] {
      // RFC 6120 §8.1.2.1: a client may only name itself.
      let address = Address.parse(from)
      guard let address, address == session.jid || address == session.jid.bare else {
        if let connection = session.connection {
          try end(connection, StreamError(.invalidFrom), ledger)
        }
        return
      }
    }
    stanza["from"] = session.jid.description
    var recipient: JID?
    if let to = stanza["to"] {
      recipient = Address.parse(to)
      guard recipient != nil else {
        if let refusal = stanza.refusal(.jidMalformed) { send(refusal, to: id) }
        return
      }
    }
    if let recipient, try refuseToBlocked(stanza, to: recipient, session, ledger) { return }
    switch stanza.name {
    case "presence" where recipient.map(isRoom) ?? false:
      if let recipient {
        try receive(roomPresence: stanza, to: recipient, from: session, ledger)
      }
    case "message": try receive(message: stanza, to: recipient, from: session, ledger)
    case "presence": try receive(presence: stanza, to: recipient, from: session, ledger)
    default: try receive(request: stanza, to: recipient, from: session, ledger)
    }
  }

  /// Sends the sender of `stanza` the reason why it went nowhere.
  mutating func refuse(_ stanza: Element, _ reason: StanzaRefusal, to id: ConnectionID) {
    if let refusal = stanza.refusal(reason) { send(refusal, to: id) }
  }
}
