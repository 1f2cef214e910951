import Foundation
import Sockets
import Synchronization
import TestSupport
import Testing

@testable import HTTP

@Suite struct CurlTransportTests {
  private let transport = CurlTransport()

  private func address(_ peer: HTTPPeer, _ target: String = "/") throws -> WebAddress {
    try #require(WebAddress(peer.address + target))
  }

  private func error(_ request: HTTPRequest) async -> HTTPError? {
    do throws(HTTPError) {
      _ = try await transport.send(request)
      return nil
    } catch { return error }
  }

  // MARK: Requests and replies

  @Test func `a request and its reply`() async throws {
    let peer = try HTTPPeer { _ in .answer(203, headers: [("X-Answer", " yes ")], body: [1, 2, 3]) }
    let response = try await transport.send(
      HTTPRequest(.get, try address(peer, "/a?b=c"), headers: ["X-Ask": "1", "X-Empty": ""]))
    #expect(response.status == 203)
    #expect(response.headers["x-answer"]?.hasPrefix("yes") == true)
    #expect(response.body == [1, 2, 3])
    let asked = try #require(peer.requests.first)
    #expect(asked.method == "GET")
    #expect(asked.target == "/a?b=c")
    #expect(asked.headers["x-ask"] == "1")
    #expect(asked.headers["x-empty"] == "")
    #expect(asked.headers["user-agent"] == "Natter")
    #expect(asked.headers["expect"] == nil)
  }

  @Test(arguments: [HTTPRequest.Method.post, .put, .delete])
  func `bytes are sent by each method`(method: HTTPRequest.Method) async throws {
    let peer = try HTTPPeer { _ in .answer(200) }
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for body in [bytes, []] {
      _ = try await transport.send(
        HTTPRequest(
          method, try address(peer), headers: ["Content-Type": "text/x"], body: .bytes(body)))
      #expect(peer.requests.last?.method == method.rawValue)
      #expect(peer.requests.last?.body == body)
      #expect(peer.requests.last?.headers["content-type"] == "text/x")
    }
    _ = try await transport.send(HTTPRequest(method, try address(peer)))
    #expect(peer.requests.last?.method == method.rawValue)
  }

  @Test func `a form is encoded`() async throws {
    let peer = try HTTPPeer { _ in .json("{}") }
    _ = try await transport.send(
      .form(try address(peer), [("grant_type", "password"), ("password", "a&b=c d+é")]))
    #expect(peer.requests.first?.text == "grant_type=password&password=a%26b%3Dc%20d%2B%C3%A9")
    #expect(
      peer.requests.first?.headers["content-type"] == "application/x-www-form-urlencoded")
  }

  @Test func `HEAD has a length and no body`() async throws {
    let peer = try HTTPPeer { _ in .answer(200, headers: [("Content-Length", "12345")]) }
    let response = try await transport.send(HTTPRequest(.head, try address(peer)))
    #expect(response.contentLength == 12345)
    #expect(response.body == [])
  }

  @Test func `a status that says no is a reply`() async throws {
    let peer = try HTTPPeer { _ in .answer(404, body: Array("gone".utf8)) }
    let response = try await transport.send(HTTPRequest(.get, try address(peer)))
    #expect(response.status == 404)
    #expect(!response.isSuccess)
    #expect(response.body == Array("gone".utf8))
  }

  @Test func `a connection is used again`() async throws {
    let peer = try HTTPPeer { _ in .answer(200) }
    for _ in 0..<5 { _ = try await transport.send(HTTPRequest(.get, try address(peer))) }
    #expect(peer.requests.count == 5)
    #expect(peer.connectionCount == 1)
  }

  @Test func `many at once all end`() async throws {
    let peer = try HTTPPeer { .answer(200, body: Array($0.target.utf8)) }
    let address = try address(peer, "/")
    let bodies = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<40 {
        group.addTask { [transport] in
          let one = try #require(WebAddress("\(address)\(number)"))
          return String(
            decoding: try await transport.send(HTTPRequest(.get, one)).body, as: UTF8.self)
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(bodies == Set((0..<40).map { "/\($0)" }))
  }

  // MARK: Redirections

  @Test func `a redirection on the same server is followed with its credentials`() async throws {
    let peer = try HTTPPeer { request in
      request.target == "/old" ? .answer(302, headers: [("Location", "/new")]) : .answer(200)
    }
    let response = try await transport.send(
      HTTPRequest(.get, try address(peer, "/old"), headers: ["Authorization": "Bearer x"]))
    #expect(response.status == 200)
    #expect(response.address.target == "/new")
    #expect(peer.requests.last?.headers["authorization"] == "Bearer x")
  }

  @Test func `credentials do not go to another server`() async throws {
    let other = try HTTPPeer { _ in .answer(200) }
    let peer = try HTTPPeer { [address = other.address] _ in
      .answer(307, headers: [("Location", address + "/there")])
    }
    let headers: HTTPHeaders = ["Authorization": "Bearer x", "Cookie": "a=b", "Range": "bytes=0-"]
    _ = try await transport.send(
      HTTPRequest(.get, try address(peer), headers: headers, redirects: .anyServer))
    let asked = try #require(other.requests.first)
    #expect(asked.headers["authorization"] == nil)
    #expect(asked.headers["cookie"] == nil)
    #expect(asked.headers["range"] == "bytes=0-")
    #expect(
      await error(HTTPRequest(.get, try address(peer), headers: headers))
        == .redirectRefused(to: other.address + "/there"))
    #expect(other.requests.count == 1)
  }

  @Test(arguments: [
    "http://example.org/", "file:///etc/passwd", "ftp://example.org/", "https://u:p@example.org/",
    "gopher://127.0.0.1:25/x", "data:text/plain,x",
  ])
  func `redirections to anywhere unsafe are refused`(target: String) async throws {
    let peer = try HTTPPeer { _ in .answer(301, headers: [("Location", target)]) }
    let found = await error(HTTPRequest(.get, try address(peer), redirects: .anyServer))
    guard case .redirectRefused = found else {
      Issue.record("\(String(describing: found))")
      return
    }
  }

  @Test func `what is sent is never sent elsewhere`() async throws {
    let peer = try HTTPPeer { _ in .answer(307, headers: [("Location", "/other")]) }
    let request = HTTPRequest(
      .put, try address(peer), body: .bytes([1]), redirects: .anyServer)
    #expect(await error(request) == .redirectRefused(to: peer.address + "/other"))
    #expect(peer.requests.count == 1)
  }

  @Test func `a circle of redirections ends`() async throws {
    let peer = try HTTPPeer { _ in .answer(302, headers: [("Location", "/again")]) }
    #expect(await error(HTTPRequest(.get, try address(peer))) == .tooManyRedirects)
  }

  // MARK: What is refused before a byte is sent

  @Test func `only this machine is asked without TLS`() async throws {
    let address = try #require(WebAddress("http://example.org/"))
    #expect(await error(HTTPRequest(.get, address)) == .clearTextRefused(host: "example.org"))
  }

  @Test func `a header that holds a line end is refused`() async throws {
    let peer = try HTTPPeer { _ in .answer(200) }
    for (name, value) in [
      ("A", "b\r\nEvil: yes"), ("A\r\nEvil", "yes"), ("A", "\n"), ("A", "\u{0}"),
    ] {
      let request = HTTPRequest(.get, try address(peer), headers: [name: value])
      #expect(await error(request) == .invalidHeader(name: name))
    }
    #expect(peer.connectionCount == 0)
  }

  // MARK: Failures

  @Test func `no server there`() async throws {
    let port = try LoopbackPort.free()
    let address = try #require(WebAddress("http://127.0.0.1:\(port)/"))
    #expect(await error(HTTPRequest(.get, address)) == .refused(host: "127.0.0.1", port: Int(port)))
    let unknown = try #require(WebAddress("https://no-such-host.invalid/"))
    #expect(await error(HTTPRequest(.get, unknown)) == .unknownHost("no-such-host.invalid"))
  }

  @Test func `a server that says nothing is given up`() async throws {
    let peer = try HTTPPeer { _ in .stall() }
    let limits = HTTPRequest.TimeLimits(total: .milliseconds(200))
    #expect(
      await error(HTTPRequest(.get, try address(peer), timeLimits: limits))
        == .timedOut(host: "127.0.0.1"))
  }

  @Test func `a connection that is reset`() async throws {
    let peer = try HTTPPeer { _ in .reset() }
    #expect(await error(HTTPRequest(.get, try address(peer))) == .broken(host: "127.0.0.1"))
  }

  @Test func `a body shorter than its length`() async throws {
    let peer = try HTTPPeer { _ in
      .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345".utf8))
    }
    #expect(await error(HTTPRequest(.get, try address(peer))) == .incomplete(host: "127.0.0.1"))
  }

  @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "\u{1}\u{2}\u{3}", "HTTP/9.9 200 OK\r\n\r\n"])
  func `what is no HTTP`(text: String) async throws {
    let peer = try HTTPPeer { _ in .raw(Array(text.utf8)) }
    guard case .malformed = await error(HTTPRequest(.get, try address(peer))) else {
      Issue.record("\(String(describing: await error(HTTPRequest(.get, try address(peer)))))")
      return
    }
  }

  @Test func `a body over the limit is not read to its end`() async throws {
    let reported = try HTTPPeer { _ in .answer(200, body: [UInt8](repeating: 65, count: 5000)) }
    let unreported = try HTTPPeer { _ in
      .raw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 65, count: 5000))
    }
    for peer in [reported, unreported] {
      #expect(
        await error(HTTPRequest(.get, try address(peer), sizeLimit: 4999))
          == .tooLarge(limit: 4999))
      #expect(await error(HTTPRequest(.get, try address(peer), sizeLimit: 5000)) == nil)
    }
  }

  @Test func `headers without end are not read to it`() async throws {
    let line = "X-Filler: " + String(repeating: "x", count: 8000) + "\r\n"
    let peer = try HTTPPeer { _ in
      .raw(Array(("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 100)).utf8))
    }
    guard case .malformed = await error(HTTPRequest(.get, try address(peer))) else {
      Issue.record("not refused")
      return
    }
  }

  @Test func `a cancelled task ends its request, and others go on`() async throws {
    let peer = try HTTPPeer { $0.target == "/never" ? .stall() : .answer(200) }
    let address = try address(peer, "/never")
    let waiting = Task { [transport] in
      do throws(HTTPError) {
        _ = try await transport.send(HTTPRequest(.get, address))
        return HTTPError?.none
      } catch { return error }
    }
    #expect(await peer.hears { $0.target == "/never" })
    waiting.cancel()
    #expect(await waiting.value == .cancelled)
    #expect(try await transport.send(HTTPRequest(.get, self.address(peer))).status == 200)
  }
}
