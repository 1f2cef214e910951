import FoundationEssentials
import HTTP
import NatterCore

/// The reply of an authorization server to a request (RFC 6749 §5, RFC 8628 §3.5).
enum GrantReply<Value: Decodable & Sendable>: Sendable {
  case granted(Value)
  /// The user has not decided yet (RFC 8628 §3.5); `slowDown` asks for longer intervals.
  case waiting, slowDown
  /// A refusal with an OAuth error code.
  case refused(TokenRefusalReply, retryAfter: Double?)
  /// A reply that is neither a grant nor a refusal.
  case meaningless(MalformedReply)
  /// The server closed the connection without a reply.
  case closed

  /// - Parameters:
  ///   - value: decodes the body of a success; `nil` if it is useless.
  ///   - now: the local time.
  init(_ response: HTTPResponse, now: Date, value: ([UInt8]) -> Value?) {
    if response.isSuccess {
      self =
        value(response.body).map { .granted($0) }
        ?? .meaningless(MalformedReply(response, now: now))
    } else {
      self.init(refusal: response, now: now)
    }
  }

  /// A reply is a refusal only as OAuth defines it: a JSON error under status 400 or 401
  /// (RFC 6749 §5.2), or a known error code under 403, as some servers send it. Everything else
  /// is a temporary failure: a server that is overloaded or being set up, a gateway or a proxy that
  /// answers in its stead, with whatever content and format.
  private init(refusal response: HTTPResponse, now: Date) {
    guard [400, 401, 403].contains(response.status),
      let said = APIClient.json(response.body, as: TokenRefusalReply.self),
      response.status != 403 || TokenRefusalReply.known.contains(said.error)
    else {
      self = .meaningless(MalformedReply(response, now: now))
      return
    }
    switch said.error {
    case "authorization_pending": self = .waiting
    case "slow_down": self = .slowDown
    default: self = .refused(said, retryAfter: response.headers.retryAfter(now: now))
    }
  }

  /// Indicates whether it is a success without a usable value: another request would not change
  /// that.
  var isUseless: Bool {
    if case .meaningless(let reply) = self { (200..<300).contains(reply.status) } else { false }
  }

  /// Returns the granted value.
  /// - Parameters:
  ///   - address: the queried endpoint.
  ///   - invalidGrant: the meaning of the error `invalid_grant` for this request.
  /// - Throws: the reason of the failure.
  func value(
    from address: WebAddress, invalidGrant: ConnectionProblem.ProblemKind
  ) throws(ConnectionProblem) -> Value {
    func problem(_ kind: ConnectionProblem.ProblemKind, _ detail: String = "") -> ConnectionProblem
    {
      ConnectionProblem(kind, host: address.host, port: address.port, detail: detail)
    }
    switch self {
    case .granted(let value): return value
    // This reply belongs to another kind of request: no decision of the user is pending here.
    case .waiting, .slowDown: throw problem(.serverError, "authorization_pending")
    case .closed: throw problem(.closed)
    case .meaningless(let reply):
      var problem = problem(reply.status == 429 ? .busy : .serverError, reply.description)
      problem.retryAfter = reply.retryAfter
      throw problem
    case .refused(let said, let retryAfter):
      var problem = problem(
        said.kind(invalidGrant: invalidGrant), said.description ?? said.error)
      if !problem.isPermanent { problem.retryAfter = retryAfter }
      throw problem
    }
  }
}

/// A response that is not valid JSON, or lacks required fields.
struct MalformedReply: Sendable {
  let status: Int
  /// Its form without its content: a response that is no token may still contain one.
  let description: String
  /// In seconds.
  let retryAfter: Double?

  init(_ response: HTTPResponse, now: Date) {
    status = response.status
    description =
      "HTTP \(response.status), "
      + "\(response.mediaType.isEmpty ? "no type" : response.mediaType), "
      + "\(response.body.count) bytes"
    retryAfter = response.headers.retryAfter(now: now)
  }
}

extension TokenRefusalReply {
  /// The error codes of RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5.
  static let known: Set = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
    "unsupported_grant_type", "invalid_scope", "access_denied", "authorization_pending",
    "slow_down", "expired_token",
  ]

  fileprivate func kind(invalidGrant: ConnectionProblem.ProblemKind)
    -> ConnectionProblem.ProblemKind
  {
    switch error {
    // The refusal of a scope by ejabberd.
    case "invalid_grant" where description?.lowercased() == "invalid scope": .scopeMissing
    case "invalid_grant", "expired_token": invalidGrant
    case "invalid_scope": .scopeMissing
    case "access_denied": .declined
    case "server_error", "temporarily_unavailable": .serverError
    default: .notAuthorized
    }
  }
}
