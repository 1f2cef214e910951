import Crypto
import Sockets
import XML

/// Authentication combined with the following steps (XEP-0388): binding (XEP-0386),
/// acknowledgements and resumption (XEP-0198), carbon copies (XEP-0280), and a token for the next
/// sign-in (XEP-0484).
extension StreamNegotiator {
  /// Signs in and resumes or binds a session.
  /// - Parameter wasSent: `true` if `<authenticate/>` with the token of `options` was already sent.
  func oneStepSession(
    _ offer: XEP0388Offer, resuming old: StreamResumption?, wasSent: Bool
  ) async throws(StreamFailure) -> NegotiatedSession {
    var news: TokenUpdate?
    if let token = await usableToken(of: offer) {
      do {
        return try await oneStep(SASLClient(token), offer, old, wasSent: wasSent, news: nil)
      } catch .authentication(let failure) {
        // To withdraw the token, signing in in another way is no use.
        if options.withdrawsToken { throw .authentication(failure) }
        // Expired or withdrawn: sign in with what the user entered.
        news = .refused
      }
    } else if options.token != nil, wasSent {
      // The token was sent to a server that no longer supports it and answers with a failure.
      guard try await exchange.next().is("failure", Namespace.sasl2) else {
        throw .protocolViolation(.breach(.tokenNotOffered))
      }
      news = .refused
    }
    if options.withdrawsToken { throw .authentication(SASLFailure(.invalidMechanism)) }
    let announcement = SASLAnnouncement(
      mechanisms: offer.mechanisms, bindings: offer.channelBindings)
    let knownNews = news
    return try await plan(for: announcement).carriedOut { attempt throws(StreamFailure) in
      try await oneStep(
        SASLClient(attempt, options: options, announcement: announcement, crypto: crypto), offer,
        old, wasSent: false, news: knownNews)
    }
  }

  /// Returns what can be sent with the stream's header, before the server has answered: signing in
  /// with a token, with the mechanisms of the last time.
  func earlyAuthentication(resuming old: StreamResumption?) async throws(StreamFailure) -> Element?
  {
    guard let token = options.token, options.userAgent?.id == token.clientID else { return nil }
    guard let hashed = await usableToken(of: token.offer) else { return nil }
    return try await authenticate(SASLClient(hashed), token.offer, old)
  }

  private func usableToken(of offer: XEP0388Offer) async -> HashedToken? {
    guard let token = options.token, options.userAgent?.id == token.clientID,
      offer.tokenMechanisms.contains(token.mechanism), isStrongEnough(token)
    else { return nil }
    return HashedToken(
      token, user: options.user, exporter: await exporter, crypto: crypto)
  }

  /// Returns whether `token` protects as well as the sign-in with the password that it replaces: a
  /// token without channel binding would undo that of the password. To withdraw it, any will do.
  private func isStrongEnough(_ token: XEP0484Token) -> Bool {
    HashedToken.bindsChannel(token.mechanism) || options.demand.last?.strength != .boundProof
      || options.demand.acceptsWeaker || options.withdrawsToken
  }

  private var exporter: [UInt8]? {
    get async { await exchange.channelBindings.first { $0.kind == .exporter }?.data }
  }

  /// Returns the mechanism to request a token for after signing in by `client`; `nil` when none is
  /// wanted or offered.
  private func wantedToken(of offer: XEP0388Offer, after client: SASLClient) async -> String? {
    guard options.userAgent != nil else { return nil }
    // Some servers offer mechanisms with channel binding and cannot do it: such a token is only
    // requested from a server that announces its bindings.
    let isTaken =
      offer.channelBindings?.contains(ChannelBinding.BindingType.exporter.rawValue) == true
    let exporter = isTaken ? await exporter : nil
    return HashedToken.known(exporter: exporter).first {
      offer.tokenMechanisms.contains($0)
        && (HashedToken.bindsChannel($0) || client.proof?.strength != .boundProof)
    }
  }

  // MARK: - One attempt

  private func authenticate(
    _ client: SASLClient, _ offer: XEP0388Offer, _ old: StreamResumption?
  ) async throws(StreamFailure) -> Element {
    var step = Element(
      "authenticate", Namespace.sasl2, ["mechanism": client.mechanism],
      [
        Element(
          "initial-response", Namespace.sasl2, text: Base64.encode(try client.first()))
      ])
    if let agent = options.userAgent { step.append(agent.element) }
    if let old, offer.offersResumption {
      step.append(
        Element(
          "resume", Namespace.streamManagement, ["h": String(old.handled), "previd": old.id]))
    }
    if options.withdrawsToken {
      step.append(
        Element("fast", Namespace.reconnectionToken, ["invalidate": "true"]))
      return step
    }
    // A client that wants a certain resource and has no id has to bind in the old way.
    if offer.offersBind, options.userAgent != nil || options.resource == nil {
      step.append(bind(offer))
    }
    if client.mechanism == options.token?.mechanism {
      step.append(Element("fast", Namespace.reconnectionToken))
    } else if let mechanism = await wantedToken(of: offer, after: client) {
      step.append(
        Element("request-token", Namespace.reconnectionToken, ["mechanism": mechanism]))
    }
    return step
  }

  private func bind(_ offer: XEP0388Offer) -> Element {
    var bind = Element("bind", Namespace.bind2)
    bind.append(Element("tag", Namespace.bind2, text: options.userAgent?.software ?? "Natter"))
    if offer.bindFeatures.contains(Namespace.carbons) {
      bind.append(Element("enable", Namespace.carbons))
    }
    if offer.bindFeatures.contains(Namespace.streamManagement) {
      bind.append(Element("enable", Namespace.streamManagement, ["resume": "true"]))
    }
    return bind
  }

  private func oneStep(
    _ client: SASLClient, _ offer: XEP0388Offer, _ old: StreamResumption?, wasSent: Bool,
    news: TokenUpdate?
  ) async throws(StreamFailure) -> NegotiatedSession {
    var client = client
    if !wasSent { try await exchange.write(authenticate(client, offer, old)) }
    while true {
      let asksForOld = old != nil && offer.offersResumption
      let answer = try await asksForOld ? answerToResumption() : exchange.next()
      switch answer.name {
      case "challenge" where answer.namespace == Namespace.sasl2:
        let response = try client.answer(Self.bytes(of: answer))
        try await exchange.write(
          Element("response", Namespace.sasl2, text: Base64.encode(response)))
      case "success" where answer.namespace == Namespace.sasl2:
        try client.finish(
          answer.first("additional-data", Namespace.sasl2).map(Self.bytes(of:)))
        return try await session(answer, client, offer, old, news: news)
      case "failure" where answer.namespace == Namespace.sasl2:
        throw client.failure(SASLFailure(answer))
      case "continue" where answer.namespace == Namespace.sasl2:
        try await exchange.write(Element("abort", Namespace.sasl2))
        throw .protocolViolation(.breach(.unknownStep))
      default: throw .protocolViolation(.breach(.unexpectedElement, name: answer.name))
      }
    }
  }

  static func bytes(of element: Element) throws(StreamFailure) -> [UInt8] {
    // A single "=" encodes empty data (RFC 6120 §6.4.2).
    guard let bytes = element.text == "=" ? [] : Base64.decode(element.text) else {
      throw .protocolViolation(.breach(.notBase64))
    }
    return bytes
  }

  // MARK: - Result

  private func session(
    _ success: Element, _ client: SASLClient, _ offer: XEP0388Offer, _ old: StreamResumption?,
    news: TokenUpdate?
  ) async throws(StreamFailure) -> NegotiatedSession {
    var news = news
    switch AddressAttribute(success.first("authorization-identifier", Namespace.sasl2)?.text) {
    case .address(let named): try checkAccount(named)
    case .unreadable: throw .protocolViolation(.breach(.noAddress))
    // Binding or the resumed session reports it.
    case .absent: break
    }
    if let given = await token(in: success, client, offer) { news = .given(given) }
    var origin = NegotiatedSession.Origin.new
    let hasTriedToResume = old != nil && offer.offersResumption
    if let old, hasTriedToResume {
      if let answer = success.first("resumed", Namespace.streamManagement) {
        guard let h = answer["h"].flatMap({ UInt32($0) }) else {
          throw .protocolViolation(.breach(.noCount))
        }
        return try await resumed(old, h: h, client, news)
      }
      origin = NegotiatedSession.Origin(
        failed: success.first("failed", Namespace.streamManagement))
    }
    guard let bound = success.first("bound", Namespace.bind2) else {
      let features = try await features()
      return try await session(
        features, resuming: hasTriedToResume ? nil : old, origin: origin, by: client, news: news)
    }
    guard
      let jid = success.first("authorization-identifier", Namespace.sasl2)
        .flatMap({ JID(parsing: $0.text) }), jid.resource != nil
    else { throw .protocolViolation(.breach(.noAddress)) }
    let features = try await features()
    var enabled = bound.first("enabled", Namespace.streamManagement)
    if enabled == nil, bound.first("failed", Namespace.streamManagement) == nil,
      features.offersStreamManagement
    {
      enabled = try await enableManagement()
    }
    return try negotiated(
      jid: jid, features, enabled, origin,
      hasCarbons: bound.first("enabled", Namespace.carbons) != nil, by: client, news: news)
  }

  private func resumed(
    _ old: StreamResumption, h: UInt32, _ client: SASLClient, _ news: TokenUpdate?
  ) async throws(StreamFailure) -> NegotiatedSession {
    // The server's features are not stored from one run of the program to the next.
    let session =
      old.isFromEarlierRun
      ? Session(jid: old.session.jid, features: try await features(), hasStreamManagement: true)
      : old.session
    return NegotiatedSession(
      session: session, resumptionID: old.id, location: old.location, origin: .resumed(h: h),
      authentication: client.authentication, tokenNews: news)
  }

  private func token(in success: Element, _ client: SASLClient, _ offer: XEP0388Offer) async
    -> XEP0484Token?
  {
    guard let given = success.first("token", Namespace.reconnectionToken),
      let text = given["token"], !text.isEmpty, let agent = options.userAgent
    else { return nil }
    // A token that replaces another is for the same mechanism (XEP-0484 §3.4).
    let wanted = await wantedToken(of: offer, after: client)
    guard
      let mechanism = offer.tokenMechanisms.contains(client.mechanism) ? client.mechanism : wanted
    else { return nil }
    return XEP0484Token(
      mechanism: mechanism, token: text,
      expiry: given["expiry"].flatMap { XEP0082DateTime.date(from: $0) }, clientID: agent.id,
      offer: offer)
  }

  /// Returns the features after authentication. Elements before them belong to the session and are
  /// put back for it.
  private func features() async throws(StreamFailure) -> StreamFeatures {
    var early = EarlyElements()
    while true {
      let element = try await exchange.next()
      guard element.is("features", Namespace.streams) else {
        try early.append(element)
        continue
      }
      if !early.elements.isEmpty { await exchange.putBack(early.elements) }
      return StreamFeatures(element)
    }
  }
}
