import Foundation
import SQLite
import Testing
import XML
import XMPP

@testable import LocalServer

/// Everything that the server has acknowledged is still there after it was killed: at any moment
/// its files are its whole memory.
@Suite struct ServerDurabilityTests {
  /// Starts a server on a copy of the files as they are now, as after `kill -9`.
  private func afterKill(
    of server: TestServer, _ body: (TestServer) async throws -> Void
  ) async throws {
    let copy = TestServer.temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: copy) }
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for name in ["server.db", "server.db-wal"] {
      try FileManager.default.copyItem(
        at: server.directory.appending(path: name), to: copy.appending(path: name))
    }
    let next = try await TestServer.start(in: copy, try TestServer.settings())
    do {
      try await body(next)
    } catch {
      try await next.stop()
      throw error
    }
    try await next.stop()
  }

  private func sayAcknowledged(_ count: Int, by alice: RawXMPPClient) async throws {
    try await alice.send("<enable xmlns='urn:xmpp:sm:3'/>")
    _ = try await alice.element("enabled") { $0.name == "enabled" }
    for number in 1...count { try await alice.say("n\(number)", to: "bob@localhost") }
    try await alice.send("<r xmlns='urn:xmpp:sm:3'/>")
    let answer = try await alice.element("an acknowledgement") { $0.name == "a" }
    #expect(answer["h"] == "\(count)")
  }

  private func bodies(_ client: RawXMPPClient) async throws -> [String] {
    try await client.rest().filter {
      $0.name == "message" && $0["from"]?.hasPrefix("alice") == true
    }
    .compactMap { $0.first("body", Namespace.client)?.text }
  }

  @Test func `an acknowledged message to a user who is away survives`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      _ = try await server.client("bob", available: false)
      try await sayAcknowledged(3, by: alice)
      try await afterKill(of: server) { next in
        let bob = try await next.client("bob", registering: false)
        #expect(try await bodies(bob) == ["n1", "n2", "n3"])
      }
    }
  }

  @Test func `an acknowledged message that its reader has not confirmed survives`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      try await bob.send("<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
      _ = try await bob.element("enabled") { $0.name == "enabled" }
      try await sayAcknowledged(2, by: alice)
      _ = try await bob.message(body: "n2")
      try await bob.send("<a xmlns='urn:xmpp:sm:3' h='1'/>")
      try await bob.catchUp()
      try await afterKill(of: server) { next in
        let back = try await next.client("bob", registering: false)
        #expect(try await bodies(back) == ["n2"])
      }
    }
  }

  @Test func `a message that cannot be stored is refused, the ones around it are not lost`()
    async throws
  {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      // What a full disk does to some inserts, from outside.
      let database = try await Database.open(
        .file(server.directory.appending(path: "server.db").path), migrator: Schema.migrator)
      try await database.write {
        try $0.runScript(
          """
          CREATE TRIGGER full BEFORE INSERT ON message WHEN NEW.stanza LIKE '%poison%'
          BEGIN SELECT RAISE(FAIL, 'full'); END
          """)
      }
      await database.close()
      try await alice.send(
        ["n1", "poison", "n2"].map {
          "<message to='bob@localhost' type='chat' id='\($0)'><body>\($0)</body></message>"
        }.joined())
      let error = try await alice.message("a refusal") { $0["type"] == "error" }
      #expect(error["id"] == "poison")
      #expect(RawXMPPClient.condition(error) == "resource-constraint")
      #expect(try await bodies(bob) == ["n1", "n2"])
      try await alice.catchUp()
    }
  }

  @Test func `accounts, contacts and the greeting survive`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      _ = try await server.client("bob")
      try await alice.catchUp()
      try await afterKill(of: server) { next in
        let back = try await next.client("alice", registering: false)
        #expect(try await back.roster() == ["natter@localhost": "both", "bob@localhost": "both"])
        #expect(try await back.rest().filter { $0.name == "message" }.isEmpty)
      }
    }
  }

  @Test func `thousands of messages a second arrive in order`() async throws {
    try await withServer { server in
      let alice = try await server.client("alice")
      let bob = try await server.client("bob")
      let count = 5_000
      for block in 0..<10 {
        var text = ""
        for number in 0..<count / 10 {
          text +=
            "<message to='bob@localhost' type='chat'><body>\(block * count / 10 + number)</body></message>"
        }
        try await alice.send(text)
      }
      for number in 0..<count {
        let message = try await bob.message { $0["from"] == "alice@localhost/test" }
        #expect(message.first("body", Namespace.client)?.text == "\(number)")
      }
    }
  }
}
