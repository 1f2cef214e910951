import FoundationEssentials
import HTTP
import NatterCore

/// What an authorization server answers to somebody who asks for something (RFC 6749 §5, RFC 8628 §3.5).
enum GrantReply<Value: Decodable & Sendable>: Sendable {
  case granted(Value)
  /// The person has not decided yet (RFC 8628 §3.5), and is not to be asked after as often.
  case waiting, slowDown
  /// It says no, in OAuth's words.
  case refused(TokenRefusalReply, retryAfter: Double?)
  /// It answers, and it is neither a yes nor a no.
  case meaningless(MalformedReply)
  /// It closed the connection in place of an answer.
  case closed

  /// - Parameters:
  ///   - value: what it holds if it says yes; `nil`: nothing of use.
  ///   - now: by this machine's clock.
  init(_ response: HTTPResponse, now: Date, value: ([UInt8]) -> Value?) {
    if response.isSuccess {
      self =
        value(response.body).map { .granted($0) }
        ?? .meaningless(MalformedReply(response, now: now))
    } else {
      self.init(refusal: response, now: now)
    }
  }

  /// A refusal is only what OAuth calls one: its words in JSON under status 400 or 401 (RFC 6749 §5.2), or its own words
  /// under 403, as some say it. Everything else is trouble on the way, which passes: a server that is overloaded or being set up,
  /// a gate or a proxy that answers in its place, whatever it says and in whatever form.
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

  /// Whether it says yes, and there is nothing in it: it would be no other one the next time.
  var isUseless: Bool {
    if case .meaningless(let reply) = self { (200..<300).contains(reply.status) } else { false }
  }

  /// What was granted.
  /// - Parameters:
  ///   - address: what was asked.
  ///   - invalidGrant: what it means here that what was asked with is not valid.
  /// - Throws: why it was not.
  func value(
    from address: WebAddress, invalidGrant: ConnectionProblem.Kind
  ) throws(ConnectionProblem) -> Value {
    func problem(_ kind: ConnectionProblem.Kind, _ detail: String = "") -> ConnectionProblem {
      ConnectionProblem(kind, host: address.host, port: address.port, detail: detail)
    }
    switch self {
    case .granted(let value): return value
    // The answer to another question: nothing was asked of a person.
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

/// An answer that is none.
struct MalformedReply: Sendable {
  let status: Int
  /// What it is, and not what it says: an answer that is no token may still hold one.
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
  /// RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5.
  static let known: Set = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
    "unsupported_grant_type", "invalid_scope", "access_denied", "authorization_pending",
    "slow_down", "expired_token",
  ]

  fileprivate func kind(invalidGrant: ConnectionProblem.Kind) -> ConnectionProblem.Kind {
    switch error {
    // ejabberd's way to refuse a scope.
    case "invalid_grant" where description?.lowercased() == "invalid scope": .scopeMissing
    case "invalid_grant", "expired_token": invalidGrant
    case "invalid_scope": .scopeMissing
    case "access_denied": .declined
    case "server_error", "temporarily_unavailable": .serverError
    default: .notAuthorized
    }
  }
}
