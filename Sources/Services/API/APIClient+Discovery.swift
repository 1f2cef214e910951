import HTTP

// Requests of a server's descriptions of its login and connections (RFC 8414, XEP-0156).
extension APIClient {
  /// Returns the description at `address`; `nil` if the reply is no description of this kind.
  /// - Throws: `.transport` without a reply, `.status` for a temporary failure.
  func description<Reply: Decodable & Sendable>(
    at address: WebAddress, as type: Reply.Type, redirects: HTTPRequest.Redirects = .sameServer,
    timeLimits: HTTPRequest.TimeLimits
  ) async throws(APIError) -> Reply? {
    let text = try await page(at: address, redirects: redirects, timeLimits: timeLimits)
    return text.flatMap { Self.json($0, as: type) }
  }

  /// Returns the content at `address`; `nil` if there is none.
  /// - Throws: like `description`.
  func page(
    at address: WebAddress, redirects: HTTPRequest.Redirects, timeLimits: HTTPRequest.TimeLimits
  ) async throws(APIError) -> [UInt8]? {
    var request = HTTPRequest(
      .get, address, redirects: redirects, timeLimits: timeLimits, sizeLimit: 1 << 17)
    request.headers["Accept"] = "application/json"
    let response = try await answer(to: request)
    return response?.isSuccess == true ? response?.body : nil
  }

  /// Returns whether `address` is a token endpoint: it is recognized by its refusal of an unknown
  /// grant. No secret is sent.
  /// - Throws: like `description`.
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

  /// - Returns: `nil` for a useless reply: one that redirects to another server, or is too large.
  /// - Throws: `.status` for a server that fails or is overloaded: its content is not known then.
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
  /// Indicates whether the server fails or is overloaded, and may reply differently later.
  fileprivate var isPassing: Bool { status >= 500 || status == 429 }
}
