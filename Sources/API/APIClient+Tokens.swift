import FoundationEssentials
import HTTP

// What is asked of an authorization server (RFC 6749, 7009, 7591, 8628).
extension APIClient {
  /// Asks for something with the fields of a form.
  /// - Parameter now: by this machine's clock.
  /// - Throws: `.transport`.
  func grant<Value: Decodable & Sendable>(
    _ fields: [(name: String, value: String)], at address: WebAddress, as type: Value.Type,
    now: Date
  ) async throws(APIError) -> GrantReply<Value> {
    guard let response = try await answer(to: .form(address, fields)) else { return .closed }
    return GrantReply(response, now: now) { Self.json($0, as: type) }
  }

  /// Withdraws a token (RFC 7009 §2.1).
  /// - Parameter hint: which kind of token it is.
  /// - Throws: `.transport`.
  func withdraw(
    _ token: String, hint: String, clientID: String, at address: WebAddress, now: Date
  ) async throws(APIError) -> GrantReply<EmptyReply> {
    let fields = [("token", token), ("token_type_hint", hint), ("client_id", clientID)]
    guard let response = try await answer(to: .form(address, fields)) else { return .closed }
    return GrantReply(response, now: now) { _ in EmptyReply() }
  }

  /// Makes this program known (RFC 7591 §3).
  /// - Returns: what it is called; `nil` where it is not wanted.
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

  /// How long an answer may take from its question to its end.
  private static let replyLimit = Duration.seconds(20)

  /// - Returns: `nil` when the server closed the connection in place of an answer.
  private func answer(to request: HTTPRequest) async throws(APIError) -> HTTPResponse? {
    var request = request
    request.sizeLimit = 1 << 17
    // Somebody sits and waits for it, however busily a server says little.
    request.timeLimits.total = Self.replyLimit
    request.headers["Accept"] = "application/json"
    let asked = request
    let outcome = await outcome { client throws(APIError) in try await client.reply(to: asked) }
    if case .failure(.transport(.broken)) = outcome { return nil }
    return try outcome.get()
  }
}

/// That a token is withdrawn: nothing more is said (RFC 7009 §2.2).
struct EmptyReply: Decodable, Sendable {}

/// What a server is told of this program (RFC 7591 §2).
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
