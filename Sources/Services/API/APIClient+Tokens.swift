import FoundationEssentials
import HTTP

// Requests to an authorization server (RFC 6749, 7009, 7591, 8628).
extension APIClient {
  /// Requests a grant with the fields of a form.
  /// - Parameter now: the local time.
  /// - Throws: `.transport`.
  func grant<Value: Decodable & Sendable>(
    _ fields: [(name: String, value: String)], at address: WebAddress, as type: Value.Type,
    now: Date
  ) async throws(APIError) -> GrantReply<Value> {
    guard let response = try await answer(to: .form(address, fields)) else { return .closed }
    return GrantReply(response, now: now) { Self.json($0, as: type) }
  }

  /// Withdraws a token (RFC 7009 §2.1).
  /// - Parameter hint: the kind of the token.
  /// - Throws: `.transport`.
  func withdraw(
    _ token: String, hint: String, clientID: String, at address: WebAddress, now: Date
  ) async throws(APIError) -> GrantReply<EmptyReply> {
    let fields = [("token", token), ("token_type_hint", hint), ("client_id", clientID)]
    guard let response = try await answer(to: .form(address, fields)) else { return .closed }
    return GrantReply(response, now: now) { _ in EmptyReply() }
  }

  /// Registers this program as a client (RFC 7591 §3).
  /// - Returns: the client id; `nil` if the server refuses.
  /// - Throws: `.transport`.
  func register(_ metadata: ClientMetadata, at address: WebAddress) async throws(APIError)
    -> String?
  {
    guard let body = Self.json(metadata),
      let response = try await answer(
        to: HTTPRequest(
          .post, address, headers: ["Content-Type": "application/json"], body: .bytes(body),
          redirects: .refused)), response.isSuccess
    else { return nil }
    return Self.json(response.body, as: ClientReply.self)?.clientID
  }

  /// The maximum time from a request to the end of its reply.
  private static let replyLimit = Duration.seconds(20)

  /// - Returns: `nil` if the server closed the connection without a reply.
  private func answer(to request: HTTPRequest) async throws(APIError) -> HTTPResponse? {
    var request = request
    request.sizeLimit = 1 << 17
    // The user waits for it, so even a server that continuously sends a little is limited.
    request.timeLimits.total = Self.replyLimit
    request.headers["Accept"] = "application/json"
    let asked = request
    let outcome = await outcome { client throws(APIError) in try await client.reply(to: asked) }
    if case .failure(.transport(.broken)) = outcome { return nil }
    return try outcome.get()
  }
}

/// The reply to a revocation, which has no content (RFC 7009 §2.2).
struct EmptyReply: Decodable, Sendable {}

/// The metadata of this program for the registration (RFC 7591 §2).
struct ClientMetadata: Encodable, Sendable {
  let client_name = "Natter"
  let client_uri = "https://natter.invalid/"
  let application_type = "native"
  let token_endpoint_auth_method = "none"
  let redirect_uris: [String]
  let grant_types: [String]
  let response_types = ["code"]
  let scope: String
}
