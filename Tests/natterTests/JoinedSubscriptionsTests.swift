import JSONLines
import Testing

@testable import natter

/// The events and lists of several accounts as one.
@Suite struct JoinedSubscriptionsTests {
  private func event(_ name: String, cursor: Int, of account: String) -> BridgeEnvelope {
    .request(
      "event",
      .object([
        "subscription": .text(name), "cursor": .integer(cursor), "event": .text("message.new"),
        "data": .object(["account": .text(account)]),
      ]), id: nil)
  }

  private func result(_ name: String, _ account: String, _ cursor: Int) -> JSONValue {
    .object(["subscription": .text(name), "after": .object([account: .integer(cursor)])])
  }

  @Test func `two accounts with the same name for a subscription are one to the client`() {
    var subscriptions = JoinedSubscriptions()
    let name = subscriptions.begin()
    subscriptions.add(result("s1", "a@x", 5), of: 0, to: name)
    // Before the client knows the name, events are kept.
    #expect(subscriptions.received(event("s1", cursor: 6, of: "a@x"), from: 0) == nil)
    subscriptions.add(result("s1", "b@x", 8), of: 1, to: name)
    let begun = subscriptions.announcement(of: name)
    #expect(begun["subscription"] == .text(name))
    #expect(begun["after"]?["b@x"] == .integer(8))
    #expect(subscriptions.announced(name).map { $0.parameters?["cursor"] } == [.integer(6)])
    let next = subscriptions.received(event("s1", cursor: 9, of: "b@x"), from: 1)
    #expect(next?.parameters?["subscription"] == .text(name))
    #expect(subscriptions.received(event("s2", cursor: 1, of: "b@x"), from: 1) == nil)
    #expect(subscriptions.end(name) == [0: "s1", 1: "s1"])
    #expect(subscriptions.received(event("s1", cursor: 7, of: "a@x"), from: 0) == nil)
  }

  @Test func `a gap in one account names the cursors of all`() {
    var subscriptions = JoinedSubscriptions()
    let name = subscriptions.begin()
    subscriptions.add(result("s1", "a@x", 5), of: 0, to: name)
    subscriptions.add(result("s4", "b@x", 8), of: 1, to: name)
    _ = subscriptions.announced(name)
    _ = subscriptions.received(event("s4", cursor: 12, of: "b@x"), from: 1)
    let gap = subscriptions.received(
      .request(
        "event",
        .object([
          "subscription": .text("s1"), "event": .text("event.gap"),
          "data": .object(["after": .object(["a@x": .integer(6)])]),
        ]), id: nil), from: 0)
    #expect(
      gap?.parameters?["data"]?["after"]
        == .object(["a@x": .integer(6), "b@x": .integer(12)]))
  }

  @Test func `a subscription ends when it has ended in all accounts`() {
    var subscriptions = JoinedSubscriptions()
    let name = subscriptions.begin()
    subscriptions.add(result("s1", "a@x", 5), of: 0, to: name)
    subscriptions.add(result("s1", "b@x", 8), of: 1, to: name)
    _ = subscriptions.announced(name)
    let ended = BridgeEnvelope.request(
      "event.ended", .object(["subscription": .text("s1")]), id: nil)
    #expect(subscriptions.received(ended, from: 0) == nil)
    #expect(subscriptions.has(name))
    #expect(
      subscriptions.received(ended, from: 1)?.parameters?["subscription"] == .text(name))
    #expect(!subscriptions.has(name))
  }

  private func list(
    _ method: String, _ parameters: [String: JSONValue] = [:], _ results: [JSONValue]
  ) -> JSONValue {
    var list = JoinedList(method, .request(method, .object(parameters), id: .integer(1)))
    for result in results { _ = list.add(result) }
    return list.result
  }

  private func conversations(_ times: String...) -> JSONValue {
    .object([
      "conversations": .array(times.map { .object(["last": .text($0)]) }),
      "more": .boolean(false),
    ])
  }

  @Test func `conversations of all accounts come by time, after those that the client has`() {
    let parts = [
      conversations("2026-11-30T10:00:00.000000Z", "2026-11-28T10:00:00.000000Z"),
      conversations("2026-11-29T10:00:00.000000Z"),
    ]
    let whole = list("conversations.list", [:], parts)
    #expect(
      whole["conversations"]?.elements?.compactMap { $0["last"]?.string?.prefix(10) } == [
        "2026-11-30", "2026-11-29", "2026-11-28",
      ])
    #expect(whole["more"] == .boolean(false))
    let rest = list("conversations.list", ["skip": .integer(2)], parts)
    #expect(rest["conversations"]?.elements?.count == 1)
  }

  @Test func `a list that is too long says that there is more`() {
    let contacts = (0..<10).map { number in
      JSONValue.object(["name": .text("\(number)" + String(repeating: "x", count: 99_999))])
    }
    let part = JSONValue.object(["contacts": .array(contacts), "more": .boolean(false)])
    let page = list("contacts.list", [:], [part, part])
    // Each has 100,000 bytes and some more.
    #expect(page["contacts"]?.elements?.count == 8 && page["more"] == .boolean(true))
    let rest = list("contacts.list", ["skip": .integer(16)], [part, part])
    #expect(rest["contacts"]?.elements?.count == 4 && rest["more"] == .boolean(false))
  }

  @Test func `a search has the newest matches of all accounts, and counts all`() {
    func part(_ count: Int, _ time: String, _ missing: String?) -> JSONValue {
      var members: [String: JSONValue] = [
        "messages": .array([.object(["at": .text(time)])]), "count": .integer(count),
      ]
      members["missing_up_to"] = missing.map { .text($0) }
      return .object(members)
    }
    let found = list(
      "messages.search", ["limit": .integer(1)],
      [part(3, "2026-01-01", nil), part(4, "2026-02-01", "2025-01-01")])
    #expect(found["messages"]?.elements?.first?["at"] == .text("2026-02-01"))
    #expect(found["messages"]?.elements?.count == 1)
    #expect(found["count"] == .integer(7) && found["more"] == .boolean(true))
    #expect(found["missing_up_to"] == .text("2025-01-01"))
  }

  @Test func `an account is asked for no more matches than the client wants`() {
    let request = BridgeEnvelope.request(
      "messages.search", .object(["limit": .integer(30), "skip": .integer(10)]), id: .integer(1))
    let list = JoinedList("messages.search", request)
    let first = list.page(request, after: 0)?.parameters
    #expect(first?["skip"] == .integer(0) && first?["limit"] == .integer(40))
    #expect(list.page(request, after: 25)?.parameters?["limit"] == .integer(15))
    #expect(list.page(request, after: 40) == nil)
  }
}
