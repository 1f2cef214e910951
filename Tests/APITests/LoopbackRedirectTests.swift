import Foundation
import HTTP
import NatterCore
import Sockets
import TestSupport
import Testing

@testable import API

/// The listener to which a browser brings its code.
@Suite(.timeLimit(.minutes(6))) struct LoopbackRedirectTests {
  private static let request = BrowserRequest(
    address: "https://a.example/authorize?x=1", redirect: "", verifier: "v", state: "s3cret",
    login: HTTPLogin(tokenEndpoint: "https://a.example/token", grants: [], scope: "xmpp"))

  /// A time that does not come.
  private static func never(_ duration: Duration) async throws {
    try await ManualClock().sleep(for: duration)
  }

  private func port(of redirect: LoopbackRedirect) throws -> Int {
    try #require(WebAddress(redirect.address)).port
  }

  /// Says something, or nothing, and stays.
  private func visitor(_ redirect: LoopbackRedirect, saying text: String = "") async throws
    -> PlainSocket
  {
    let socket = try await PlainSocket.connect(host: "127.0.0.1", port: try port(of: redirect))
    if !text.isEmpty { try await socket.send(Array(text.utf8)) }
    return socket
  }

  /// Asks as a browser does, and reads all of the answer.
  private func page(_ target: String, _ redirect: LoopbackRedirect) async throws -> String {
    let socket = try await visitor(redirect, saying: "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
    return try await text(of: socket)
  }

  private func text(of socket: PlainSocket) async throws -> String {
    var bytes: [UInt8] = []
    while let more = try await socket.receive() { bytes += more }
    socket.close()
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a browser that brings the code is thanked, one that brings nothing is led on`()
    async throws
  {
    let redirect = try LoopbackRedirect(thanks: "<thanks>", sorry: "sorry")
    async let code = redirect.code(for: Self.request)
    let way = try #require(WebAddress(redirect.entrance)).target
    #expect(way.count > 8 && redirect.entrance.hasPrefix(redirect.address))
    #expect(try await page(way, redirect).contains("Location: https://a.example/authorize?x=1\r\n"))
    // Other users of this machine can connect as well: they learn nothing of the request.
    #expect(try await page("/", redirect).contains("authorize") == false)
    #expect(try await page("/favicon.ico", redirect).hasPrefix("HTTP/1.1 404"))
    #expect(try await page("/?state=other&code=evil", redirect).hasPrefix("HTTP/1.1 404"))
    let end = try await page("/?code=c0de&state=s3cret", redirect)
    #expect(end.hasPrefix("HTTP/1.1 200") && end.contains("&lt;thanks>"))
    #expect(try await code == "c0de")
  }

  @Test func `visitors who say nothing, or half of something, block no one`() async throws {
    // Nobody's time is ever over here.
    let redirect = try LoopbackRedirect(thanks: "", sorry: "", sleep: { try await Self.never($0) })
    async let code = redirect.code(for: Self.request)
    var silent: [PlainSocket] = []
    for number in 0..<20 {
      silent.append(try await visitor(redirect, saying: number % 2 == 0 ? "" : "GET /?code=x&sta"))
    }
    #expect(try await page("/?code=c0de&state=s3cret", redirect).hasPrefix("HTTP/1.1 200"))
    #expect(try await code == "c0de")
    // With the code there, all of them are let go.
    for socket in silent { #expect((try? await socket.receive()) == nil) }
  }

  @Test func `visitors who say nothing are sent away when their time is over`() async throws {
    let clock = ManualClock()
    let redirect = try LoopbackRedirect(
      thanks: "", sorry: "", sleep: { try await clock.sleep(for: $0) })
    async let code = redirect.code(for: Self.request)
    // More than are listened to at once.
    var silent: [PlainSocket] = []
    for _ in 0..<40 { silent.append(try await visitor(redirect)) }
    let last = Task { try await page("/?code=c0de&state=s3cret", redirect) }
    #expect(await clock.waits(untilSleeping: 32))
    clock.advance(by: .seconds(10))
    #expect(try await last.value.hasPrefix("HTTP/1.1 200"))
    #expect(try await code == "c0de")
    for socket in silent { socket.close() }
  }

  @Test func `a request without end is not read to it`() async throws {
    let redirect = try LoopbackRedirect(thanks: "", sorry: "", sleep: { try await Self.never($0) })
    async let code = redirect.code(for: Self.request)
    let endless = try await visitor(redirect, saying: String(repeating: "a", count: 20_000))
    // The client gets an answer, or is disconnected in the middle of its request.
    while (try? await endless.receive()) != nil {}
    #expect(try await page("/?code=c0de&state=s3cret", redirect).hasPrefix("HTTP/1.1 200"))
    #expect(try await code == "c0de")
  }

  @Test func `a user's refusal is reported, and giving up ends the wait`() async throws {
    let redirect = try LoopbackRedirect(thanks: "", sorry: "sorry")
    let refused = Task { try await redirect.code(for: Self.request) }
    #expect(
      try await page("/?error=access_denied&state=s3cret", redirect).contains("sorry"))
    let problem = await #expect(throws: ConnectionProblem.self) { try await refused.value }
    #expect(problem?.kind == .declined && problem?.detail == "access_denied")
    // The server's own no is another matter.
    let failed = Task { try await redirect.code(for: Self.request) }
    #expect(
      try await page("/?error=unauthorized_client&state=s3cret", redirect).contains("sorry"))
    let other = await #expect(throws: ConnectionProblem.self) { try await failed.value }
    #expect(other?.kind == .notAuthorized && other?.detail == "unauthorized_client")
    let given = Task { try await redirect.code(for: Self.request) }
    let silent = try await visitor(redirect)
    given.cancel()
    await #expect(throws: CancellationError.self) { try await given.value }
    silent.close()
    let closed = Task { try await redirect.code(for: Self.request) }
    redirect.close()
    await #expect(throws: ConnectionProblem.self) { try await closed.value }
  }
}
