import Crypto
import Sockets
import XML

/// Sets up a stream, step by step (RFC 6120 §4.3): TLS, authentication, binding, acknowledgements.
///
/// It does no I/O of its own: tests replace the connection by a script.
package struct StreamNegotiator: Sendable {
  let options: StreamOptions
  let crypto: CryptoLibrary
  let exchange: any ElementExchange

  package init(options: StreamOptions, crypto: CryptoLibrary, exchange: any ElementExchange) {
    self.options = options
    self.crypto = crypto
    self.exchange = exchange
  }

  /// Performs all steps up to a bound session.
  /// - Parameter old: The session to resume, if the server still has it.
  func session(resuming old: StreamResumption? = nil) async throws(StreamFailure)
    -> NegotiatedSession
  {
    let (offered, wasSent) = try await secured(resuming: old)
    if let offer = offered.oneStep {
      return try await oneStepSession(offer, resuming: old, wasSent: wasSent)
    }
    // The early authentication has to be answered before anything else.
    if wasSent { _ = try await exchange.next() }
    if options.withdrawsToken { throw .authentication(SASLFailure(.invalidMechanism)) }
    let client = try await authenticate(offered)
    let features = try await exchange.openStream(options)
    return try await session(
      features, resuming: old, by: client, news: wasSent ? .refused : nil)
  }

  /// Performs the steps after authentication: resumes the old session, or binds a new one and
  /// enables acknowledgements.
  func session(
    _ features: StreamFeatures, resuming old: StreamResumption?,
    origin: NegotiatedSession.Origin = .new, by client: SASLClient, news: TokenUpdate?
  ) async throws(StreamFailure) -> NegotiatedSession {
    var origin = origin
    if let old, features.offersStreamManagement {
      origin = try await resume(old)
      if case .resumed = origin {
        // The server's features are not stored from one run of the program to the next.
        let session =
          old.isFromEarlierRun
          ? Session(jid: old.session.jid, features: features, hasStreamManagement: true)
          : old.session
        return NegotiatedSession(
          session: session, resumptionID: old.id, location: old.location, origin: origin,
          authentication: client.authentication, tokenNews: news)
      }
    }
    guard features.offersBind else { throw .protocolViolation(.breach(.noBinding)) }
    let jid = try await bind()
    if features.requiresSession { try await beginSession() }
    let enabled = features.offersStreamManagement ? try await enableManagement() : nil
    return try negotiated(
      jid: jid, features, enabled, origin, hasCarbons: false, by: client, news: news)
  }

  /// - Parameter enabled: The server's `<enabled/>`; `nil` without acknowledgements.
  /// - Throws: `.otherAccount`.
  func negotiated(
    jid: JID, _ features: StreamFeatures, _ enabled: Element?, _ origin: NegotiatedSession.Origin,
    hasCarbons: Bool, by client: SASLClient, news: TokenUpdate?
  ) throws(StreamFailure) -> NegotiatedSession {
    try checkAccount(jid)
    let canResume = ["true", "1"].contains(enabled?["resume"] ?? "")
    return NegotiatedSession(
      session: Session(
        jid: jid, features: features, hasStreamManagement: enabled != nil, hasCarbons: hasCarbons),
      resumptionID: canResume ? enabled?["id"] : nil, location: enabled?["location"],
      origin: origin, authentication: client.authentication, tokenNews: news)
  }

  /// Rejects a session of another account than the requested one: its stanzas would be taken for
  /// this account's (RFC 6120 §7.6).
  /// - Throws: `.otherAccount`.
  func checkAccount(_ jid: JID) throws(StreamFailure) {
    func ascii(_ domain: String) -> String { DomainName.ascii(domain) ?? domain }
    guard jid.local ?? "" == options.user, ascii(jid.domain) == ascii(options.domain) else {
      throw .otherAccount(jid)
    }
  }

  /// Requests the resumption of the old session (XEP-0198 §5).
  private func resume(_ old: StreamResumption) async throws(StreamFailure)
    -> NegotiatedSession.Origin
  {
    try await exchange.write(
      Element(
        "resume", Namespace.streamManagement, ["h": String(old.handled), "previd": old.id]))
    while true {
      let answer = try await answerToResumption()
      guard answer.namespace == Namespace.streamManagement else {
        try await exchange.setAside(answer)
        continue
      }
      guard answer.name == "resumed" else { return NegotiatedSession.Origin(failed: answer) }
      guard let h = answer["h"].flatMap({ UInt32($0) }) else {
        throw .protocolViolation(.breach(.noCount))
      }
      return .resumed(h: h)
    }
  }

  /// Returns the next element. An end of the connection at this point may be the server's reaction
  /// to the old session; a middlebox that closes every connection knows nothing of the session.
  func answerToResumption() async throws(StreamFailure) -> Element {
    do { return try await exchange.next() } catch {
      switch error {
      case .ended, .socket(.closed): throw .resuming(error)
      case .stream(let said) where said.otherHost == nil: throw .resuming(error)
      default: throw error
      }
    }
  }

  /// Returns the registration form of the server (XEP-0077 §3.1).
  package func registration() async throws(StreamFailure) -> XEP0077Registration {
    _ = try await secured()
    if let token = options.invitation {
      _ = try await request(XEP0077Registration.invitation(token))
    }
    // Not every server that supports registration announces it: only a request shows.
    let answer: Element
    do { answer = try await request(XEP0077Registration.question) } catch {
      guard case .registration = error else { throw error }
      throw .registrationNotOffered
    }
    guard
      let form = answer.first("query", Namespace.register).flatMap({ XEP0077Registration($0) })
    else { throw .registrationNotOffered }
    return form
  }

  /// Creates the account: fetches the form and submits it.
  /// - Parameter onSending: Called before the form is submitted.
  package func register(
    answers: [String: [String]], onSending: @Sendable () -> Void = {}
  ) async throws(StreamFailure) {
    guard case .password(let password) = options.secret else {
      throw .internalFailure("an account is made with a password")
    }
    let form = try await registration()
    onSending()
    _ = try await request(
      form.answer(username: options.user, password: password, others: answers))
  }

  // MARK: - TLS (RFC 6120 §5)

  /// Returns the features of the stream once it may carry secrets.
  func secured() async throws(StreamFailure) -> StreamFeatures {
    let features = try await exchange.openStream(options)
    if await exchange.isSecure { return features }
    return try await secured(after: features)
  }

  /// Secures the stream of a session: with a token, the authentication goes out with the header, so
  /// that everything takes a single round trip.
  /// - Returns: The features, and whether the authentication was sent.
  private func secured(resuming old: StreamResumption?) async throws(StreamFailure) -> (
    StreamFeatures, wasSent: Bool
  ) {
    if await exchange.isSecure { return try await openAndAuthenticate(resuming: old) }
    let features = try await exchange.openStream(options)
    if await mayBePlain {
      // Not every server marks TLS as required: some offer no way to sign in before TLS is on.
      let isClosed = features.mechanisms.isEmpty && features.oneStep == nil
      guard !features.requiresTLS, !(isClosed && features.offersStartTLS) else {
        throw .tlsRequired
      }
      return (features, false)
    }
    try await beginTLS(features)
    return try await openAndAuthenticate(resuming: old)
  }

  private func openAndAuthenticate(resuming old: StreamResumption?) async throws(StreamFailure)
    -> (StreamFeatures, wasSent: Bool)
  {
    let early = try await earlyAuthentication(resuming: old)
    return (try await exchange.openStream(options, followedBy: early), early != nil)
  }

  private func secured(after features: StreamFeatures) async throws(StreamFailure)
    -> StreamFeatures
  {
    // Only if the user allowed plain text, and never beyond this machine.
    if await mayBePlain {
      guard !features.requiresTLS else { throw .tlsRequired }
      return features
    }
    try await beginTLS(features)
    return try await exchange.openStream(options)
  }

  private func beginTLS(_ features: StreamFeatures) async throws(StreamFailure) {
    guard features.offersStartTLS else { throw .tlsUnavailable }
    try await exchange.write(Element("starttls", Namespace.tls))
    guard try await exchange.next().is("proceed", Namespace.tls) else { throw .tlsUnavailable }
    try await exchange.startTLS()
    guard await exchange.isSecure else { throw .tlsUnavailable }
  }

  private var mayBePlain: Bool {
    get async { options.allowsPlaintext ? await exchange.isLoopback : false }
  }

  // MARK: - SASL (RFC 6120 §6)

  /// Returns the attempts to make with what the server offers.
  func plan(for announcement: SASLAnnouncement) async -> SASLPlan {
    var isProtected = await exchange.isSecure
    var hasToken = false
    if case .accessToken = options.secret { hasToken = true }
    // A token expires; a password is not shown to whatever listens on a port of this machine.
    if hasToken, !isProtected { isProtected = await mayBePlain }
    return SASLPlan(
      announcement: announcement, bindings: await exchange.channelBindings,
      isProtected: isProtected, hasToken: hasToken, demand: options.demand)
  }

  /// - Returns: The client whose attempt succeeded.
  private func authenticate(_ features: StreamFeatures) async throws(StreamFailure) -> SASLClient {
    let announcement = SASLAnnouncement(
      mechanisms: features.mechanisms, bindings: features.channelBindings)
    return try await plan(for: announcement).carriedOut { attempt throws(StreamFailure) in
      try await authenticate(
        by: SASLClient(attempt, options: options, announcement: announcement, crypto: crypto))
    }
  }

  private func authenticate(by client: SASLClient) async throws(StreamFailure) -> SASLClient {
    var client = client
    try await exchange.write(
      Element(
        "auth", Namespace.sasl, ["mechanism": client.mechanism],
        text: Base64.encode(try client.first())))
    while true {
      let answer = try await exchange.next()
      switch answer.name {
      case "challenge" where answer.namespace == Namespace.sasl:
        let response = try client.answer(Self.bytes(of: answer))
        var element = Element("response", Namespace.sasl)
        if !response.isEmpty { element.children = [.text(Base64.encode(response))] }
        try await exchange.write(element)
      case "success" where answer.namespace == Namespace.sasl:
        try client.finish(Self.bytes(of: answer))
        return client
      case "failure" where answer.namespace == Namespace.sasl:
        throw client.failure(SASLFailure(answer))
      default: throw .protocolViolation(.breach(.unexpectedElement, name: answer.name))
      }
    }
  }

  // MARK: - Binding (RFC 6120 §7)

  private func bind() async throws(StreamFailure) -> JID {
    guard let resource = options.resource else { return try await bind(nil) }
    do { return try await bind(resource) } catch .bind(let error)
      where [.conflict, .badRequest, .jidMalformed, .notAcceptable].contains(error.condition)
    {
      // The resource is taken or rejected: the server may choose any (RFC 6120 §7.7.2).
      return try await bind(nil)
    }
  }

  private func bind(_ resource: String?) async throws(StreamFailure) -> JID {
    var bind = Element("bind", Namespace.bind)
    if let resource { bind.append(Element("resource", Namespace.bind, text: resource)) }
    let answer: Element
    do {
      answer = try await request(Element("iq", Namespace.client, ["type": "set"], [bind]))
    } catch .registration(let error) {
      throw .bind(error)
    }
    guard
      let jid = answer.first("bind", Namespace.bind)?.first("jid", Namespace.bind)
        .flatMap({ JID(parsing: $0.text) }), jid.resource != nil
    else { throw .protocolViolation(.breach(.noAddress)) }
    return jid
  }

  private func beginSession() async throws(StreamFailure) {
    do {
      _ = try await request(
        Element("iq", Namespace.client, ["type": "set"], [Element("session", Namespace.session)]))
    } catch .registration(let error) {
      throw .bind(error)
    }
  }

  /// Enables acknowledgements.
  /// - Returns: The server's `<enabled/>`; `nil` when it refuses.
  func enableManagement() async throws(StreamFailure) -> Element? {
    try await exchange.write(Element("enable", Namespace.streamManagement, ["resume": "true"]))
    while true {
      let answer = try await exchange.next()
      guard answer.namespace == Namespace.streamManagement else {
        // Counting begins with `<enabled/>` (XEP-0198 §4): this stanza came before.
        try await exchange.setAside(answer)
        continue
      }
      return answer.name == "enabled" ? answer : nil
    }
  }

  /// Makes a request before there is a session. Its error is thrown as `.registration`, for the
  /// caller to convert.
  private func request(_ iq: Element) async throws(StreamFailure) -> Element {
    var iq = iq
    let id = randomIdentifier()
    iq["id"] = id
    try await exchange.write(iq)
    while true {
      let answer = try await exchange.next()
      guard answer.is("iq", Namespace.client), answer["id"] == id else {
        try await exchange.setAside(answer)
        continue
      }
      if answer["type"] == "result" { return answer }
      throw .registration(IQ(answer).error ?? StanzaError(.cancel, .undefinedCondition))
    }
  }
}
