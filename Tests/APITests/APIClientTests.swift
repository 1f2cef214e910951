import HTTP
import TestSupport
import Testing

@testable import API

/// Answers every request with the same.
private struct FixedTransport: HTTPTransport {
  let result: Result<HTTPResponse, HTTPError>

  func send(_ request: HTTPRequest, control: TransferControl?) async throws(HTTPError)
    -> HTTPResponse
  { try result.get() }
}

@Suite struct APIClientTests {
  private struct Token: Decodable, Sendable, Equatable {
    let access_token: String
    let expires_in: Int?
  }

  private func client(_ status: Int, _ body: String, type: String = "application/json") throws
    -> (APIClient, HTTPRequest)
  {
    let address = try #require(WebAddress("https://a.example/"))
    let response = HTTPResponse(
      status: status, headers: ["Content-Type": type], body: Array(body.utf8), address: address)
    let client = APIClient(transport: FixedTransport(result: .success(response)))
    return (client, HTTPRequest(.get, address))
  }

  @Test func `the texts of a reply are bounded`() async throws {
    let marks = String(repeating: #"\u0301\u0316"#, count: 1000)
    let (client, request) = try client(200, #"{"access_token":"a\#(marks)"}"#)
    let token = try await client.call(request, as: Token.self).access_token
    #expect(token.allSatisfy { $0.unicodeScalars.count <= 31 })
    #expect(token.unicodeScalars.count > 2000)
  }

  @Test func `a reply is read into its type`() async throws {
    let (client, request) = try client(200, #"{"access_token":"x","expires_in":60,"more":[]}"#)
    #expect(
      try await client.call(request, as: Token.self) == Token(access_token: "x", expires_in: 60))
  }

  @Test(arguments: [
    "<html><body>Sign in</body></html>", "", "[]", "null", #"{"access_token":5}"#,
    #"{"access_token":"x","expires_in":"soon"}"#, #"{"access_token":"x""#,
    #"{"access_token":"x","expires_in":1e999}"#, "\u{0}\u{1}",
    String(repeating: "[", count: 100_000),
  ])
  func `what is something else is malformed`(body: String) async throws {
    let (client, request) = try client(200, body, type: "text/html")
    let error = await #expect(throws: APIError.self) {
      try await client.call(request, as: Token.self)
    }
    guard case .malformed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [
    (#"{"error":"invalid_grant","error_description":"wrong\nword"}"#, "application/json", "wrong"),
    (#"{"title":"Quota","detail":"Full"}"#, "application/problem+json", "Full"),
    (#"{"status":"error","message":"Not here"}"#, "application/json", "Not here"),
    ("Over quota\r\nBye", "text/plain; charset=utf-8", "Over quota"),
  ])
  func `a refusal carries the server's text`(body: String, type: String, serverText: String)
    async throws
  {
    let (client, request) = try client(413, body, type: type)
    let error = await #expect(throws: APIError.self) { try await client.call(request) }
    guard case .status(let refusal) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(refusal.status == 413)
    #expect(refusal.serverText == serverText)
    #expect(refusal.body == Array(body.utf8))
  }

  @Test(arguments: ["", "<html>no</html>"])
  func `an HTML page is no error text`(body: String) async throws {
    let (client, request) = try client(500, body, type: "text/html")
    let error = await #expect(throws: APIError.self) { try await client.call(request) }
    guard case .status(let refusal) = error else { return }
    #expect(refusal.serverText == nil)
  }

  @Test(arguments: [HTTPError.cancelled, .unknownHost("x"), .stalled(host: "x")])
  func `a failure of the transport travels as it is`(cause: HTTPError) async throws {
    let client = APIClient(transport: FixedTransport(result: .failure(cause)))
    let address = try #require(WebAddress("https://a.example/"))
    let error = await #expect(throws: APIError.self) {
      try await client.call(HTTPRequest(.get, address), as: Token.self)
    }
    #expect(error == .transport(cause))
    #expect(error?.isCancellation == (cause == .cancelled))
  }

  @Test func `through the real transport`() async throws {
    let peer = try HTTPPeer { _ in .json(#"{"access_token":"x"}"#) }
    let address = try #require(WebAddress(peer.address))
    let token = try await APIClient(transport: CurlTransport()).call(
      .form(address, [("a", "b")]), as: Token.self)
    #expect(token == Token(access_token: "x", expires_in: nil))
    #expect(peer.requests.first?.headers["accept"] == "application/json")
  }
}
