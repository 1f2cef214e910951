import FoundationEssentials
import HTTP
import NatterCore

/// What it means that a token endpoint gave no token.
enum GrantRefusal: Error {
  /// The person has not decided yet (RFC 8628 §3.5).
  case waiting, slowDown
  /// Anything else.
  case problem(ConnectionProblem)

  /// A refusal is only what OAuth calls one: its words in JSON under status 400 or 401 (RFC 6749 §5.2), or its own words
  /// under 403, as some say it. Everything else is trouble on the way, which passes: a server that is overloaded or being set up,
  /// a gate or a proxy that answers in its place, whatever it says and in whatever form.
  /// - Parameters:
  ///   - invalidGrant: what it means here that the grant is not valid.
  ///   - now: by this machine's clock.
  init(
    _ response: HTTPResponse, at address: WebAddress, invalidGrant: ConnectionProblem.Kind,
    now: Date
  ) {
    guard [400, 401, 403].contains(response.status),
      let said = APIClient.json(response.body, as: TokenRefusalReply.self),
      response.status != 403 || Self.known.contains(said.error)
    else {
      self = .problem(Self.malformed(response, at: address, now: now))
      return
    }
    let kind: ConnectionProblem.Kind
    switch said.error {
    case "authorization_pending":
      self = .waiting
      return
    case "slow_down":
      self = .slowDown
      return
    case "invalid_grant":
      // ejabberd's way to refuse a scope.
      kind = said.description?.lowercased() == "invalid scope" ? .scopeMissing : invalidGrant
    case "invalid_scope": kind = .scopeMissing
    case "expired_token": kind = .tokenRefused
    case "access_denied": kind = .declined
    case "server_error", "temporarily_unavailable": kind = .serverError
    default: kind = .notAuthorized
    }
    var problem = ConnectionProblem(
      kind, host: address.host, port: address.port, detail: said.description ?? said.error)
    if !problem.isPermanent { problem.retryAfter = response.headers.retryAfter(now: now) }
    self = .problem(problem)
  }

  /// RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5.
  private static let known: Set = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
    "unsupported_grant_type", "invalid_scope", "access_denied", "authorization_pending",
    "slow_down", "expired_token",
  ]

  /// An answer that is none.
  static func malformed(_ response: HTTPResponse, at address: WebAddress, now: Date)
    -> ConnectionProblem
  {
    // What it is, and not what it says: an answer that is no token may still hold one.
    var problem = ConnectionProblem(
      response.status == 429 ? .busy : .serverError, host: address.host, port: address.port,
      detail: "HTTP \(response.status), "
        + "\(response.mediaType.isEmpty ? "no type" : response.mediaType), "
        + "\(response.body.count) bytes")
    problem.retryAfter = response.headers.retryAfter(now: now)
    return problem
  }
}
