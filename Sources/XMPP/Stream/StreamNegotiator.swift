import Crypto

/// Sets up a stream, step by step (RFC 6120 §4.3): TLS, authentication, binding, acknowledgements.
///
/// It does no I/O of its own: tests put a script in place of the connection.
package struct StreamNegotiator: Sendable {
  private let options: StreamOptions
  private let crypto: CryptoLibrary
  private let exchange: any ElementExchange

  package init(options: StreamOptions, crypto: CryptoLibrary, exchange: any ElementExchange) {
    self.options = options
    self.crypto = crypto
    self.exchange = exchange
  }

  /// Everything up to a bound session.
  /// - Parameter old: the session to go on with, where the server still has it.
  func session(resuming old: StreamResumption? = nil) async throws(StreamFailure)
    -> NegotiatedSession
  {
    let offered = try await secured()
    try await authenticate(offered)
    let features = try await exchange.openStream(options)
    var origin = NegotiatedSession.Origin.new
    if let old, features.offersStreamManagement {
      origin = try await resume(old)
      if case .resumed = origin {
        // What the server offers is not kept from one run of the program to the next.
        let session =
          old.isFromEarlierRun
          ? Session(jid: old.session.jid, features: features, hasStreamManagement: true)
          : old.session
        return NegotiatedSession(
          session: session, resumptionID: old.id, location: old.location, origin: origin)
      }
    }
    guard features.offersBind else { throw .protocolViolation("no resource binding") }
    let jid = try await bind()
    if features.requiresSession { try await beginSession() }
    let enabled = features.offersStreamManagement ? try await enableManagement() : nil
    let canResume = ["true", "1"].contains(enabled?["resume"] ?? "")
    return NegotiatedSession(
      session: Session(jid: jid, features: features, hasStreamManagement: enabled != nil),
      resumptionID: canResume ? enabled?["id"] : nil, location: enabled?["location"],
      origin: origin)
  }

  /// Asks for the old session (XEP-0198 §5).
  private func resume(_ old: StreamResumption) async throws(StreamFailure)
    -> NegotiatedSession.Origin
  {
    try await exchange.write(
      Element(
        "resume", Namespace.streamManagement, ["h": String(old.handled), "previd": old.id]))
    while true {
      let answer = try await exchange.next()
      guard answer.namespace == Namespace.streamManagement else {
        await exchange.setAside(answer)
        continue
      }
      let h = answer["h"].flatMap { UInt32($0) }
      guard answer.name == "resumed" else { return h.map { .replaced(h: $0) } ?? .new }
      guard let h else { throw .protocolViolation("a session resumed without a count") }
      return .resumed(h: h)
    }
  }

  /// What the server asks of a newcomer (XEP-0077 §3.1).
  package func registration() async throws(StreamFailure) -> XEP0077Registration {
    _ = try await secured()
    // Not every server that registers announces it: asking is what tells.
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

  /// Makes the account: fetches the form and sends it back filled in.
  package func register(answers: [String: String]) async throws(StreamFailure) {
    let form = try await registration()
    _ = try await request(
      form.answer(username: options.user, password: options.password, others: answers))
  }

  // MARK: - TLS (RFC 6120 §5)

  /// The features of the stream once it may carry secrets.
  private func secured() async throws(StreamFailure) -> StreamFeatures {
    let features = try await exchange.openStream(options)
    if await exchange.isSecure { return features }
    // Without TLS only where the person said so, and never beyond this machine.
    if await mayBePlain, !features.requiresTLS { return features }
    guard features.offersStartTLS else { throw .tlsUnavailable }
    try await exchange.write(Element("starttls", Namespace.tls))
    guard try await exchange.next().is("proceed", Namespace.tls) else { throw .tlsUnavailable }
    try await exchange.startTLS()
    guard await exchange.isSecure else { throw .tlsUnavailable }
    return try await exchange.openStream(options)
  }

  private var mayBePlain: Bool {
    get async { options.allowsPlaintext ? await exchange.isLoopback : false }
  }

  // MARK: - SASL (RFC 6120 §6)

  private func authenticate(_ features: StreamFeatures) async throws(StreamFailure) {
    let isSecure = await exchange.isSecure
    let mayBePlain = await mayBePlain
    let choice = SASLMechanism.choice(
      of: features.mechanisms, isProtected: isSecure || mayBePlain)
    guard !choice.isEmpty else { throw .noUsableMechanism(offered: features.mechanisms) }
    var refusal = SASLFailure(.invalidMechanism)
    for mechanism in choice {
      do {
        try await authenticate(by: mechanism)
        return
      } catch .authentication(let failure)
        where failure.condition == .invalidMechanism
        || failure.condition == .mechanismTooWeak
      {
        // Offered and yet refused: the next one may do. A refused password is not tried again in another way.
        refusal = failure
      }
    }
    throw .authentication(refusal)
  }

  private func authenticate(by mechanism: SASLMechanism) async throws(StreamFailure) {
    guard let hash = mechanism.hash else {
      let message = "\0\(options.user)\0\(options.password)"
      try await exchange.write(auth(mechanism, message))
      let answer = try await exchange.next()
      guard answer.is("success", Namespace.sasl) else { throw failure(answer) }
      return
    }
    do {
      var scram = try SCRAMClient(
        hash, user: options.user, password: options.password, crypto: crypto)
      try await exchange.write(auth(mechanism, scram.first))
      let challenge = try await text(of: exchange.next(), "challenge")
      let final = try scram.final(answering: challenge)
      try await exchange.write(
        Element("response", Namespace.sasl, text: Base64.encode(Array(final.utf8))))
      var answer = try await exchange.next()
      // The server's proof comes with the success, or (RFC 5802 as written) in a challenge before it.
      if answer.is("challenge", Namespace.sasl) {
        try scram.verify(try text(of: answer, "challenge"))
        try await exchange.write(Element("response", Namespace.sasl))
        answer = try await exchange.next()
        guard answer.is("success", Namespace.sasl) else { throw failure(answer) }
        return
      }
      try scram.verify(try text(of: answer, "success"))
    } catch let error as StreamFailure {
      throw error
    } catch let error as SCRAMError {
      throw .scram(error)
    } catch {
      throw .internalFailure("\(error)")
    }
  }

  private func auth(_ mechanism: SASLMechanism, _ message: String) -> Element {
    Element(
      "auth", Namespace.sasl, ["mechanism": mechanism.rawValue],
      text: Base64.encode(Array(message.utf8)))
  }

  private func text(of element: Element, _ name: String) throws(StreamFailure) -> String {
    guard element.is(name, Namespace.sasl) else { throw failure(element) }
    // A single "=" stands for nothing (RFC 6120 §6.4.2).
    guard let bytes = element.text == "=" ? [] : Base64.decode(element.text) else {
      throw .protocolViolation("SASL data that is not base64")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func failure(_ element: Element) -> StreamFailure {
    element.is("failure", Namespace.sasl)
      ? .authentication(SASLFailure(element)) : .protocolViolation("unexpected <\(element.name)/>")
  }

  // MARK: - Binding (RFC 6120 §7)

  private func bind() async throws(StreamFailure) -> JID {
    guard let resource = options.resource else { return try await bind(nil) }
    do { return try await bind(resource) } catch .bind(let error)
      where [.conflict, .badRequest, .jidMalformed, .notAcceptable].contains(error.condition)
    {
      // The name is taken or disliked: any name will do (RFC 6120 §7.7.2).
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
    else { throw .protocolViolation("no address in the answer to binding") }
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

  /// - Returns: the server's `<enabled/>`; `nil` when it refuses.
  private func enableManagement() async throws(StreamFailure) -> Element? {
    try await exchange.write(Element("enable", Namespace.streamManagement, ["resume": "true"]))
    while true {
      let answer = try await exchange.next()
      guard answer.namespace == Namespace.streamManagement else {
        // Counting begins with `<enabled/>` (XEP-0198 §4): this one came before.
        await exchange.setAside(answer)
        continue
      }
      return answer.name == "enabled" ? answer : nil
    }
  }

  /// A question before there is a session. Its error is thrown as `.registration`, for the caller to name.
  private func request(_ iq: Element) async throws(StreamFailure) -> Element {
    var iq = iq
    let id = randomIdentifier()
    iq["id"] = id
    try await exchange.write(iq)
    while true {
      let answer = try await exchange.next()
      guard answer.is("iq", Namespace.client), answer["id"] == id else {
        await exchange.setAside(answer)
        continue
      }
      if answer["type"] == "result" { return answer }
      throw .registration(IQ(answer).error ?? StanzaError(.cancel, .undefinedCondition))
    }
  }
}
