import BridgeService
import Foundation
import JSONLines
import NatterCore
import Storage
import Synchronization
import TestSupport
import Testing
import XMPP

@testable import natter

/// The choice of the process that answers for an account.
@Suite struct AccountGatewayTests {
  /// The state that a test decides, and a record of the gateway's calls.
  private nonisolated struct World {
    var listener: String?
    var isLocked = false
    var version = 0
    var opened = 0
    var closed = 0
    var reads = 0
  }
  private let world = SharedWorld()
  private nonisolated final class SharedWorld: Sendable {
    let state = Mutex(World())
  }

  /// Answers each line with a name.
  private nonisolated struct Named: BridgeServing {
    let name: String
    func serve(_ connection: any BridgeConnection, for client: NatterCore.BridgeClient?) async {
      for await _ in connection.lines { _ = connection.send(name) }
    }
  }

  private nonisolated static func connection(to name: String) throws -> LineConnection {
    let pair = try LineConnection.pair()
    Task {
      await Named(name: name).serve(pair.server)
      pair.server.close()
    }
    return pair.client
  }

  private nonisolated final class Owner: AccountOwning {
    let world: SharedWorld
    init(_ world: SharedWorld) { self.world = world }
    func connect() async -> LineConnection? {
      world.state.withLock { $0.closed < $0.opened }
        ? try? AccountGatewayTests.connection(to: "own") : nil
    }
    func close() async { world.state.withLock { $0.closed += 1 } }
  }

  private func gateway(isOffline: Bool = false) -> AccountGateway {
    let world = world
    var open: (@Sendable () async throws -> any AccountOwning)?
    if !isOffline {
      open = {
        try world.state.withLock { state in
          if state.isLocked { throw StorageError.locked(by: 42) }
          state.opened += 1
        }
        return Owner(world)
      }
    }
    return AccountGateway(
      AccountGateway.Means(
        connect: {
          guard let name = world.state.withLock(\.listener) else { return nil }
          return try? Self.connection(to: name)
        }, open: open, isFree: { world.state.withLock { !$0.isLocked } },
        read: {
          world.state.withLock { $0.reads += 1 }
          return StoredBridge(
            JID(local: "me", domain: "natter.test"), bridge: Named(name: "stored"),
            spool: MessageSpool(besideDatabase: "/nowhere/me.db"), originIDs: { _, _ in [] }
          ) {}
        }, version: { [world.state.withLock(\.version)] }),
      patience: .milliseconds(100), interval: .milliseconds(10), yielding: .seconds(3600))
  }

  /// Asks who answers.
  private func name(_ connection: LineConnection) async -> String? {
    connection.send("who")
    for await case .line(let bytes) in connection.lines {
      return String(decoding: bytes, as: UTF8.self)
    }
    return nil
  }

  @Test func `where no program has the account, it is opened once for all clients`() async throws {
    let gateway = gateway()
    async let first = gateway.connection()
    async let second = gateway.connection()
    #expect(await name(try await first) == "own")
    #expect(await name(try await second) == "own")
    await gateway.close()
    let state = world.state.withLock { ($0.closed, $0.opened) }
    // Two at the same time may both have opened it, and one has closed it again.
    #expect(state.0 == state.1)
    await #expect(throws: CancellationError.self) { try await gateway.connection() }
  }

  @Test func `a process that listens is used, and its end is taken over`() async throws {
    world.state.withLock { ($0.listener, $0.isLocked) = ("screen", true) }
    let gateway = gateway()
    #expect(await name(try await gateway.connection()) == "screen")
    #expect(world.state.withLock(\.opened) == 0)
    world.state.withLock { ($0.listener, $0.isLocked) = (nil, false) }
    #expect(await name(try await gateway.connection()) == "own")
    await gateway.close()
  }

  @Test func `stored data answers until a process listens, or the account is free`() async throws {
    for frees in [false, true] {
      world.state.withLock { ($0.listener, $0.isLocked) = (nil, true) }
      let gateway = gateway()
      let connection = try await gateway.connection()
      #expect(await name(connection) == "stored")
      world.state.withLock { if frees { $0.isLocked = false } else { $0.listener = "screen" } }
      for await _ in connection.lines {}
      #expect(await name(try await gateway.connection()) == (frees ? "own" : "screen"))
      await gateway.close()
    }
  }

  @Test func `connections to stored data begin anew when it has changed`() async throws {
    let gateway = gateway(isOffline: true)
    let connection = try await gateway.connection()
    #expect(await name(connection) == "stored")
    world.state.withLock { $0.version = 1 }
    for await _ in connection.lines {}
    #expect(await name(try await gateway.connection()) == "stored")
    #expect(world.state.withLock(\.opened) == 0 && world.state.withLock(\.reads) == 2)
  }

  @Test func `an account that was given over is not taken back at once`() async throws {
    let gateway = gateway()
    #expect(await name(try await gateway.connection()) == "own")
    await gateway.release()
    #expect(world.state.withLock { $0.closed == 1 && $0.opened == 1 })
    #expect(await name(try await gateway.connection()) == "stored")
    world.state.withLock { ($0.listener, $0.isLocked) = ("screen", true) }
    #expect(await name(try await gateway.connection()) == "screen")
    #expect(world.state.withLock(\.opened) == 1)
    // That process ends.
    world.state.withLock { ($0.listener, $0.isLocked) = (nil, false) }
    #expect(await name(try await gateway.connection()) == "own")
    await gateway.close()
  }

  @Test func `an error of the account is the client's`() async throws {
    let gateway = AccountGateway(
      AccountGateway.Means(
        connect: { nil }, open: { throw StorageError.damaged(path: "x") }, isFree: { true },
        read: { nil }, version: { [] }))
    await #expect(throws: StorageError.damaged(path: "x")) { try await gateway.connection() }
  }
}

/// Stored data while another process has the account.
@Suite struct StoredBridgeTests {
  private let home: Home
  private let spool: MessageSpool
  private let me = JID(local: "me", domain: "natter.test")

  init() throws {
    home = try Home()
    spool = MessageSpool(besideDatabase: home.folder.path("me.db"))
  }

  /// Answers what the interception leaves.
  private nonisolated struct Base: BridgeServing {
    func serve(_ connection: any BridgeConnection, for client: NatterCore.BridgeClient?) async {
      for await line in connection.lines {
        guard let id = BridgeEnvelope(line)?.id else { continue }
        _ = connection.send(BridgeEnvelope.result(.text("base"), id: id).text)
      }
    }
  }

  private func answers(_ lines: String...) async throws -> [BridgeEnvelope] {
    let stored = StoredBridge(
      me, bridge: Base(), spool: spool,
      originIDs: { request, conversation in
        ["today-\(request)-\(conversation)", "yesterday-\(request)-\(conversation)"]
      }
    ) {}
    let pair = try LineConnection.pair(interception: stored.interception)
    let serving = Task { await stored.bridge.serve(pair.server) }
    for line in lines { pair.client.send(line) }
    var answers: [BridgeEnvelope] = []
    for await line in pair.client.lines {
      answers.append(try #require(BridgeEnvelope(line)))
      if answers.count == lines.count { break }
    }
    pair.client.close()
    await serving.value
    return answers
  }

  private let hello = #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1}}"#

  /// A request to send "hi" to Bob, with a further member.
  private func message(_ member: String, to name: String = "bob", _ body: String = "hi") -> String {
    #"{"jsonrpc":"2.0","id":2,"method":"messages.send","params":"#
      + #"{"conversation":"\#(name)@natter.test","body":"\#(body)",\#(member)}}"#
  }

  @Test func `a message is left to that process, once for each request`() async throws {
    let send = message(#""request_id":"deploy 42""#)
    let bob = JID(local: "bob", domain: "natter.test")
    try spool.leave(
      MessageSpool.Entry(
        originID: "yesterday-old-\(bob)", recipient: bob, body: "hi",
        typedAt: Date(timeIntervalSince1970: 1)))
    for send in [send, send, message(#""request_id":"old""#)] {
      let message = try await answers(hello, send)[1].result?["message"]
      #expect(message?["delivery"] == .text("queued") && message?["body"] == .text("hi"))
    }
    let entries = spool.entries()
    #expect(
      entries.map(\.originID) == ["yesterday-old-\(bob)", "today-deploy 42-\(bob)"])
    #expect(entries.last?.recipient == bob)
    // The same request of another conversation is another message.
    _ = try await answers(hello, message(#""request_id":"deploy 42""#, to: "carol"))
    #expect(spool.entries().count == 3)
    let error = try await answers(hello, message(#""request_id":"old""#, "other"))[1].error
    #expect(error?["data"]?["path"] == .text("request_id"))
  }

  @Test func `a message that is left keeps its thread, if that is one`() async throws {
    let message = try await answers(hello, message(#""thread":"t1""#))[1].result?["message"]
    #expect(message?["thread"] == .text("t1"))
    #expect(spool.entries().map(\.thread) == [XEP0201Thread(id: "t1")])
    for value in ["1", #"" ""#] {
      let error = try await answers(hello, self.message(#""thread":\#(value)"#))[1].error
      #expect(error?["data"]?["path"] == .text("thread"))
    }
    #expect(spool.entries().count == 1)
  }

  @Test(arguments: ["1", "\"\"", "\"a\\u0000b\"", "[]"])
  func `a request_id that is not valid is refused`(id: String) async throws {
    let error = try await answers(hello, message(#""request_id":\#(id)"#))[1].error
    #expect(error?["code"] == .integer(-32602))
    #expect(spool.entries() == [])
  }

  @Test func `a parameter that is null is absent`() async throws {
    let hello = #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1,"as":null}}"#
    let send = message(#""request_id":null,"reply_to":null"#)
    let answer = try await answers(hello, send)[1]
    #expect(answer.result?["message"]?["delivery"] == .text("queued"))
    #expect(spool.entries().map(\.body) == ["hi"])
  }

  @Test func `a message without an address or a text is not kept`() async throws {
    for (parameters, path) in [
      (#"{"body":"hi"}"#, "conversation"), (#"{"conversation":"@","body":"hi"}"#, "conversation"),
      (#"{"conversation":"bob@natter.test","body":" "}"#, "body"),
    ] {
      let send = #"{"jsonrpc":"2.0","id":2,"method":"messages.send","params":\#(parameters)}"#
      let error = try await answers(hello, send)[1].error
      #expect(error?["code"] == .integer(-32602) && error?["data"]?["path"] == .text(path))
    }
    #expect(spool.entries() == [])
  }

  @Test func `a client with a name has no more rights here`() async throws {
    let send = message(#""reply_to":null"#)
    let named = #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1,"as":"bot"}}"#
    #expect(try await answers(named, send)[1].result == .text("base"))
    #expect(try await answers(send).map(\.result) == [.text("base")])
    #expect(spool.entries() == [])
  }

  @Test func `a message with a parameter that is not valid is not kept`() async throws {
    for (member, path) in [(#""wait":"never""#, "wait"), (#""reply_to":"x""#, "reply_to")] {
      let error = try await answers(hello, message(member))[1].error
      #expect(error?["code"] == .integer(-32602) && error?["data"]?["path"] == .text(path))
    }
    #expect(spool.entries() == [])
  }

  /// Requests, with whether stored data can answer them.
  private nonisolated static let requests: [(method: String, parameters: String, isRead: Bool)] = [
    ("contacts.list", "{}", true), ("messages.history", #"{"conversation":"a@b.c"}"#, true),
    ("messages.history", #"{"conversation":"a@b.c","fetch":true}"#, false),
    // Only a connection has the state of rooms.
    ("rooms.list", "{}", false), ("rooms.get", #"{"conversation":"a@b.c"}"#, false),
    ("rooms.join", #"{"conversation":"a@b.c"}"#, false),
    ("messages.send", #"{"conversation":"a@b.c","body":"hi"}"#, false),
    ("events.subscribe", #"{"events":["typing"]}"#, false),
    // That there is no such method, or not with such parameters, is an answer, too.
    ("no.method", "{}", true), ("rooms.join", "{}", true),
    ("presence.set", #"{"availability":"never"}"#, true),
    ("messages.history", #"{"conversation":"a@b.c","fetch":1}"#, true),
  ]

  @Test(arguments: requests)
  func `reading needs no connection, and fetching does`(
    method: String, parameters: String, isRead: Bool
  ) throws {
    let request = BridgeEnvelope.request(
      method, try JSONValue(parsing: parameters.utf8), id: .integer(1))
    #expect(StoredBridge.reads(request) == isRead)
  }
}

/// Ending a `natter serve`, and its use of the account.
@Suite struct ServeControlTests {
  /// Returns the answers to a greeting and to a request to end.
  private func answers(_ greeting: String) async throws -> [BridgeEnvelope] {
    let home = try Home()
    let database = try await AccountDatabase.open(at: home.folder.path("me.db"))
    let me = JID(local: "me", domain: "natter.test")
    let account = BridgeAccount(me, hub: EventHub(), stores: database.bridgeStores, services: nil)
    var options = BridgeOptions(version: "0", locale: "en")
    options.control = ServeControl()
    let bridge = Bridge([account], options: options)
    let pair = try LineConnection.pair()
    let serving = Task { await bridge.serve(pair.server) }
    pair.client.send(#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1\#(greeting)}}"#)
    pair.client.send(#"{"jsonrpc":"2.0","id":2,"method":"hello","params":{"api":1}}"#)
    pair.client.send(#"{"jsonrpc":"2.0","id":3,"method":"shutdown"}"#)
    var answers: [BridgeEnvelope] = []
    for await line in pair.client.lines {
      answers.append(try #require(BridgeEnvelope(line)))
      if answers.count == 3 { break }
    }
    pair.client.close()
    await serving.value
    await database.close()
    return answers.sorted { ($0.id?.int ?? 0) < ($1.id?.int ?? 0) }
  }

  @Test func `a program of the user can end it, and one with a name cannot`() async throws {
    for greeting in ["", #","as":null"#] {
      #expect(try await answers(greeting)[2].result == .object([:]))
    }
    let refusal = try await answers(#","as":"bot""#)[2].error
    #expect(refusal?["code"] == .integer(-32001))
    #expect(refusal?["data"]?["permission"] == .text("control"))
  }
}
