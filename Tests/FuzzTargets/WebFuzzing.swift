import API
import Crypto
import FoundationEssentials
import HTTP
import NatterCore
import Sockets
import Synchronization
import XMPP

/// The replies of web servers. The first byte chooses the call; replies are parted by lines that
/// hold `%%`, each a status, lines with headers, an empty line and the body.
enum WebFuzzing {
  private static let login = HTTPLogin(
    tokenEndpoint: "https://a.example/t", deviceEndpoint: "https://a.example/d",
    authorizationEndpoint: "https://a.example/a", revocationEndpoint: "https://a.example/r",
    registrationEndpoint: "https://a.example/n", grants: [.password, .deviceCode], scope: "xmpp")

  @Sendable static func run(_ bytes: [UInt8]) async throws {
    var input = FuzzInput(bytes)
    let choice = input.choice(of: 9)
    let web = ScriptedReplies(replies(input.lines))
    let client = APIClient(transport: web)
    let patience = Patience()
    let tokens = TokenClient(
      client: { _ in client }, crypto: CryptoLibrary(), now: { .init(timeIntervalSince1970: 0) },
      sleep: { _ in try patience.sleep() })
    let account = Account(jid: JID(local: "alice", domain: "a.example"))
    switch choice {
    case 0:
      let discovery = LoginDiscovery(client: { _ in client })
      if let found = try? await discovery.login(of: account, hint: nil) {
        _ = try? await tokens.known(found)
      }
    case 1:
      if let request = try? await tokens.deviceRequest(at: login) {
        _ = try? await tokens.token(for: request)
      }
    case 2:
      if let request = try? await tokens.browserRequest(
        at: login, redirect: "http://127.0.0.1:1/")
      {
        _ = tokens.code(in: input.text, for: request)
        _ = BrowserAnswer(input.text, state: request.state)
        _ = try? await tokens.token(for: request, code: "code")
      }
    case 3:
      let old = AccessToken(value: "t", refreshToken: "r", scope: "xmpp", login: login)
      if let new = try? await tokens.renewed(old) { try? await tokens.revoke(new) }
    case 4: _ = try? await client.describe("https://a.example/file")
    case 5: _ = try? await tokens.token(for: "alice@a.example", password: "p", at: login)
    case 6:
      let discovery = LoginDiscovery(client: { _ in client })
      _ = try? await discovery.login(of: account, hint: input.text)
    case 7:
      _ = TokenRefusal(json: Array(input.rest))
      _ = PictureHeader(input.rest)
    default: try nameServer(Array(input.rest))
    }
  }

  /// Not the web, but on the way to it: what a name server answers.
  private static func nameServer(_ message: [UInt8]) throws {
    for record in DNSMessage.serviceRecords(in: message) ?? [] {
      try require(
        (0...65535).contains(record.port) && (0...65535).contains(record.priority),
        "a service at port \(record.port)")
      _ = DomainName.ascii(record.target)
    }
  }

  private static func replies(_ lines: [ArraySlice<UInt8>]) -> [ScriptedReplies.Reply] {
    lines.split(separator: Array("%%".utf8)[...], omittingEmptySubsequences: false).map { part in
      let texts = part.map { String(decoding: $0, as: UTF8.self) }
      var headers = HTTPHeaders()
      let head = texts.prefix { !$0.isEmpty }
      for line in head.dropFirst() {
        let pair = line.split(separator: ":", maxSplits: 1).map(String.init)
        if pair.count == 2 { headers.append(pair[0], String(pair[1].drop { $0 == " " })) }
      }
      let body = texts.dropFirst(head.count + 1).joined(separator: "\n")
      return (head.first.flatMap { Int($0) } ?? 200, headers, Array(body.utf8))
    }
  }
}

/// Sleeps that take no time, of which there is an end.
private final class Patience: Sendable {
  private let left = Mutex(20)

  func sleep() throws {
    let isOver = left.withLock { left -> Bool in
      left -= 1
      return left < 0
    }
    if isOver { throw CancellationError() }
  }
}

/// A web whose servers give these replies, one after the other, and then none.
final class ScriptedReplies: HTTPTransport {
  typealias Reply = (status: Int, headers: HTTPHeaders, body: [UInt8])

  private let replies: Mutex<ArraySlice<Reply>>

  init(_ replies: [Reply]) { self.replies = Mutex(replies[...]) }

  func send(_ request: HTTPRequest, control: TransferControl?) async throws(HTTPError)
    -> HTTPResponse
  {
    guard let reply = replies.withLock({ $0.popFirst() }) else {
      throw .refused(host: request.address.host, port: request.address.port)
    }
    let response = HTTPResponse(
      status: reply.status, headers: reply.headers, body: reply.body, address: request.address)
    _ = (response.contentLength, response.isEncoded, response.wholeLength, response.mediaType)
    return response
  }
}
