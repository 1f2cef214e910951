import Crypto
import XML
import XMPP

/// A source of the accounts' keys: the store, or a table in tests.
protocol KeyReading {
  /// - Parameter mechanism: `SCRAM-SHA-256` or `SCRAM-SHA-1`.
  func keys(of name: String, for mechanism: String) throws -> StoredKeys?
  /// The key from which challenges for unknown accounts are derived.
  func decoyKey() throws -> [UInt8]
  /// The account whose access token has this hash, or `nil` if there is none or it has expired.
  /// - Parameter time: seconds since 1970.
  func account(holding hash: [UInt8], at time: Double) throws -> String?
  /// The token with which a client of an account signs in again (XEP-0484).
  func returning(of account: String, client: String) throws -> TokenStore.Returning?
}

/// Defaults for a source without tokens.
extension KeyReading {
  func account(holding hash: [UInt8], at time: Double) -> String? { nil }
  func returning(of account: String, client: String) -> TokenStore.Returning? { nil }
}

extension AccountStore: KeyReading {
  func account(holding hash: [UInt8], at time: Double) throws -> String? {
    try TokenStore(database: database).holder(of: hash, .access, at: time)?.account
  }

  func returning(of account: String, client: String) throws -> TokenStore.Returning? {
    try TokenStore(database: database).returning(of: account, client: client)
  }
}

/// An action of the server on a stream.
enum StreamStep: Equatable {
  case send(Element)
  /// The server's stream header; `to` is the address that the client gave.
  case header(to: JID?)
  /// The parser restarts, because the stream of a signed-in client follows.
  case restart
  /// An IQ request of `jabber:iq:register` before the client has signed in.
  case register(Element)
  /// Signed in by `<authenticate/>` (XEP-0388), with the server's proof. The router still has to
  /// handle the requests inside the element.
  case authenticated(Element, account: String, proof: String)
  case bind(Element, account: String)
  /// `<resume/>` of a signed-in client without a resource.
  case resume(Element, account: String)
  /// `<enable/>`, `<r/>`, `<a/>` of a bound client.
  case manage(Element)
  case stanza(Element)
  /// The end of the stream: by an error, or `nil` when the client ended it.
  case end(StreamError?)
}

/// The state machine of one connection, from its first byte to a bound resource (RFC 6120 §4-7). It
/// works on parsed events, not on bytes.
struct StreamHandler: Sendable {
  enum Phase: Equatable, Sendable {
    /// No stream header has arrived.
    case opening
    /// The features are sent; the client signs in or registers.
    case authenticating
    /// Signed in; the header of the new stream has not arrived.
    case reopening
    /// Signed in, no resource bound.
    case binding
    case bound
    case ended
  }

  private(set) var phase = Phase.opening
  private(set) var account: String?
  let domain: String
  private let attemptLimit: Int
  let sasl: SASLExchange.Setting
  var exchange: SASLExchange?
  /// The `<authenticate/>` request in progress.
  var request: Element?
  private var failures = 0
  private var refusals = 0
  /// The hash of the server's capabilities (XEP-0115 §6.3).
  private let capabilities: String
  /// The largest stanza in bytes, announced to clients (XEP-0478).
  private let stanzaLimit: Int

  init(
    domain: String, attemptLimit: Int, sasl: SASLExchange.Setting, capabilities: String,
    stanzaLimit: Int
  ) {
    self.domain = domain
    self.attemptLimit = attemptLimit
    self.sasl = sasl
    self.capabilities = capabilities
    self.stanzaLimit = stanzaLimit
  }

  /// Returns the actions that `event` causes.
  mutating func receive(_ event: StreamEvent, keys: some KeyReading) throws -> [StreamStep] {
    switch event {
    case .header(let header, let namespace): return open(header, defaultNamespace: namespace)
    case .element(let element): return try receive(element, keys: keys)
    case .end: return end(nil)
    case .failure(let error): return end(error)
    }
  }

  /// Records that a resource was bound or a session resumed: stanzas are accepted from now on.
  mutating func didBind() { phase = .bound }

  /// Ends the stream, and sends a stream header first if none was sent.
  mutating func end(_ error: StreamError?) -> [StreamStep] {
    guard phase != .ended else { return [] }
    let needsHeader = phase == .opening || phase == .reopening
    phase = .ended
    return (needsHeader ? [.header(to: nil)] : []) + [.end(error)]
  }

  // MARK: Header

  private mutating func open(_ header: Element, defaultNamespace: String) -> [StreamStep] {
    guard phase == .opening || phase == .reopening else { return end(StreamError(.badFormat)) }
    if let error = fault(of: header, defaultNamespace) { return end(error) }
    let client = header["from"].flatMap { Address.parse($0) }?.bare
    if phase == .opening {
      phase = .authenticating
      return [.header(to: client), .send(signInFeatures)]
    }
    phase = .binding
    return [.header(to: client), .send(sessionFeatures)]
  }

  private func fault(of header: Element, _ defaultNamespace: String) -> StreamError? {
    guard header.is("stream", Namespace.streams) else {
      return StreamError(header.name == "stream" ? .invalidNamespace : .badFormat)
    }
    guard defaultNamespace == Namespace.client else { return StreamError(.invalidNamespace) }
    // A header without a version belongs to the protocol before RFC 3920, which has no features
    // (RFC 6120 §4.7.5).
    guard let version = header["version"], let major = Int(version.prefix { $0 != "." }), major >= 1
    else { return StreamError(.unsupportedVersion) }
    if let to = header["to"], Address.parse(to) != JID(local: nil, domain: domain) {
      return StreamError(.hostUnknown)
    }
    return nil
  }

  private var signInFeatures: Element {
    Element(
      "features", Namespace.streams, [:],
      [
        Element(
          "mechanisms", Namespace.sasl, [:],
          SASLExchange.mechanisms.map { Element("mechanism", Namespace.sasl, text: $0) }),
        Self.oneStepFeature,
        Element("register", Namespace.registerFeature),
        capabilitiesFeature,
      ])
  }

  var sessionFeatures: Element {
    Element(
      "features", Namespace.streams, [:],
      [
        Element("bind", Namespace.bind),
        Element("session", Namespace.session, [:], [Element("optional", Namespace.session)]),
        Element("sm", Namespace.streamManagement),
        Element("ver", Namespace.rosterVersioning),
        Element(
          "limits", Namespace.streamLimits, [:],
          [Element("max-bytes", Namespace.streamLimits, text: String(stanzaLimit))]),
        capabilitiesFeature,
      ])
  }

  private var capabilitiesFeature: Element {
    Element(
      "c", Namespace.capabilities,
      ["hash": "sha-1", "node": Names.capabilitiesNode, "ver": capabilities])
  }

  // MARK: Elements

  private mutating func receive(_ element: Element, keys: some KeyReading) throws -> [StreamStep] {
    switch phase {
    case .opening, .reopening: return end(StreamError(.badFormat))
    case .authenticating: return try signIn(element, keys: keys)
    case .binding: return bind(element)
    case .bound:
      if element.isStanza { return [.stanza(element)] }
      if element.namespace == Namespace.streamManagement { return [.manage(element)] }
      // The client reports a stream error of this server, so the stream can only end.
      if element.is("error", Namespace.streams) { return end(nil) }
      return end(StreamError(.unsupportedStanzaType))
    case .ended: return []
    }
  }

  private mutating func signIn(_ element: Element, keys: some KeyReading) throws -> [StreamStep] {
    if element.namespace == Namespace.sasl { return try authenticate(element, keys: keys) }
    if element.namespace == Namespace.sasl2 { return try oneStep(element, keys: keys) }
    if element.isStanza("iq"), element.first("query", Namespace.register) != nil,
      element["type"] == "get" || element["type"] == "set"
    {
      refusals += 1
      guard refusals <= attemptLimit * 4 else { return end(StreamError(.policyViolation)) }
      return [.register(element)]
    }
    return end(StreamError(.notAuthorized))
  }

  private mutating func authenticate(
    _ element: Element, keys: some KeyReading
  ) throws -> [StreamStep] {
    let outcome: SASLExchange.Outcome
    switch element.name {
    case "auth":
      var exchange = SASLExchange(mechanism: element["mechanism"] ?? "", domain: domain, sasl)
      outcome = try exchange.begin(element.text, keys: keys)
      self.exchange = exchange
    case "response":
      outcome = try exchange?.respond(element.text, keys: keys) ?? .failure(.malformedRequest)
    case "abort": outcome = .failure(.aborted)
    default: return end(StreamError(.unsupportedStanzaType))
    }
    switch outcome {
    case .challenge(let text):
      return [.send(Element("challenge", Namespace.sasl, text: text))]
    case .success(let account, let text):
      exchange = nil
      self.account = account
      phase = .reopening
      let success = Element(
        "success", Namespace.sasl, children: text.isEmpty ? [] : [.text(text)])
      return [.send(success), .restart]
    case .failure(let failure):
      exchange = nil
      return refuse(
        Element("failure", Namespace.sasl, [:], [Element(failure.rawValue, Namespace.sasl)]))
    }
  }

  /// Sends a failure. RFC 6120 §6.4.5 asks for two to five attempts before the stream ends.
  mutating func refuse(_ failure: Element) -> [StreamStep] {
    failures += 1
    return [.send(failure)]
      + (failures >= attemptLimit ? end(StreamError(.policyViolation)) : [])
  }

  /// Records a sign-in that needs no new stream (XEP-0388 §2.6.2).
  mutating func didSignIn(_ account: String) {
    self.account = account
    phase = .binding
  }

  private mutating func bind(_ element: Element) -> [StreamStep] {
    guard let account else { return end(StreamError(.notAuthorized)) }
    if element.isStanza("iq"), element["type"] == "set",
      element.first("bind", Namespace.bind) != nil
    {
      return [.bind(element, account: account)]
    }
    if element.is("resume", Namespace.streamManagement) {
      return [.resume(element, account: account)]
    }
    if element.namespace == Namespace.streamManagement {
      return [.send(Acknowledgements.failure("unexpected-request"))]
    }
    return end(StreamError(.notAuthorized))
  }
}

extension Acknowledgements {
  /// `<failed/>` (XEP-0198 §3, §5).
  static func failure(_ condition: String, received: UInt32? = nil) -> Element {
    var element = Element(
      "failed", Namespace.streamManagement, [:], [Element(condition, Namespace.stanzaErrors)])
    element["h"] = received.map(String.init)
    return element
  }
}
