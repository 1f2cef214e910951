import Foundation
import NatterCore
import SQLite
import Testing
import XMPP

@testable import Storage

/// Where rooms have what was typed here: they tell by giving it back.
@Suite struct TypedPlacesTests {
  private func said(_ text: String, by nick: String, at seconds: Double) -> IncomingMessage {
    IncomingMessage(
      conversation: Sample.room, sender: Sample.room.with(resource: nick) ?? Sample.room,
      direction: nick == "me" ? .outgoing : .incoming, body: text,
      sentAt: Date(timeIntervalSince1970: 1_700_000_000 + seconds), originID: "o-\(text)",
      stanzaID: "s-\(text)")
  }

  @Test func `what was said in a room before it gave a message back stands above that`()
    async throws
  {
    let account = try await AccountDatabase.inMemory()
    let store = account.messages
    _ = try await store.insert([said("first", by: "bob", at: 0)]) { _ in true }
    try await account.database.write { try $0.run("UPDATE conversation SET kind = 'room'") }
    for (number, text) in ["one", "two"].enumerated() {
      _ = try await store.enqueue(
        body: text, to: Sample.room, from: Sample.room.with(resource: "me") ?? Sample.room,
        originID: "o-\(text)", at: Date(timeIntervalSince1970: 1_700_000_001 + Double(number)))
    }
    try await store.markAttempted(
      ["o-one", "o-two"], at: Date(timeIntervalSince1970: 1_700_000_003))
    let stored = try await store.insert(
      [
        said("crossed", by: "bob", at: 4), said("one", by: "me", at: 5),
        said("later", by: "bob", at: 6),
      ]
    ) { _ in true }
    // What is still on its way goes behind what was typed before it.
    #expect(
      try await store.latest(10, in: Sample.room).map(\.body)
        == ["first", "crossed", "one", "two", "later"])
    #expect(stored.changed.map(\.body).contains("one"))
    _ = try await store.insert([said("two", by: "me", at: 7)]) { _ in true }
    #expect(
      try await store.latest(10, in: Sample.room).map(\.body)
        == ["first", "crossed", "one", "later", "two"])
    #expect(try await account.faults() == [])
  }
}
