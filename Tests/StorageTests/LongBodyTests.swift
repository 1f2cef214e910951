import NatterCore
import Testing
import XMPP

@testable import Storage

/// Long texts: what is shown of them is bounded, and the database has all.
@Suite struct LongBodyTests {
  static let long = String(repeating: "字e\u{301} ", count: 50_000) + "the end"

  @Test func `the beginning is announced and read, and all of it is there`() async throws {
    let account = try await AccountDatabase.inMemory()
    let stored = try await EffectTests.insert(
      Sample.message(Self.long, origin: "o1"), Sample.message("short", at: 1, origin: "o2"),
      into: account)
    let announced = try #require(stored.messages.first)
    #expect(announced.isShortened && !stored.messages[1].isShortened)
    #expect(announced.body.unicodeScalars.count == Message.bodyLimit)
    #expect(Self.long.hasPrefix(announced.body))
    let read = try await account.timeline.latest(2, in: Sample.juliet)
    #expect(read == stored.messages)
    #expect(try await account.timeline.storedMessage(announced.id) == announced)
    #expect(try await account.timeline.wholeText(of: announced.id) == Self.long)
    #expect(try await account.timeline.whole(announced).body == Self.long)
    #expect(try await account.timeline.whole(announced).shortened == announced)
    #expect(
      try await account.search.messages(having: SearchQuery("end"), in: Sample.juliet, limit: 9)
        == [announced.id])
  }

  @Test func `a text as long as what is shown is whole`() async throws {
    let account = try await AccountDatabase.inMemory()
    let body = String(repeating: "x", count: Message.bodyLimit)
    let stored = try await EffectTests.insert(Sample.message(body, origin: "o1"), into: account)
    #expect(stored.messages.map(\.isShortened) == [false])
    #expect(try await account.timeline.latest(1, in: Sample.juliet).map(\.body) == [body])
  }

  @Test func `a message is sent whole, and so is its correction`() async throws {
    let account = try await AccountDatabase.inMemory()
    let message = try await OutboxTests.enqueue(account, Self.long, "o1")
    #expect(message.body == Self.long && !message.isShortened)
    #expect(try await account.outbox.queued().map(\.body) == [Self.long])
    _ = try await account.outbox.setDelivery(.sent, ofOriginID: "o1")
    #expect(try await account.timeline.latest(1, in: Sample.juliet).map(\.isShortened) == [true])
    let corrected = try await account.outbox.relations.enqueueCorrection(
      of: message.id, body: Self.long + "!", from: Sample.romeo, originID: "o2",
      at: Sample.date(9))
    #expect(corrected?.isShortened == true)
    #expect(try await account.outbox.queued().map(\.body) == [Self.long + "!"])
    #expect(try await account.timeline.wholeText(of: message.id) == Self.long + "!")
  }
}
