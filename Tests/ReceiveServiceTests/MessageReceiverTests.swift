import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ReceiveService

/// FLOWS.md 5, "arriving on the connection", as far as it needs no archive.
@Suite struct MessageReceiverTests {
  let store = MemoryMessageStore()
  let hub = EventHub()
  let alice = JID(local: "alice", domain: "example.org")
  let now = Date(timeIntervalSince1970: 1_000_000)

  private func receiver() -> MessageReceiver {
    let now = now
    return MessageReceiver(account: alice, store: store, hub: hub, log: .none) { now }
  }

  @Test func `a batch is stored in order and announced as one event`() async {
    let events = hub.events()
    await receiver().receive([
      .message(from: "bob@example.org/a", id: "1", body: "one"),
      .message(from: "bob@example.org/a", id: "2", body: "two"),
    ])
    let stored = await events.published(on: hub).compactMap { event -> [String]? in
      if case .messagesStored(let messages) = event { messages.map(\.body) } else { nil }
    }
    #expect(stored == [["one", "two"]])
  }

  @Test func `the same message twice is stored once and announced once`() async {
    let receiver = receiver()
    let events = hub.events()
    for _ in 0..<2 {
      await receiver.receive([.message(from: "bob@example.org/a", id: "1", body: "one")])
    }
    let announced = await events.published(on: hub).filter {
      if case .messagesStored = $0 { true } else { false }
    }
    #expect(announced.count == 1)
    #expect(await store.all.count == 1)
  }

  @Test func `what is no conversation's text is not stored`() async {
    await receiver().receive([
      .message(from: "bob@example.org/a", id: "1"),
      .message(from: "bob@example.org/a", id: "2", body: ""),
      .message(from: "bob@example.org/a", id: "3", type: "error", body: "mine, coming back"),
      .message(from: "example.org", id: "4", type: "headline", body: "news"),
      .presence(from: "bob@example.org/a"),
    ])
    #expect(await store.all.isEmpty)
  }

  @Test func `a delayed message keeps its own time, and one from the future does not`() async {
    let early = Element("delay", Namespace.delay, ["stamp": "1970-01-02T00:00:00Z"])
    let future = Element("delay", Namespace.delay, ["stamp": "2970-01-02T00:00:00Z"])
    await receiver().receive([
      .message(from: "bob@example.org/a", id: "1", body: "old", early),
      .message(from: "bob@example.org/a", id: "2", body: "new", future),
    ])
    #expect(
      await store.all.map(\.sentAt) == [Date(timeIntervalSince1970: 86400), now])
  }

  @Test func `only the own account's stanza-id counts`() async {
    func id(_ by: String) -> Element {
      Element("stanza-id", Namespace.stanzaIDs, ["by": by, "id": "s1"])
    }
    await receiver().receive([
      .message(from: "bob@example.org/a", id: "1", body: "forged", id("mallory@example.org")),
      .message(from: "bob@example.org/a", id: "2", body: "true", id("alice@example.org")),
    ])
    #expect(await store.all.map(\.stanzaID) == [nil, "s1"])
  }

  @Test func `a failed write announces nothing, tells the person, and is not given up`() async throws {
    let receiver = receiver()
    await store.fail(with: NatterError(.storage, "error.storage.full"))
    let events = hub.events()
    let task = Task { [receiver] in
      await receiver.receive([.message(from: "bob@example.org/a", id: "1", body: "one")])
    }
    let first = await events.first { _ in true }
    #expect(first == .notice(Notice(.error, "error.storage.full")))
    await store.fail(with: nil)
    await task.value
    #expect(await store.all.map(\.body) == ["one"])
  }
}
