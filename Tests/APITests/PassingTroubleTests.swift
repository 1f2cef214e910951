import Crypto
import Foundation
import HTTP
import NatterCore
import Synchronization
import Testing

@testable import API

/// Answers of a token endpoint, or of something in front of it, that revoke no sign-in.
@Suite struct PassingTroubleTests: TokenClientTesting {
  let slept = TokenClientTests.Observations()

  private func token() -> AccessToken {
    AccessToken(value: "t", refreshToken: "r", scope: "xmpp", login: TokenClientTests.login)
  }

  @Test(arguments: [
    (500, #"{"error":"invalid_grant"}"#), (503, #"{"error":"invalid_token"}"#), (429, "{}"),
    (429, #"{"error":"invalid_request"}"#), (403, "<html>Sign in to the hotel</html>"),
    (511, "<html>"), (401, "<html>"), (404, #"{"error":"not_found"}"#), (302, ""), (407, "<html>"),
  ])
  func `a gate or an overloaded server takes no sign-in away`(status: Int, body: String) async {
    let web = ScriptedWeb { _, _ in .success((status, body)) }
    let problem = await problem { try await client(web).renewed(token()) }
    #expect(problem?.asksForCredentials == false)
    #expect(problem?.isPermanent == false)
  }

  @Test(
    arguments: [
      ("7", 7.0), ("0", nil), ("-5", nil), ("soon", nil), ("99999999999999999999", 86_400),
      ("Mon, 12 Jan 1970 13:47:10 GMT", 30), ("Mon, 12 Jan 1970 13:40:00 GMT", nil),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400), ("Mon, 12 Foo 1970 13:47:10 GMT", nil),
    ] as [(String, Double?)])
  func `how long the server wants to be left alone is heard`(text: String, seconds: Double?) async {
    for status in [429, 503] {
      let web = ScriptedWeb(headers: ["Retry-After": text]) { _, _ in .success((status, "")) }
      let problem = await problem { try await client(web).renewed(token()) }
      #expect(problem?.retryAfter == seconds)
    }
    // By the clock that wrote it.
    let other = ScriptedWeb(headers: [
      "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:07 GMT",
    ]) { _, _ in .success((429, "")) }
    #expect(await problem { try await client(other).renewed(token()) }?.retryAfter == 30)
  }

  @Test func `a code to type is asked for again when the server wants to be asked`() async throws {
    let web = ScriptedWeb(headers: ["Retry-After": "45"]) { asked, number in
      if asked.url.hasSuffix("/device") { return .success((200, TokenClientTests.device)) }
      return .success(number == 1 ? (429, "<html>") : (200, #"{"access_token":"t"}"#))
    }
    let client = client(web)
    var request = try await client.deviceRequest(at: TokenClientTests.login)
    request = DeviceRequest(
      address: request.address, completeAddress: nil, userCode: request.userCode,
      deviceCode: request.deviceCode, deadline: slept.instant + .seconds(600),
      interval: request.interval, login: request.login)
    _ = try await client.token(for: request)
    #expect(slept.all == [.seconds(2), .seconds(45)])
  }
}
