import FoundationEssentials
import NatterCore
import Sockets
import XML
import XMPP

extension ConnectionProblem {
  /// The problem that is shown for a stream's failure: the single conversion of the lower layers'
  /// errors to the domain's.
  ///
  /// `ProblemKind` is spelled out throughout: failures have cases of the same names, and without it
  /// `.closed` would be taken for the failure and this initializer for the one to call, in an
  /// endless recursion.
  /// - Parameters:
  ///   - host: the host of the connection, or the domain while there was none.
  package init(_ failure: StreamFailure, host: String, port: Int = 0) {
    switch failure {
    case .socket(let error): self.init(error, host: host, port: port)
    case .stream(let error): self.init(error, host: host, port: port)
    case .notXMPP(let fault):
      self.init(ProblemKind.notXMPP, host: host, port: port)
      cause = Self.arguments(of: fault)
    case .resuming(let failure):
      self.init(failure, host: host, port: port)
      isAboutResumption = true
    case .ended: self.init(ProblemKind.closed, host: host, port: port)
    case .tlsUnavailable: self.init(ProblemKind.tlsUnavailable, host: host, port: port)
    case .tlsRequired: self.init(ProblemKind.tlsRequired, host: host, port: port)
    case .noUsableMechanism(let offered):
      self.init(
        ProblemKind.mechanismTooWeak, host: host, port: port,
        detail: offered.joined(separator: ", "))
    case .authentication(let failure):
      self.init(
        ProblemKind(failure.condition), host: host, port: port,
        detail: failure.text ?? failure.condition.rawValue)
    case .accessToken(let failure, let refusal):
      self.init(
        ProblemKind(failure.condition, refusal), host: host, port: port,
        detail: failure.text ?? refusal?.status ?? failure.condition.rawValue)
      loginURL = refusal?.configurationURL
    case .scram(let error): self.init(error, host: host, port: port)
    case .weakerSignIn(let offered):
      self.init(
        ProblemKind.signInWeakened, host: host, port: port, detail: offered.joined(separator: ", "))
    case .otherAccount(let jid):
      self.init(ProblemKind.otherAccount, host: host, port: port, detail: jid.description)
    case .bind(let error):
      self.init(
        error.condition == .conflict ? .conflict : .serverError, host: host, port: port)
      cause = Self.arguments(of: error)
    case .registrationNotOffered: self.init(ProblemKind.registrationRefused, host: host, port: port)
    case .registration(let error):
      self.init(ProblemKind(registration: error), host: host, port: port)
      cause = Self.arguments(of: error)
    case .protocolViolation(let fault):
      self.init(ProblemKind.notUnderstood, host: host, port: port)
      cause = Self.arguments(of: fault)
    case .timedOut: self.init(ProblemKind.timedOut, host: host, port: port)
    case .internalFailure(let detail):
      self.init(ProblemKind.serverError, host: host, port: port, detail: detail)
    }
  }

  private init(_ error: SCRAMError, host: String, port: Int) {
    switch error {
    case .unusablePassword:
      self.init(ProblemKind.wrongPassword, host: host, port: port)
      cause = NatterError(.notAuthorized, "problem.unusablePassword")
    case .wrongServerSignature, .wrongNonce:
      self.init(ProblemKind.serverUnproven, host: host, port: port)
    case .announcementChanged: self.init(ProblemKind.signInTampered, host: host, port: port)
    case .announcementMissing: self.init(ProblemKind.signInWeakened, host: host, port: port)
    case .tooFewIterations(let count):
      self.init(ProblemKind.hashingTooWeak, host: host, port: port)
      cause = NatterError(
        .refused, "problem.hashingTooWeak.detail",
        ["count": String(count), "least": String(SCRAMClient.leastIterations)], retry: .never)
    case .tooManyIterations(let count):
      self.init(ProblemKind.hashingTooCostly, host: host, port: port)
      cause = NatterError(
        .refused, "problem.hashingTooCostly.detail",
        ["count": String(count), "most": String(SCRAMClient.iterationLimit)], retry: .never)
    // RFC 5802 §7: the values that are more specific than a failure.
    case .refused("invalid-proof"), .refused("unknown-user"):
      self.init(ProblemKind.wrongPassword, host: host, port: port)
    case .refused("server-does-support-channel-binding"),
      .refused("channel-bindings-dont-match"):
      self.init(ProblemKind.signInTampered, host: host, port: port)
    case .refused(let value):
      self.init(ProblemKind.serverError, host: host, port: port, detail: "SCRAM: \(value)")
    case .malformed(let attribute):
      self.init(ProblemKind.notUnderstood, host: host, port: port)
      cause = Self.arguments(of: .breach(.scram, name: attribute))
    }
  }

  init(_ error: SocketError, host: String, port: Int) {
    switch error {
    case .unknownHost(let name): self.init(ProblemKind.unknownHost, host: name, port: port)
    case .serviceNotOffered(let domain): self.init(ProblemKind.serviceNotOffered, host: domain)
    case .refused(let host, let port): self.init(ProblemKind.refused, host: host, port: port)
    case .timedOut(let host, let port): self.init(ProblemKind.timedOut, host: host, port: port)
    case .unreachable(let host, let port, let errno):
      self.init(ProblemKind.unreachable, host: host, port: port)
      cause = Self.arguments(ofSystem: errno)
    case .closed: self.init(ProblemKind.closed, host: host, port: port)
    case .system(let errno):
      self.init(ProblemKind.closed, host: host, port: port)
      cause = Self.arguments(ofSystem: errno)
    case .certificate(let problem, let name, let detail):
      self.init(ProblemKind(problem), host: host.isEmpty ? name : host, port: port, detail: detail)
      // The name is the one that the certificate should have; the server that sent it may have
      // another.
      if self.host != name { certificateName = name }
    case .authorities(let detail):
      self.init(ProblemKind.authoritiesUnusable, host: host, port: port, detail: detail)
    case .tls(let detail): self.init(ProblemKind.tlsFailed, host: host, port: port, detail: detail)
    case .library(let reason):
      self.init(ProblemKind.tlsFailed, host: host, port: port)
      cause = NatterError(.unexpected, "error.http.library", ["reason": reason])
    case .clearTextRefused(let name):
      self.init(ProblemKind.clearTextRefused, host: name, port: port)
    }
  }

  private init(_ error: StreamError, host: String, port: Int) {
    let kind: ProblemKind =
      switch error.condition {
      case .conflict: .conflict
      case .hostUnknown, .hostGone, .improperAddressing: .domainNotServed
      case .policyViolation, .resourceConstraint: .policyViolation
      case .systemShutdown, .reset: .serverShutdown
      case .notAuthorized: .notAuthorized
      case .connectionTimeout: .idleTooLong
      case .seeOtherHost: .movedAway
      case .badFormat, .badNamespacePrefix, .invalidFrom, .invalidNamespace, .invalidXML,
        .notWellFormed, .restrictedXML, .unsupportedEncoding, .unsupportedFeature,
        .unsupportedStanzaType, .unsupportedVersion:
        .notUnderstood
      case .internalServerError, .remoteConnectionFailed, .undefinedCondition: .serverError
      }
    self.init(
      kind, host: host, port: port,
      detail: [error.condition.rawValue, error.otherHost, error.text].compactMap { $0 }
        .joined(separator: ": "))
  }

  private static func arguments(ofSystem number: CInt) -> NatterError {
    NatterError(.offline, "error.ofSystem", ["reason": String(number)])
  }

  private static func arguments(of fault: ProtocolFault) -> NatterError {
    switch fault {
    case .xml(let error):
      NatterError(
        .unexpected, "error.xml.\(error.problem.rawValue)",
        ["condition": error.condition.rawValue, "offset": String(error.offset)])
    case .breach(let rule, let name):
      NatterError(.unexpected, "error.protocol.\(rule.rawValue)", ["name": name])
    }
  }

  private static func arguments(of error: StanzaError) -> NatterError {
    NatterError(
      .refused, "error.ofStanza",
      ["reason": error.condition.rawValue].merging(error.arguments) { $1 })
  }
}

extension ConnectionProblem.ProblemKind {
  fileprivate init(_ condition: SASLFailure.Condition) {
    self =
      switch condition {
      case .accountDisabled: .accountDisabled
      case .credentialsExpired: .credentialsExpired
      case .encryptionRequired: .tlsRequired
      case .invalidMechanism, .mechanismTooWeak: .mechanismTooWeak
      case .notAuthorized: .wrongPassword
      case .temporaryAuthFailure: .busy
      case .aborted, .incorrectEncoding, .invalidAuthzid, .malformedRequest: .notAuthorized
      }
  }

  /// The problem of a new account (XEP-0077 §3.1.1). `resource-constraint` means that a later
  /// attempt may succeed.
  fileprivate init(registration error: StanzaError) {
    self =
      switch error.condition {
      case .conflict: .nameTaken
      case .resourceConstraint: .busy
      case _ where error.kind == .wait: .busy
      case .notAcceptable, .badRequest, .jidMalformed, .policyViolation: .formRejected
      case .internalServerError: .serverError
      default: .registrationRefused
      }
  }

  /// The problem of an access token.
  fileprivate init(_ condition: SASLFailure.Condition, _ refusal: TokenRefusal?) {
    self =
      switch (condition, refusal?.status) {
      case (_, "insufficient_scope"?): .scopeMissing
      case (.accountDisabled, _), (.encryptionRequired, _), (.invalidMechanism, _),
        (.mechanismTooWeak, _), (.temporaryAuthFailure, _):
        Self(condition)
      default: .tokenRefused
      }
  }
}
