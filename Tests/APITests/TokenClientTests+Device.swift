import Crypto
import Foundation
import HTTP
import NatterCore
import Sockets
import Testing

@testable import API

/// A device that has no browser: a code that a person types elsewhere.
extension TokenClientTests {
  static let device =
    #"{"device_code":"d","user_code":"ABCD-EFGH","verification_uri":"https://a.example/go","verification_uri_complete":"https://a.example/go?c=ABCD-EFGH","expires_in":30,"interval":2}"#

  @Test func `a code to type is asked for again and again, at the server's pace`() async throws {
    let web = ScriptedWeb { asked, number in
      if asked.url.hasSuffix("/device") { return .success((200, Self.device)) }
      switch number {
      case 1: return .success((400, #"{"error":"authorization_pending"}"#))
      case 2: return .success((400, #"{"error":"slow_down"}"#))
      case 3: return .failure(.timedOut(host: "a.example"))
      default: return .success((200, #"{"access_token":"t"}"#))
      }
    }
    let client = client(web)
    let request = try await client.deviceRequest(at: Self.login)
    #expect(request.userCode == "ABCD-EFGH")
    #expect(request.address == "https://a.example/go")
    #expect(request.completeAddress == "https://a.example/go?c=ABCD-EFGH")
    let token = try await client.token(for: request)
    #expect(token.value == "t")
    #expect(slept.all == [.seconds(2), .seconds(2), .seconds(7), .seconds(14)])
  }

  @Test(arguments: [
    (#"{"error":"access_denied"}"#, ConnectionProblem.ProblemKind.declined),
    (#"{"error":"expired_token"}"#, .codeExpired),
    (#"{"error":"invalid_grant"}"#, .codeExpired),
  ])
  func `a person who says no, or is too late, is heard`(
    body: String, kind: ConnectionProblem.ProblemKind
  ) async throws {
    let web = ScriptedWeb { asked, _ in
      asked.url.hasSuffix("/device") ? .success((200, Self.device)) : .success((400, body))
    }
    let client = client(web)
    let request = try await client.deviceRequest(at: Self.login)
    #expect(await problem { try await client.token(for: request) }?.kind == kind)
  }

  @Test func `a code whose time is over is not asked for any more, whatever the clock says`()
    async throws
  {
    let web = ScriptedWeb { asked, _ in
      asked.url.hasSuffix("/device")
        ? .success((200, Self.device)) : .success((400, #"{"error":"authorization_pending"}"#))
    }
    let client = client(web)
    let request = try await client.deviceRequest(at: Self.login)
    // Another calendar meanwhile: no other time for the code.
    let later = TokenClient(
      client: { _ in APIClient(transport: web) }, crypto: CryptoLibrary(),
      now: { Self.start.addingTimeInterval(3600) }, instant: { [slept] in slept.instant },
      sleep: { [slept] in slept.note($0) })
    let problem = await problem { try await later.token(for: request) }
    #expect(problem?.kind == .codeExpired)
    #expect(problem?.host == "a.example")
    #expect(slept.all.count == 15)
  }

  @Test func `a token endpoint that accepts and gives no token is reported at once`() async throws {
    let web = ScriptedWeb { asked, _ in
      asked.url.hasSuffix("/device") ? .success((200, Self.device)) : .success((200, "<html>"))
    }
    let client = client(web)
    let request = try await client.deviceRequest(at: Self.login)
    let problem = await problem { try await client.token(for: request) }
    #expect(problem?.kind == .serverError)
    #expect(problem?.detail.contains("text/html") == true)
    #expect(slept.all.count == 1)
  }

  @Test(arguments: [0, 1])
  func `one that never answers is given up, one that did is borne`(answers: Int) async throws {
    let web = ScriptedWeb { asked, number in
      if asked.url.hasSuffix("/device") { return .success((200, Self.device)) }
      if number <= answers { return .success((400, #"{"error":"authorization_pending"}"#)) }
      return number % 2 == 0 ? .failure(.broken(host: "a.example")) : .success((502, "<html>"))
    }
    let client = client(web)
    let request = try await client.deviceRequest(at: Self.login)
    let problem = await problem { try await client.token(for: request) }
    // The obstacle is reported, and not that the code was not typed.
    #expect(problem?.kind == .serverError || problem?.kind == .closed)
    #expect(slept.all.reduce(.zero, +) >= .seconds(30) || answers == 0)
    #expect(slept.all.count == (answers == 0 ? 3 : 5))
  }

  @Test(arguments: [
    "<html>", "{}", #"{"device_code":1,"user_code":"x","verification_uri":"https://a.example/"}"#,
    #"{"device_code":"d","user_code":"","verification_uri":"https://a.example/"}"#,
    #"{"device_code":"d","user_code":"x","verification_uri":"file:///etc/passwd"}"#,
    #"{"device_code":"d","user_code":"x","verification_uri":"http://b.example/"}"#,
    #"{"device_code":"d","user_code":"x","verification_uri":"https://a.example/\n"}"#,
  ])
  func `what is no device's code is none`(body: String) async {
    let web = ScriptedWeb { _, _ in .success((200, body)) }
    let problem = await problem { try await client(web).deviceRequest(at: Self.login) }
    #expect(problem?.kind == .serverError)
  }

  @Test func `an address with the code in it is taken from the same server only`() async throws {
    let web = ScriptedWeb { _, _ in
      .success(
        (
          200,
          #"{"device_code":"d","user_code":"x","verification_uri":"https://a.example/","verification_uri_complete":"https://evil.example/"}"#
        ))
    }
    let request = try await client(web).deviceRequest(at: Self.login)
    #expect(request.completeAddress == nil)
    #expect(request.interval == .seconds(5))
  }
}
