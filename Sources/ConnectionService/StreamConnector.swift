import Crypto
import Diagnostics
import NatterCore
import Sockets
import XMPP

/// Makes connections: looks the servers up, tries one after the other, sets the stream up (FLOWS.md 1, "TCP login").
package struct StreamConnector: StreamConnecting, SessionProbing {
  private let crypto: CryptoLibrary
  private let resolver: Resolver
  private let log: Log
  /// For one endpoint, from the first packet to the bound session.
  private let limit: Duration
  private let language: String
  private let sleep: @Sendable (Duration) async throws -> Void

  package init(
    crypto: CryptoLibrary, resolver: Resolver, log: Log, language: String = "en",
    limit: Duration = .seconds(30),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.crypto = crypto
    self.resolver = resolver
    self.log = log
    self.language = language
    self.limit = limit
    self.sleep = sleep
  }

  package func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    try await connect(account, credential, resource: resource, resuming: nil, progress: progress)
  }

  package func connect(
    _ account: Account, _ credential: Credential, resource: String?,
    resuming old: StreamResumption?,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws -> any LiveStream {
    try await onEachEndpoint(of: account, progress) { transport, upgrade in
      progress(.authenticating)
      return try await XMPPStream.open(
        over: transport, options: options(account, credential, resource), crypto: crypto,
        startTLS: upgrade, resuming: old)
    }
  }

  package func verify(
    _ account: Account, _ credential: Credential,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) async throws {
    let stream = try await connect(account, credential, resource: nil, progress: progress)
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

  package func register(_ account: Account, _ credential: Credential, answers: [String: String])
    async throws
  {
    try await onEachEndpoint(of: account, { _ in }) { transport, upgrade in
      try await XMPPStream.register(
        over: transport, options: options(account, credential, nil), answers: answers,
        crypto: crypto, startTLS: upgrade)
    }
  }

  /// Where the account's server may be, in the order in which it is tried.
  /// - Throws: `ConnectionProblem`.
  package func places(of account: Account) async throws -> [Endpoint] {
    do {
      return try await resolver.endpoints(
        for: account.jid.domain, server: account.server, port: account.port,
        security: ConnectionSecurity(account.security))
    } catch {
      try Task.checkCancellation()
      throw ConnectionProblem(.socket(error), host: account.jid.domain)
    }
  }

  // MARK: - One after the other

  private typealias Upgrade =
    @Sendable (any ByteStream) async throws(SocketError) -> any ByteStream

  /// Has `use` done over a connection to the first endpoint that can be reached.
  /// - Throws: `ConnectionProblem`: of the endpoint that came furthest, or at once one that no other endpoint would change.
  private func onEachEndpoint<Result: Sendable>(
    of account: Account, _ progress: @escaping @Sendable (SignInProgress) -> Void,
    _ use: @escaping @Sendable (any ByteStream, @escaping Upgrade) async throws -> Result
  ) async throws -> Result {
    let domain = account.jid.domain
    if account.server == nil { progress(.lookingUp(domain: domain)) }
    let places = try await places(of: account)
    var worst: ConnectionProblem?
    for place in places {
      try Task.checkCancellation()
      progress(.connecting(host: place.host))
      do {
        return try await limited(place) { try await attempt(place, account, use) }
      } catch let failure as StreamFailure {
        try Task.checkCancellation()
        let problem = ConnectionProblem(failure, host: place.host, port: place.port)
        log.info("\(place.host):\(place.port) (\(place.mode)): \(problem.kind.rawValue)")
        if problem.isFinal { throw problem }
        // Who came further knows better what is the matter; of equals the first, which was the place to try.
        if problem.progress > worst?.progress ?? -1 { worst = problem }
      }
    }
    throw worst ?? ConnectionProblem(.unknownHost, host: domain)
  }

  private func attempt<Result: Sendable>(
    _ place: Endpoint, _ account: Account,
    _ use: @escaping @Sendable (any ByteStream, @escaping Upgrade) async throws -> Result
  ) async throws -> Result {
    let domain = account.jid.domain
    let trust = TrustOptions(caFile: account.caFile)
    let transport: any ByteStream
    do {
      transport = try await Connector().connect(to: place, domain: domain, trust: trust)
    } catch {
      throw StreamFailure.socket(error)
    }
    return try await use(transport) { plain throws(SocketError) in
      guard let plain = plain as? PlainSocket else { throw .tls("TLS is on already") }
      return try await TLSSocket.upgrade(plain, domain: domain, trust: trust)
    }
  }

  /// Ends `work` after the time limit: a server that never answers must not hold anybody up.
  private func limited<Result: Sendable>(
    _ place: Endpoint, _ work: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { [limit, sleep] group in
      group.addTask { try await work() }
      group.addTask {
        try await sleep(limit)
        throw StreamFailure.timedOut
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { throw StreamFailure.timedOut }
      return result
    }
  }

  private func options(_ account: Account, _ credential: Credential, _ resource: String?)
    -> StreamOptions
  {
    StreamOptions(
      domain: account.jid.domain, user: account.jid.local ?? "", password: credential.password,
      resource: resource, allowsPlaintext: account.security == .off, language: language)
  }
}

extension ConnectionProblem {
  /// Whether trying another place would not help: the account was refused, or somebody who is not the server answered.
  fileprivate var isFinal: Bool {
    switch kind {
    case .wrongPassword, .accountDisabled, .credentialsExpired, .registrationRefused,
      .certificateUntrusted, .certificateSelfSigned, .certificateExpired, .certificateNotYetValid,
      .certificateWrongName, .certificateOther:
      true
    default: false
    }
  }

  /// How far the attempt came.
  var progress: Int {
    switch kind {
    case .unknownHost, .serviceNotOffered: 0
    case .refused, .timedOut, .unreachable: 1
    case .closed, .tlsFailed: 2
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

extension RegistrationForm {
  init(_ asked: XEP0077Registration) {
    let own: Set<String> = ["username", "password", "FORM_TYPE"]
    let fields: [Field] =
      if let form = asked.form {
        form.fields.compactMap { field in
          guard let name = field.name, !own.contains(name), field.kind != .hidden,
            field.kind != .fixed
          else { return nil }
          return Field(
            name: name, label: field.label ?? name, isRequired: field.isRequired,
            isPrivate: field.kind == .textPrivate, value: field.values.first ?? "")
        }
      } else {
        asked.fields.filter { !own.contains($0) }.map {
          Field(name: $0, label: $0, isRequired: true, isPrivate: false, value: "")
        }
      }
    let instructions = asked.form?.instructions.joined(separator: "\n") ?? ""
    self.init(
      instructions: instructions.isEmpty ? asked.instructions : instructions, fields: fields,
      url: asked.url)
  }
}
