import HTTP

// What a server says of its ways in (RFC 8414, XEP-0156).
extension APIClient {
  /// What is described at `address`; `nil` for an answer that is no description of this kind.
  /// - Throws: `.transport` when there was no answer, `.status` when there is none just now.
  func description<Reply: Decodable & Sendable>(
    at address: WebAddress, as type: Reply.Type, redirects: HTTPRequest.Redirects = .sameServer,
    timeLimits: HTTPRequest.TimeLimits
  ) async throws(APIError) -> Reply? {
    let text = try await page(at: address, redirects: redirects, timeLimits: timeLimits)
    return text.flatMap { Self.json($0, as: type) }
  }

  /// What lies at `address`; `nil` where nothing does.
  /// - Throws: as `description`.
  func page(
    at address: WebAddress, redirects: HTTPRequest.Redirects, timeLimits: HTTPRequest.TimeLimits
  ) async throws(APIError) -> [UInt8]? {
    var request = HTTPRequest(
      .get, address, redirects: redirects, timeLimits: timeLimits, sizeLimit: 1 << 17)
    request.headers["Accept"] = "application/json"
    let response = try await answer(to: request)
    return response?.isSuccess == true ? response?.body : nil
  }

  /// Whether a token endpoint is at `address`: it is known by how it refuses a grant that nobody knows. No secret is sent.
  /// - Throws: as `description`.
  func isTokenEndpoint(
    _ address: WebAddress, timeLimits: HTTPRequest.TimeLimits
  ) async throws(APIError) -> Bool {
    var question = HTTPRequest.form(address, [("grant_type", "none")])
    question.timeLimits = timeLimits
    question.sizeLimit = 1 << 16
    guard let reply = try await answer(to: question), reply.status == 400,
      let refusal = Self.json(reply.body, as: TokenRefusalReply.self)
    else { return false }
    return ["unsupported_grant_type", "invalid_request", "invalid_client"].contains(refusal.error)
  }

  /// - Returns: `nil` for an answer that is of no use: it leads away, or has no end.
  /// - Throws: `.status` for a server that is in trouble or overloaded: what it has is not known then.
  private func answer(to request: HTTPRequest) async throws(APIError) -> HTTPResponse? {
    let outcome = await outcome { client throws(APIError) in try await client.reply(to: request) }
    switch outcome {
    case .failure(.transport(.redirectRefused)), .failure(.transport(.tooManyRedirects)),
      .failure(.transport(.tooLarge)):
      return nil
    default:
      let response = try outcome.get()
      guard !response.isPassing else { throw .status(Self.refusal(response)) }
      return response
    }
  }
}

extension HTTPResponse {
  /// Whether the server is in trouble or overloaded, and may say something else later.
  fileprivate var isPassing: Bool { status >= 500 || status == 429 }
}
