import BridgeService
import Foundation
import JSONLines
import NatterCore
import Storage
import TestSupport
import Testing
import XMPP

@testable import natter

/// The open accounts as scripts reach them.
@Suite(.timeLimit(.minutes(1))) struct AccountBridgesTests {
  private let me = JID(local: "me", domain: "natter.test")
  private let other = JID(local: "me", domain: "other.test")
  private let bridges = AccountBridges { _ in BridgeOptions(version: "0", locale: "en") }

  private func open(
    _ jid: JID, _ hub: EventHub = EventHub(),
    _ connection: FakePorts = FakePorts(connection: .offline)
  ) async throws -> AccountBridges.Open {
    let database = try await AccountDatabase.inMemory()
    return AccountBridges.Open(
      BridgeAccount(jid, hub: hub, stores: database.bridgeStores, services: nil), hub: hub,
      connection: connection, host: NoHost())
  }

  @Test func `a script has the accounts that are open, and no others`() async throws {
    bridges.set([try await open(me), try await open(other)])
    #expect(await bridges.accounts == [me, other])
    bridges.remove(me)
    let pair = try LineConnection.pair()
    let serving = Task { [bridges] in
      await bridges.serve(pair.server, for: NatterCore.BridgeClient(name: "s", rights: .person))
    }
    pair.client.send(#"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"api":1}}"#)
    pair.client.send(#"{"jsonrpc":"2.0","id":2,"method":"accounts.list"}"#)
    var answers: [String] = []
    for await case .line(let line) in pair.client.lines {
      answers.append(String(decoding: line, as: UTF8.self))
      if answers.count == 2 { break }
    }
    pair.client.close()
    await serving.value
    let list = try #require(answers.first { $0.contains(#""id":2"#) })
    #expect(list.contains("me@other.test"))
    #expect(!list.contains("me@natter.test"))
  }

  @Test func `without an account a script is not served`() async throws {
    let pair = try LineConnection.pair()
    await bridges.serve(pair.server, for: NatterCore.BridgeClient(name: "s", rights: .person))
    for await _ in pair.client.lines { Issue.record("an answer without an account") }
    #expect(await !bridges.isOnline)
  }

  @Test func `accounts that open, close, connect or lose their connection are reported`()
    async throws
  {
    let hub = EventHub()
    var changes = bridges.changes().makeAsyncIterator()
    bridges.add(try await open(me, hub))
    #expect(await changes.next() != nil)
    // The same again is no change; a connection is one.
    bridges.add(try await open(me, hub))
    hub.publish(.connectionChanged(.online))
    #expect(await changes.next() != nil)
    hub.publish(.connectionChanged(.offline))
    #expect(await changes.next() != nil)
    bridges.remove(me)
    #expect(await changes.next() != nil)
    #expect(await bridges.accounts.isEmpty)
  }

  @Test func `events of open accounts are announced by their names`() async throws {
    let (hub, second) = (EventHub(), EventHub())
    bridges.set([try await open(me, hub)])
    var events = bridges.events(named: ["message.removed", "typing"]).makeAsyncIterator()
    bridges.add(try await open(other, second))
    hub.publish(.connectionChanged(.online))
    hub.publish(.messagesRemoved(conversation: me, []))
    #expect(await events.next() == ScriptWake("message.removed", in: me))
    second.publish(.messagesRemoved(conversation: other, []))
    #expect(await events.next() == ScriptWake("message.removed", in: other))
  }

  @Test func `a new message is announced with its id in the store`() async throws {
    let hub = EventHub()
    bridges.set([try await open(me, hub)])
    var events = bridges.events(named: ["message.new"]).makeAsyncIterator()
    let messages = [12, 11].map { id in
      Message(
        id: .init(id), conversation: other, sender: other, direction: .incoming, body: "hi",
        sentAt: Date(timeIntervalSince1970: 0), originID: nil, delivery: nil)
    }
    hub.publish(.messagesStored(messages))
    #expect(await events.next() == ScriptWake("message.new", in: me, message: 11))
  }

  @Test func `an account that is opened again replaces the former one`() async throws {
    let hub = EventHub()
    bridges.set([try await open(me), try await open(other)])
    var events = bridges.events(named: ["message.removed"]).makeAsyncIterator()
    let openings = await bridges.openings
    bridges.set([
      try await open(me, hub, FakePorts(connection: .online)), try await open(other),
    ])
    #expect(await bridges.isOnline)
    #expect(await bridges.openings > openings)
    hub.publish(.messagesRemoved(conversation: me, []))
    #expect(await events.next() == ScriptWake("message.removed", in: me))
  }
}

private struct NoHost: BridgeHosting {
  func setPinned(_ isPinned: Bool, _ conversation: JID, of account: JID) async throws -> Bool {
    false
  }
  func notify(_ notification: BridgeNotification, of account: JID) async -> Bool { false }
  func settings() async -> [BridgeSetting] { [] }
}
