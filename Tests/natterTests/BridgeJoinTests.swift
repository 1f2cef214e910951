import BridgeService
import JSONLines
import Sockets
import TestSupport
import Testing
import XMPP

@testable import natter

/// A client of several accounts in one stream.
@Suite struct BridgeJoinTests {
  /// The process of one account, whose end the test has.
  private final class Upstream: BridgeUpstreams {
    private let made: AsyncStream<LineConnection>
    private let make: AsyncStream<LineConnection>.Continuation
    private let failure: (any Error)?

    init(failure: (any Error)? = nil) {
      (made, make) = AsyncStream<LineConnection>.makeStream()
      self.failure = failure
    }

    func connection() async throws -> LineConnection {
      if let failure { throw failure }
      let pair = try LineConnection.pair()
      make.yield(pair.server)
      return pair.client
    }

    func next() async throws -> LineConnection {
      guard let connection = await made.first(where: { _ in true }) else {
        throw SocketError.closed
      }
      return connection
    }
  }

  /// The process of an account that cannot be opened after all.
  private final class LateFailure: BridgeUpstreams {
    struct NoSecret: Error {}
    let failing = OneShot<Void>()

    func connection() async throws -> LineConnection {
      await failing.value()
      throw NoSecret()
    }
  }

  private static let names = ["a", "b"].map { JID(local: $0, domain: "x") }

  private func next(_ connection: LineConnection) async throws -> JSONValue {
    var iterator = connection.lines.makeAsyncIterator()
    guard case .line(let bytes) = await iterator.next() else { throw SocketError.closed }
    return try JSONValue(parsing: bytes)
  }

  private func ask(_ method: String, _ parameters: String = "{}", id: Int) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#
  }

  /// Answers the next request of a process, which has to be of that method.
  private func answer(
    _ server: LineConnection, _ method: String, _ result: String
  ) async throws {
    let request = try await next(server)
    #expect(request["method"] == .text(method))
    let id = request["id"]?.text ?? ""
    server.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
  }

  /// Runs a join of two accounts during `work`, which gets the client.
  private func serving(
    _ upstreams: [any BridgeUpstreams], _ work: (LineConnection) async throws -> Void
  ) async throws {
    let pair = try LineConnection.pair()
    let join = try BridgeJoin(pair.server, zip(Self.names, upstreams).map { ($0, $1) })
    let running = Task { try await join.run() }
    do { try await work(pair.client) } catch {
      running.cancel()
      throw error
    }
    pair.client.close()
    try await running.value
  }

  /// Runs a join of two accounts during `work`, which gets the client and both processes.
  private func joining(
    _ work: (LineConnection, LineConnection, LineConnection) async throws -> Void
  ) async throws {
    let upstreams = [Upstream(), Upstream()]
    try await serving(upstreams) { client in
      let (one, other) = (try await upstreams[0].next(), try await upstreams[1].next())
      client.send(ask("hello", #"{"api":1}"#, id: 1))
      try await answer(one, "hello", #"{"api":1}"#)
      #expect(try await next(client)["id"] == .integer(1))
      try await answer(other, "hello", #"{"api":1}"#)
      try await work(client, one, other)
    }
  }

  /// Runs a join of an account that fails when the test says so, and another one, during `work`,
  /// which gets the client and the process of the other account.
  private func joiningLateFailure(
    _ work: (LineConnection, LateFailure, LineConnection) async throws -> Void
  ) async throws {
    let (late, other) = (LateFailure(), Upstream())
    try await serving([late, other]) { client in
      let server = try await other.next()
      client.send(ask("hello", #"{"api":1}"#, id: 1))
      try await work(client, late, server)
    }
  }

  @Test func `a request goes to its account, and needs one`() async throws {
    try await joining { client, one, other in
      client.send(ask("rooms.join", #"{"account":"b@x","conversation":"t@r"}"#, id: 2))
      try await answer(other, "rooms.join", "{}")
      #expect(try await next(client)["id"] == .integer(2))
      client.send(ask("rooms.join", #"{"conversation":"t@r"}"#, id: 3))
      let refusal = try await next(client)
      #expect(refusal["error"]?["code"] == .integer(-32602))
      #expect(refusal["error"]?["data"]?["path"] == .text("account"))
      // What needs no account is answered by one process.
      client.send(ask("version", id: 4))
      try await answer(one, "version", #"{"api":1}"#)
      #expect(try await next(client)["id"] == .integer(4))
    }
  }

  @Test func `lists of both accounts become one`() async throws {
    try await joining { client, one, other in
      client.send(ask("contacts.list", id: 2))
      try await answer(one, "contacts.list", #"{"contacts":[{"address":"p@x"}],"more":true}"#)
      try await answer(one, "contacts.list", #"{"contacts":[{"address":"q@x"}],"more":false}"#)
      try await answer(other, "contacts.list", #"{"contacts":[{"address":"r@x"}],"more":false}"#)
      let list = try await next(client)["result"]?["contacts"]?.elements
      #expect(list?.compactMap { $0["address"]?.string } == ["p@x", "q@x", "r@x"])
    }
  }

  @Test func `events of both accounts have one subscription`() async throws {
    try await joining { client, one, other in
      client.send(ask("events.subscribe", #"{"events":["message.new"]}"#, id: 2))
      try await answer(one, "events.subscribe", #"{"subscription":"s1","after":{"a@x":1}}"#)
      try await answer(other, "events.subscribe", #"{"subscription":"s1","after":{"b@x":2}}"#)
      let begun = try await next(client)["result"]
      #expect(begun?["after"] == .object(["a@x": .integer(1), "b@x": .integer(2)]))
      other.send(
        #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s1","cursor":3,"#
          + #""event":"message.new","data":{"account":"b@x"}}}"#)
      let event = try await next(client)["params"]
      #expect(event?["subscription"] == begun?["subscription"])
      #expect(event?["data"]?["account"] == .text("b@x"))
      client.send(ask("events.unsubscribe", #"{"subscription":"s1"}"#, id: 3))
      #expect(try await next(client)["id"] == .integer(3))
      for server in [one, other] {
        #expect(try await next(server)["method"] == .text("events.unsubscribe"))
      }
    }
  }

  @Test func `a subscription leaves out an account without the right, unless there is no other`()
    async throws
  {
    func refuse(_ server: LineConnection) async throws {
      let id = try await next(server)["id"]?.text ?? ""
      server.send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-32001,"message":"no"}}"#)
    }
    try await joining { client, one, other in
      client.send(ask("events.subscribe", #"{"events":["message.new"]}"#, id: 2))
      try await refuse(one)
      try await answer(other, "events.subscribe", #"{"subscription":"s1","after":{"b@x":2}}"#)
      let begun = try await next(client)["result"]
      #expect(begun?["after"] == .object(["b@x": .integer(2)]))
      client.send(ask("events.subscribe", #"{"events":["message.new"]}"#, id: 3))
      try await refuse(one)
      try await refuse(other)
      #expect(try await next(client)["error"]?["code"] == .integer(-32001))
    }
  }

  @Test func `a second request with an open id is refused, and the first is answered`()
    async throws
  {
    try await joining { client, _, other in
      for _ in 1...2 { client.send(ask("rooms.list", #"{"account":"b@x"}"#, id: 2)) }
      #expect(try await next(client)["error"]?["code"] == .integer(-32600))
      try await answer(other, "rooms.list", #"{"rooms":[]}"#)
      let first = try await next(client)
      #expect(first["id"] == .integer(2))
      #expect(first["result"]?["rooms"] == .array([]))
    }
  }

  @Test func `a request is answered whose account cannot be served after all`() async throws {
    try await joiningLateFailure { client, late, server in
      try await answer(server, "hello", #"{"api":1}"#)
      #expect(try await next(client)["id"] == .integer(1))
      client.send(ask("rooms.list", #"{"account":"a@x"}"#, id: 2))
      client.send(ask("rooms.list", #"{"account":"b@x"}"#, id: 3))
      try await answer(server, "rooms.list", "{}")
      #expect(try await next(client)["id"] == .integer(3))
      late.failing.settle(())
      let refusal = try await next(client)
      #expect(refusal["id"] == .integer(2))
      #expect(refusal["error"]?["code"] == .integer(-32011))
    }
  }

  @Test func `the id of a greeting can be used again while an account has not answered it`()
    async throws
  {
    try await joiningLateFailure { client, late, server in
      try await answer(server, "hello", #"{"api":1}"#)
      #expect(try await next(client)["id"] == .integer(1))
      client.send(ask("rooms.list", #"{"account":"b@x"}"#, id: 1))
      let asked = try await next(server)
      // The other account fails, and so its answer to the greeting comes.
      client.send(ask("rooms.list", #"{"account":"a@x"}"#, id: 2))
      late.failing.settle(())
      #expect(try await next(client)["id"] == .integer(2))
      let id = try #require(asked["id"]).text
      server.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"rooms":[]}}"#)
      let answer = try await next(client)
      #expect(answer["id"] == .integer(1) && answer["result"]?["rooms"] == .array([]))
    }
  }

  @Test func `an account that cannot be served after all does not refuse the greeting`()
    async throws
  {
    try await joiningLateFailure { client, late, server in
      let greeting = try await next(server)
      late.failing.settle(())
      // Answered when that account has failed.
      client.send(ask("rooms.list", #"{"account":"a@x"}"#, id: 2))
      #expect(try await next(client)["id"] == .integer(2))
      let id = try #require(greeting["id"]).text
      server.send(#"{"jsonrpc":"2.0","id":\#(id),"result":{"api":1}}"#)
      let answer = try await next(client)
      #expect(answer["id"] == .integer(1) && answer["result"]?["api"] == .integer(1))
    }
  }

  @Test func `every event reaches the client, in the order of its account`() async throws {
    try await joining { client, one, other in
      client.send(ask("events.subscribe", #"{"events":["message.new"]}"#, id: 2))
      try await answer(one, "events.subscribe", #"{"subscription":"s1","after":{}}"#)
      try await answer(other, "events.subscribe", #"{"subscription":"s1","after":{}}"#)
      #expect(try await next(client)["id"] == .integer(2))
      let count = 400
      let feeds = [one, other].enumerated().map { index, server in
        Task {
          for cursor in 1...count {
            await server.sendInTurn(
              #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"s1","cursor":"#
                + #"\#(cursor),"event":"message.new","data":{"account":"\#(Self.names[index])"}}}"#)
          }
        }
      }
      var cursors: [String: [Int]] = [:]
      for _ in 1...(2 * count) {
        let event = try await next(client)["params"]
        cursors[event?["data"]?["account"]?.string ?? "", default: []]
          .append(event?["cursor"]?.int ?? 0)
      }
      for feed in feeds { await feed.value }
      #expect(cursors == ["a@x": Array(1...count), "b@x": Array(1...count)])
    }
  }

  @Test func `an account that cannot be served leaves the others`() async throws {
    struct NoSecret: Error {}
    let upstreams = [Upstream(failure: NoSecret()), Upstream()]
    let pair = try LineConnection.pair()
    let join = try BridgeJoin(pair.server, zip(Self.names, upstreams).map { ($0, $1) })
    let running = Task { try await join.run() }
    let other = try await upstreams[1].next()
    pair.client.send(ask("hello", #"{"api":1}"#, id: 1))
    try await answer(other, "hello", #"{"api":1}"#)
    #expect(try await next(pair.client)["id"] == .integer(1))
    pair.client.send(ask("rooms.list", #"{"account":"a@x"}"#, id: 2))
    #expect(try await next(pair.client)["error"]?["code"] == .integer(-32011))
    pair.client.close()
    try await running.value
    // With no account left, the reason ends it.
    let alone = try LineConnection.pair()
    let failing = try BridgeJoin(
      alone.server, [(Self.names[0], Upstream(failure: NoSecret()))])
    await #expect(throws: NoSecret.self) { try await failing.run() }
  }
}
