import Crypto
import Diagnostics
import NatterCore
import Sockets
import Synchronization
import XMPP

/// The connector to real servers: looks up the endpoints, tries them in order, and sets the stream
/// up (flows.md, "Sign-in").
package struct StreamConnector: StreamConnecting, SessionProbing {
  let crypto: CryptoLibrary
  private let resolver: Resolver
  private let log: Log
  /// The time limit of one endpoint, from the first packet to the bound session.
  private let limit: Duration
  /// The time that all endpoints together may stay silent: with the look-up, an alert appears
  /// within 15 s (interface.md, "Alert").
  private let patience: Duration
  /// The time limit of looking endpoints up.
  static let lookUpLimit = Duration.seconds(3)
  private let language: String
  private let userAgent: @Sendable (JID) async -> XEP0388UserAgent?
  private let history: SignInHistory
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - memory: stores how accounts were signed in to; `nil`: nothing is stored.
  ///   - userAgent: the client's identification for the server of an account, the same in each run.
  package init(
    crypto: CryptoLibrary, resolver: Resolver, log: Log, language: String = "en",
    limit: Duration = .seconds(30), patience: Duration = .seconds(12),
    memory: (any SignInRemembering)? = nil,
    userAgent: @escaping @Sendable (JID) async -> XEP0388UserAgent? = { _ in nil },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.crypto = crypto
    self.resolver = resolver
    self.log = log
    self.language = language
    self.limit = limit
    self.patience = patience
    self.userAgent = userAgent
    history = SignInHistory(memory, log: log)
    self.sleep = sleep
  }

  package func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    try await connect(
      account, options(account, credential, resource), resuming: nil, progress: progress)
  }

  package func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    resuming old: StreamResumption?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    let options = options(
      account, credential, resource, userAgent: await userAgent(account.jid))
    do {
      return try await connect(account, options, resuming: old, progress: progress)
    } catch let problem as ConnectionProblem
      where options.token != nil && [.mechanismTooWeak, .signInWeakened].contains(problem.kind)
    {
      // Prosody accepts only tokens on a connection on which a token was tried.
      var credential = credential
      credential.returning = nil
      return try await connect(
        account, self.options(account, credential, resource, userAgent: options.userAgent),
        resuming: old, progress: progress)
    }
  }

  private func connect(
    _ account: Account, _ options: StreamOptions, resuming old: StreamResumption?,
    isAsked: Bool = false, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    var options = options
    options.demand = try await history.demand(of: account, isAsked: isAsked)
    let asked = options
    let stream = try await onEachEndpoint(of: account, progress) { transport, upgrade in
      progress(.authenticating)
      return try await XMPPStream.open(
        over: transport, options: asked, crypto: crypto, startTLS: upgrade, resuming: old)
    }
    await history.note(stream.proof, of: account, after: options.demand)
    return stream
  }

  package func signInOffer(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> SignInOffer {
    let demand = try await history.demand(of: account)
    let offered = try await offer(of: account, progress: progress).mechanisms
    return SignInOffer(
      takesTokens: SASLMechanism.known(in: offered).contains(where: \.takesToken),
      // Also with a hash that is unknown here: a server that protects the password is no reason to
      // reveal it to another one.
      hidesPassword: offered.contains { $0.uppercased().hasPrefix("SCRAM-") },
      hasHiddenPassword: !demand.acceptsWeaker
        && demand.last.map { $0.strength > .password } ?? false)
  }

  package func verify(
    _ account: Account, _ credential: Credential,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    let stream = try await connect(
      account, options(account, credential, nil), resuming: nil, isAsked: true, progress: progress)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await stream.run() }
      await stream.close()
    }
  }

  /// Makes the server invalidate the FAST token of this client (XEP-0484 §3.5), over a separate
  /// connection.
  /// - Throws: `ConnectionProblem` when the server cannot be reached, or does not know the token.
  package func withdraw(_ token: XEP0484Token, of account: Account) async throws {
    // Only the token: it authenticates the request.
    var options = options(
      account, Credential(.password(""), returning: token), nil,
      userAgent: await userAgent(account.jid))
    guard options.token != nil else { return }
    options.withdrawsToken = true
    let stream = try await connect(account, options, resuming: nil, progress: { _ in })
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await stream.run() }
      await stream.close()
    }
  }

  package func registrationForm(for account: Account) async throws -> RegistrationForm {
    let credential = Credential(password: "")
    let asked = try await onEachEndpoint(of: account, { _ in }) { transport, upgrade in
      try await XMPPStream.registration(
        over: transport, options: options(account, credential, nil), crypto: crypto,
        startTLS: upgrade)
    }
    return RegistrationForm(asked)
  }

  package func register(_ account: Account, _ credential: Credential, answers: [String: [String]])
    async throws
  {
    // Once the answers are sent, no other endpoint is tried: it would report the name as taken.
    let isSent = Mutex(false)
    try await onEachEndpoint(
      of: account, { _ in }, isFinal: { isSent.withLock { $0 } }
    ) { transport, upgrade in
      try await XMPPStream.register(
        over: transport, options: options(account, credential, nil), answers: answers,
        crypto: crypto, onSending: { isSent.withLock { $0 = true } }, startTLS: upgrade)
    }
  }

  /// Returns the possible endpoints of the account's server, in the order in which they are tried.
  /// - Throws: `ConnectionProblem`.
  package func endpoints(of account: Account) async throws -> [Endpoint] {
    do {
      return try await resolver.endpoints(
        for: account.jid.domain, server: account.server, port: account.port,
        security: ConnectionSecurity(account.security), limit: Self.lookUpLimit)
    } catch {
      try Task.checkCancellation()
      var problem = ConnectionProblem(.socket(error), host: account.jid.domain)
      problem.isServerNamed = account.server != nil
      throw problem
    }
  }

  // MARK: - One after the other

  typealias Upgrade =
    @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream

  /// Runs `use` on a connection to the first endpoint that can be reached.
  /// - Parameter isFinal: returns `true` if no other endpoint is to be tried after this one.
  /// - Throws: `ConnectionProblem`: of the endpoint that came furthest, or at once if no other
  ///   endpoint would change it.
  func onEachEndpoint<Result: Sendable>(
    of account: Account, _ progress: @escaping @Sendable (SignInProgress) -> Void,
    isFinal: @Sendable () -> Bool = { false },
    _ use: @escaping @Sendable (any ByteStream, @escaping Upgrade) async throws -> Result
  ) async throws -> Result {
    let domain = account.jid.domain
    if account.server == nil { progress(.lookingUp(domain: domain)) }
    let endpoints = try await endpoints(of: account)
    // Each endpoint may stay silent for its share: the last of many is still tried before the user
    // sees that there is no answer.
    let silence = max(patience / endpoints.count, .seconds(1))
    var worst: ConnectionProblem?
    var rest = endpoints[...]
    var detours = Self.detourLimit
    while let endpoint = rest.popFirst() {
      try Task.checkCancellation()
      progress(.connecting(host: endpoint.host))
      let activity = StreamActivity()
      do {
        return try await limited(silence, activity) {
          try await attempt(endpoint, account, limit: silence, activity, use)
        }
      } catch let failure as StreamFailure {
        try Task.checkCancellation()
        // Before TLS anyone on the path could have sent it; without TLS at all, the path is this
        // machine.
        if activity.isSecure || account.security == .off,
          let other = Self.elsewhere(failure, from: endpoint), detours > 0, !isFinal()
        {
          log.info("\(endpoint.host):\(endpoint.port) says to go to \(other.host):\(other.port)")
          detours -= 1
          rest = [other] + rest
          continue
        }
        var problem = ConnectionProblem(failure, host: endpoint.host, port: endpoint.port)
        if problem.kind == .closed, !activity.hasText, account.port != nil {
          // A port that the user configured may expect the other mode of TLS.
          problem = ConnectionProblem(.closedAtOnce, host: endpoint.host, port: endpoint.port)
        }
        problem.isServerNamed = account.server != nil
        log.debug("\(endpoint.host):\(endpoint.port) (\(endpoint.mode)): \(problem.kind.rawValue)")
        if problem.isFinal || isFinal() { throw problem }
        // The endpoint that came further has the more exact problem; among equals the first counts,
        // which has the highest priority.
        if problem.progress > worst?.progress ?? -1 { worst = problem }
        // A host name without an address has none for another port either.
        if problem.kind == .unknownHost { rest = rest.filter { $0.host != endpoint.host }[...] }
      }
    }
    throw worst ?? ConnectionProblem(.unknownHost, host: domain)
  }

  /// The number of redirections that one attempt follows.
  private static let detourLimit = 3

  /// Returns the endpoint that a server redirects its client to (RFC 6120 §4.9.3.19). The
  /// requirements of the first endpoint apply to it: the same mode of TLS, and the domain's own
  /// name in the certificate.
  private static func elsewhere(_ failure: StreamFailure, from endpoint: Endpoint) -> Endpoint? {
    guard case .stream(let error) = failure, error.condition == .seeOtherHost,
      let other = error.otherHost.flatMap(RedirectTarget.init)
    else { return nil }
    let usual = endpoint.mode == .directTLS ? 5223 : 5222
    return Endpoint(host: other.host, port: other.port ?? usual, mode: endpoint.mode)
  }

  private func attempt<Result: Sendable>(
    _ endpoint: Endpoint, _ account: Account, limit: Duration, _ activity: StreamActivity,
    _ use: @escaping @Sendable (any ByteStream, @escaping Upgrade) async throws -> Result
  ) async throws -> Result {
    let domain = account.jid.domain
    let trust = TrustOptions(caFile: account.caFile)
    let transport: any ByteStream
    do {
      transport = try await Connector().connect(
        to: endpoint, domain: domain, trust: trust, limit: limit)
    } catch {
      throw StreamFailure.socket(error)
    }
    let wire = log.category("wire")
    return try await use(MonitoredByteStream(transport, activity, log: wire, to: endpoint)) {
      plain throws(SocketError) in
      guard let plain = (plain as? MonitoredByteStream)?.stream as? PlainSocket else {
        throw .tls("TLS is on already")
      }
      let secure = try await TLSSocket.upgrade(plain, domain: domain, trust: trust)
      return MonitoredByteStream(secure, activity, log: wire, to: endpoint)
    }
  }

  /// Ends `work` after the time limit, and sooner when nothing was received for `silence`: a server
  /// that never answers must not block the sign-in, and a slow line must not be cut off.
  func limited<Result: Sendable>(
    _ silence: Duration, _ activity: StreamActivity,
    _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { [limit, sleep] group in
      group.addTask { try await work() }
      group.addTask {
        let step = silence / 4
        var (heard, quiet, passed) = (activity.count, 0, Duration.zero)
        while quiet < 4, passed < limit {
          try await sleep(step)
          passed += step
          quiet = activity.count == heard ? quiet + 1 : 0
          heard = activity.count
        }
        throw StreamFailure.timedOut
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { throw StreamFailure.timedOut }
      return result
    }
  }

  func options(
    _ account: Account, _ credential: Credential, _ resource: String?,
    userAgent: XEP0388UserAgent? = nil
  ) -> StreamOptions {
    let secret: StreamSecret =
      switch credential.secret {
      case .password(let text): .password(text)
      case .token(let token): .accessToken(token.value)
      }
    var options = StreamOptions(
      domain: account.jid.domain, user: account.jid.local ?? "", secret: secret,
      token: userAgent == nil ? nil : credential.returning, userAgent: userAgent,
      resource: resource, allowsPlaintext: account.security == .off, language: language)
    options.invitation = account.invitation
    return options
  }
}

extension ConnectionProblem {
  /// `true` if another endpoint would not help: the account was refused, or the responding host is
  /// not the server.
  fileprivate var isFinal: Bool {
    switch kind {
    case .wrongPassword, .accountDisabled, .credentialsExpired, .registrationRefused,
      .nameTaken, .formRejected, .busy, .tokenRefused, .scopeMissing,
      .authoritiesUnusable, .hashingTooWeak, .hashingTooCostly:
      true
    default: concernsCertificate
    }
  }

  /// The step that the attempt reached: 0 (look-up) to 4 (sign-in).
  var progress: Int {
    switch kind {
    case .unknownHost, .serviceNotOffered: 0
    case .refused, .timedOut, .unreachable: 1
    case .closed, .closedAtOnce, .tlsFailed: 2
    case .notXMPP, .tlsUnavailable: 3
    default: 4
    }
  }
}

extension ConnectionSecurity {
  fileprivate init(_ security: Account.Security) {
    self =
      switch security {
      case .automatic: .automatic
      case .startTLS: .startTLS
      case .direct: .direct
      case .off: .off
      }
  }
}
