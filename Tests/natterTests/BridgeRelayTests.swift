import JSONLines
import NatterCore
import Sockets
import TestSupport
import Testing

@testable import natter

/// A client over several processes that answer for an account, one after the other.
@Suite struct BridgeRelayTests {
  /// Hands out a connection each time, whose other end the test has.
  private final class Upstreams: BridgeUpstreams {
    private let made: AsyncStream<LineConnection>
    private let make: AsyncStream<LineConnection>.Continuation
    init() { (made, make) = AsyncStream<LineConnection>.makeStream() }

    func connection() async throws -> LineConnection {
      let pair = try LineConnection.pair()
      make.yield(pair.server)
      return pair.client
    }

    func next() async -> LineConnection? { await made.first { _ in true } }
  }

  private let upstreams = Upstreams()
  private let client: LineConnection
  private let relay: BridgeRelay

  init() throws {
    let pair = try LineConnection.pair()
    client = pair.client
    relay = BridgeRelay(pair.server, upstreams)
  }

  /// Reads the next line.
  private func next(_ connection: LineConnection) async throws -> JSONValue {
    var iterator = connection.lines.makeAsyncIterator()
    guard case .line(let bytes) = await iterator.next() else { throw SocketError.closed }
    return try JSONValue(parsing: bytes)
  }

  /// Reads the next line, and returns the code of the error in it.
  private func error(_ connection: LineConnection) async throws -> Int? {
    try await next(connection)["error"]?["code"]?.int
  }

  /// An event of a new message of a@x.
  private func event(_ cursor: Int, of subscription: String) -> String {
    #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"\#(subscription)","#
      + #""cursor":\#(cursor),"event":"message.new","data":{"account":"a@x"}}}"#
  }

  /// Runs the relay during `work`, which ends the client.
  private func relaying(
    _ relay: BridgeRelay? = nil, _ work: () async throws -> Void
  ) async throws {
    let running = Task { [relay = relay ?? self.relay] in try await relay.run() }
    do { try await work() } catch {
      running.cancel()
      throw error
    }
    client.close()
    try await running.value
  }

  @Test func `requests, answers and events pass`() async throws {
    try await relaying {
      let server = try #require(await upstreams.next())
      client.send(#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1}}"#)
      let hello = try await next(server)
      #expect(hello["method"] == .text("hello") && hello["params"]?["as"] == nil)
      server.send(#"{"jsonrpc":"2.0","id":1,"result":{"api":1}}"#)
      #expect(try await next(client)["result"]?["api"] == .integer(1))
      server.send(#"{"jsonrpc":"2.0","method":"event","params":{"event":"typing"}}"#)
      #expect(try await next(client)["params"]?["event"] == .text("typing"))
      client.send(#"{"jsonrpc":"2.0","method":"ping"}"#)
      let notification = try await next(server)
      #expect(notification["method"] == .text("ping"))
      let id = try #require(notification["id"]).text
      // The answer to a notification is dropped, as are answers to no request.
      server.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
      server.send(#"{"jsonrpc":"2.0","id":9,"result":{}}"#)
      client.send(#"{"jsonrpc":"2.0","id":"a","method":"version"}"#)
      #expect(try await next(server)["id"] == .text("a"))
      server.send(#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601}}"#)
      #expect(try await next(client)["error"]?["code"] == .integer(-32601))
    }
  }

  @Test func `the next process goes on after the last event, and answers what was left`()
    async throws
  {
    try await relaying {
      let first = try #require(await upstreams.next())
      client.send(#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1}}"#)
      _ = try await next(first)
      first.send(#"{"jsonrpc":"2.0","id":1,"result":{"api":1}}"#)
      client.send(
        #"{"jsonrpc":"2.0","id":2,"method":"events.subscribe","params":{"events":["message.new"]}}"#
      )
      _ = try await next(first)
      first.send(
        #"{"jsonrpc":"2.0","id":2,"result":{"subscription":"s1","after":{"a@x":4,"b@x":7}}}"#)
      first.send(event(5, of: "s1"))
      for _ in 0..<3 { _ = try await next(client) }
      client.send(#"{"jsonrpc":"2.0","id":3,"method":"rooms.list"}"#)
      _ = try await next(first)
      first.close()

      let second = try #require(await upstreams.next())
      let hello = try await next(second)
      #expect(hello["method"] == .text("hello") && hello["params"]?["api"] == .integer(1))
      let renewal = try await next(second)
      #expect(renewal["method"] == .text("events.subscribe"))
      #expect(renewal["params"]?["events"] == .array([.text("message.new")]))
      #expect(
        renewal["params"]?["after"] == .object(["a@x": .integer(5), "b@x": .integer(7)]))
      let repeated = try await next(second)
      #expect(repeated["id"] == .integer(3) && repeated["method"] == .text("rooms.list"))
      for (request, result) in [
        (hello, "{}"), (renewal, #"{"subscription":"s8"}"#), (repeated, "[]"),
      ] {
        let id = try #require(request["id"]).text
        second.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
      }
      // Only its own request is answered to the client.
      #expect(try await next(client)["id"] == .integer(3))
      second.send(event(6, of: "s8"))
      let event = try await next(client)
      #expect(event["params"]?["subscription"] == .text("s1"))
      #expect(event["params"]?["cursor"] == .integer(6))
      // A new subscription gets a name that no other one has.
      client.send(#"{"jsonrpc":"2.0","id":4,"method":"events.subscribe","params":{}}"#)
      _ = try await next(second)
      second.send(#"{"jsonrpc":"2.0","id":4,"result":{"subscription":"s1"}}"#)
      #expect(try await next(client)["result"]?["subscription"] == .text("s1-2"))
      client.send(
        #"{"jsonrpc":"2.0","id":5,"method":"events.unsubscribe","params":{"subscription":"s1"}}"#)
      let end = try await next(second)
      #expect(end["params"]?["subscription"] == .text("s8"))
      second.send(#"{"jsonrpc":"2.0","id":5,"result":{}}"#)
      #expect(try await next(client)["id"] == .integer(5))
    }
  }

  @Test func `a subscription that the next process refuses has ended`() async throws {
    try await relaying {
      let first = try #require(await upstreams.next())
      client.send(#"{"jsonrpc":"2.0","id":2,"method":"events.subscribe","params":{}}"#)
      _ = try await next(first)
      first.send(#"{"jsonrpc":"2.0","id":2,"result":{"subscription":"s1"}}"#)
      _ = try await next(client)
      first.close()
      let second = try #require(await upstreams.next())
      let id = try #require(try await next(second)["id"]).text
      second.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32001}}"#)
      let ended = try await next(client)
      #expect(ended["method"] == .text("event.ended"))
      #expect(ended["params"]?["subscription"] == .text("s1"))
    }
  }

  @Test func `a message has an id of its request before it is passed on, and keeps it`()
    async throws
  {
    try await relaying {
      let first = try #require(await upstreams.next())
      client.send(#"{"jsonrpc":"2.0","id":1,"method":"messages.send","params":{"body":"x"}}"#)
      client.send(
        #"{"jsonrpc":"2.0","id":2,"method":"messages.send","params":{"request_id":"mine"}}"#)
      let made = try #require(try await next(first)["params"]?["request_id"]?.string)
      #expect(made.utf8.count == 32)
      #expect(try await next(first)["params"]?["request_id"] == .text("mine"))
      first.close()
      let second = try #require(await upstreams.next())
      #expect(try await next(second)["params"]?["request_id"] == .text(made))
      #expect(try await next(second)["params"]?["request_id"] == .text("mine"))
      for id in 1...2 { second.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#) }
      for id in 1...2 { #expect(try await next(client)["id"] == .integer(id)) }
    }
  }

  @Test func `what is no request is answered at once, and twenty in a row end it`() async throws {
    try await relaying {
      for _ in 0..<3 {
        client.send("nonsense")
        #expect(try await error(client) == -32700)
      }
      client.send("[]")
      #expect(try await error(client) == -32600)
      client.send(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
      client.send(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
      let repeated = try await error(client)
      #expect(repeated == -32600)
      for _ in 0..<20 { client.send("nonsense") }
      for _ in 0..<20 { #expect(try await error(client) == -32700) }
      await #expect(throws: SocketError.closed) { try await next(client) }
    }
  }

  @Test func `no more requests wait than a process takes`() async throws {
    try await relaying {
      let server = try #require(await upstreams.next())
      for id in 1...BridgeLimits.open + 1 {
        client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
      }
      let refusal = try await next(client)
      #expect(refusal["id"] == .integer(BridgeLimits.open + 1))
      #expect(refusal["error"]?["code"] == .integer(-32005))
      #expect(refusal["error"]?["data"]?["text"] == .text("error.bridge.tooFast"))
      for id in 1...BridgeLimits.open {
        server.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
        _ = try await next(client)
      }
    }
  }

  @Test func `a named client says its name`() async throws {
    let pair = try LineConnection.pair()
    let relay = BridgeRelay(pair.server, upstreams, as: "bot")
    try await relaying(relay) {
      let server = try #require(await upstreams.next())
      pair.client.send(
        #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1,"as":"root"}}"#)
      #expect(try await next(server)["params"]?["as"] == .text("bot"))
      server.send(#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
      _ = try await next(pair.client)
      pair.client.close()
    }
  }

  @Test func `a named client cannot say hello without its name, nor end another process`()
    async throws
  {
    let pair = try LineConnection.pair()
    let relay = BridgeRelay(pair.server, upstreams, as: "bot")
    try await relaying(relay) {
      let server = try #require(await upstreams.next())
      pair.client.send(#"{"jsonrpc":"2.0","method":"hello","params":{"api":1}}"#)
      let hello = try await next(server)
      #expect(hello["params"]?["as"] == .text("bot"))
      let id = try #require(hello["id"]).text
      server.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
      for method in ["account.release", "shutdown"] {
        pair.client.send(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#)
        let refusal = try await error(pair.client)
        #expect(refusal == -32001)
      }
      pair.client.close()
    }
  }

  @Test func `a notification waits for a process, and for the next one`() async throws {
    try await relaying {
      client.send(
        #"{"jsonrpc":"2.0","method":"messages.send","params":{"body":"x"}}"#)
      let first = try #require(await upstreams.next())
      let sent = try await next(first)
      first.close()
      let second = try #require(await upstreams.next())
      // The same message, not another one.
      #expect(try await next(second) == sent)
      let id = try #require(sent["id"]).text
      second.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
    }
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
    #"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, #"{"jsonrpc":"2.0","id":1}"#, "{}",
    #"{"jsonrpc":"2.0","id":1,"method":5}"#,
    #"{"jsonrpc":"2.0","id":"\#(String(repeating: "x", count: 65))","method":"ping"}"#,
  ])
  func `a request that no process could answer is answered, and keeps nothing waiting`(
    line: String
  ) async throws {
    try await relaying {
      client.send(line)
      let refusal = try await error(client)
      #expect(refusal == -32600)
    }
  }

  @Test func `connections that end at once are not made without a pause`() async throws {
    let pair = try LineConnection.pair()
    let (pauses, paused) = AsyncStream<Void>.makeStream()
    var waiting = pauses.makeAsyncIterator()
    let relay = BridgeRelay(pair.server, upstreams) { paused.yield() }
    let running = Task { try await relay.run() }
    for _ in 0..<2 {
      let full = try #require(await upstreams.next())
      full.close()
      let pause: Void? = await waiting.next()
      #expect(pause != nil)
    }
    pair.client.close()
    try await running.value
  }

  @Test func `the end of the input waits for the answers`() async throws {
    let (near, far) = try PlainSocket.pair()
    let input = try PlainSocket.pair()
    // The input ends, and the output goes on, as with standard streams.
    let relay = BridgeRelay(LineConnection(Halves(input.1, far)), upstreams)
    let running = Task { try await relay.run() }
    try await input.0.send(Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n".utf8))
    input.0.close()
    let server = try #require(await upstreams.next())
    _ = try await next(server)
    server.send(#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
    let output = LineConnection(near)
    #expect(try await next(output)["id"] == .integer(1))
    try await running.value
    await #expect(throws: SocketError.closed) { try await next(output) }
  }

  /// A stream that reads from one socket and writes into another one.
  private final class Halves: ByteStream {
    private let input: PlainSocket
    private let output: PlainSocket
    var isSecure: Bool { false }
    var isLoopback: Bool { true }
    init(_ input: PlainSocket, _ output: PlainSocket) {
      (self.input, self.output) = (input, output)
    }
    func receive() async throws(SocketError) -> [UInt8]? { try await input.receive() }
    func send(_ bytes: [UInt8]) async throws(SocketError) { try await output.send(bytes) }
    func close() {
      input.close()
      output.close()
    }
  }
}
