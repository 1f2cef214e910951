import NatterCore
import Testing
import XMPP

@testable import ScriptService

/// The messages that a script was asked about.
@Suite struct DecorationCacheTests {
  private let account = JID(local: "me", domain: "example.org")
  private let marked = MessageDecoration(notes: ["x"])

  private func subject(_ id: Int64, _ body: String = "text") -> DecorationRequest.Subject {
    .init(.init(id), body)
  }

  @Test func `an answer belongs to a message, its text and its account`() {
    var cache = DecorationCache()
    #expect(cache.find(subject(1), of: account) == .unknown)
    cache.ask(subject(1), of: account)
    #expect(cache.find(subject(1), of: account) == .asked)
    cache.answer(subject(1), of: account, marked)
    #expect(cache.find(subject(1), of: account) == .answered(marked))
    #expect(cache.find(subject(1, "corrected"), of: account) == .unknown)
    #expect(cache.find(subject(1), of: JID(local: "other", domain: "example.org")) == .unknown)
  }

  @Test func `texts are the same by their bytes only`() {
    var cache = DecorationCache()
    cache.answer(subject(1, "e\u{301}"), of: account, marked)
    #expect(cache.find(subject(1, "\u{E9}"), of: account) == .unknown)
  }

  @Test func `an answer that is late for a corrected text is dropped`() {
    var cache = DecorationCache()
    cache.ask(subject(1), of: account)
    cache.ask(subject(1, "corrected"), of: account)
    cache.answer(subject(1), of: account, marked)
    #expect(cache.find(subject(1, "corrected"), of: account) == .asked)
    #expect(cache.count == 1)
  }

  @Test func `what is forgotten is unknown`() {
    var cache = DecorationCache()
    cache.ask(subject(1), of: account)
    cache.forget(subject(1), of: account)
    #expect(cache.find(subject(1), of: account) == .unknown)
    #expect(cache.bytes == 0)
  }

  @Test func `the number of messages has a bound, and what is used stays`() {
    var cache = DecorationCache(entryLimit: 10)
    for id in 1...100 {
      cache.answer(subject(Int64(id)), of: account, marked)
      #expect(cache.find(subject(1), of: account) == .answered(marked), "\(id)")
      #expect(cache.count <= 10)
    }
    #expect(cache.find(subject(50), of: account) == .unknown)
    #expect(cache.find(subject(100), of: account) == .answered(marked))
  }

  @Test func `the bytes have a bound`() {
    var cache = DecorationCache(byteLimit: 10_000)
    for id in 1...100 {
      cache.answer(
        subject(Int64(id), String(repeating: "a", count: 500)), of: account,
        MessageDecoration(
          spans: [.init(0..<1, .good, link: "https://example.org/\(id)")], notes: ["note"]))
      #expect(cache.bytes <= 10_000)
    }
    #expect(cache.count > 5)
    for id in 1...100 { cache.forget(subject(Int64(id)), of: account) }
    #expect(cache.bytes == 0)
  }
}
