import JSONLines
import Sockets
import Testing

@testable import natter

/// The messages that `natter tail` reads.
@Suite struct TailSubscriptionTests {
  /// Hands out one connection, whose other end the test has.
  private final class Upstream: BridgeUpstreams {
    private let connection: LineConnection
    init(_ connection: LineConnection) { self.connection = connection }
    func connection() async throws -> LineConnection { connection }
  }

  private let server: LineConnection
  private let client: BridgeClient

  init() throws {
    let pair = try LineConnection.pair()
    server = pair.server
    client = try BridgeClient(Upstream(pair.client))
  }

  /// Answers the next request.
  private func answer(_ method: String, _ result: String) async throws -> JSONValue? {
    var iterator = server.lines.makeAsyncIterator()
    guard case .line(let bytes) = await iterator.next() else { throw SocketError.closed }
    let request = try JSONValue(parsing: bytes)
    #expect(request["method"] == .text(method))
    let id = try #require(request["id"]).text
    server.send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
    return request["params"]
  }

  private func send(_ event: String, _ data: String, of subscription: String) {
    server.send(
      #"{"jsonrpc":"2.0","method":"event","params":{"subscription":"\#(subscription)","#
        + #""event":"\#(event)","data":\#(data)}}"#)
  }

  @Test func `messages that were dropped are read from the store`() async throws {
    let reading = Task { [client] in
      var subscription = try await TailSubscription(client, ["in": .array([.text("rooms")])])
      var ids: [String] = []
      while ids.count < 3 { ids.append(try await subscription.next()["id"]?.string ?? "") }
      return ids
    }
    let first = try await answer("events.subscribe", #"{"subscription":"s1"}"#)
    #expect(first?["in"] == .array([.text("rooms")]) && first?["after"] == nil)
    send("message.new", #"{"id":"1"}"#, of: "s1")
    send("event.gap", #"{"after":{"a@x":1}}"#, of: "s1")
    // It comes again with the next subscription.
    send("message.new", #"{"id":"3"}"#, of: "s1")
    let end = try await answer("events.unsubscribe", "{}")
    #expect(end?["subscription"] == .text("s1"))
    let second = try await answer("events.subscribe", #"{"subscription":"s2"}"#)
    #expect(second?["in"] == first?["in"])
    #expect(second?["after"] == .object(["a@x": .integer(1)]))
    for id in 2...3 { send("message.new", #"{"id":"\#(id)"}"#, of: "s2") }
    #expect(try await reading.value == ["1", "2", "3"])
    client.close()
  }

  @Test func `a subscription that has ended is an error`() async throws {
    let reading = Task { [client] in
      var subscription = try await TailSubscription(client, [:])
      _ = try await subscription.next()
    }
    _ = try await answer("events.subscribe", #"{"subscription":"s1"}"#)
    server.send(
      #"{"jsonrpc":"2.0","method":"event.ended","params":{"subscription":"s1"}}"#)
    await #expect(throws: BridgeClient.Lost.self) { try await reading.value }
    client.close()
  }

  @Test func `a process that does not answer is not waited for`() async throws {
    await #expect(throws: BridgeClient.Silent.self) {
      try await client.greet(within: .milliseconds(1))
    }
    let pair = try LineConnection.pair()
    let lost = try BridgeClient(Upstream(pair.client))
    lost.close()
    await #expect(throws: BridgeClient.Lost.self) { try await lost.greet(within: .seconds(60)) }
  }
}
