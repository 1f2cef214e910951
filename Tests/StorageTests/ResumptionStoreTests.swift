import Storage
import Testing
import XML
import XMPP

/// The session that the next run of the program resumes.
@Suite struct ResumptionStoreTests {
  private static let jid = JID(local: "romeo", domain: "example.org", resource: "natter")

  private static func message(_ id: String, _ child: Element) -> Element {
    Element("message", Namespace.client, ["id": id, "to": "juliet@example.org"], [child])
  }

  private static let receipt = message("r1", Element("received", Namespace.receipts, ["id": "x"]))
  private static let text = message("m1", Element("body", Namespace.client, text: "O <&> \"日本\""))
  private static let typing = message(
    "c1", Element("composing", XEP0085ChatState.namespace))
  private static let question = Element("iq", Namespace.client, ["type": "get", "id": "q1"])

  private static func change(
    isFirst: Bool = false, handled: UInt32 = 1, sent: UInt32, _ appended: [Element], open: Int
  ) -> ResumptionChange {
    ResumptionChange(
      isFirst: isFirst, id: "s-1", jid: jid, location: "node2.example.org:5222", handled: handled,
      sent: sent, appended: appended, openCount: open)
  }

  @Test func `nothing is kept in a new account`() async throws {
    let account = try await AccountDatabase.inMemory()
    #expect(try await account.resumption.keptSession() == nil)
  }

  @Test func `what is kept is read back: both counters, the location, the queue in order`()
    async throws
  {
    let store = try await AccountDatabase.inMemory().resumption
    try await store.keep(
      Self.change(
        isFirst: true, handled: .max, sent: 4,
        [Self.receipt, Self.text, Self.typing, Self.question],
        open: 4))
    let kept = try #require(try await store.keptSession())
    #expect(kept.id == "s-1" && kept.session.jid == Self.jid)
    #expect(kept.location == "node2.example.org:5222" && kept.isFromEarlierRun)
    #expect(kept.handled == .max && kept.sent == 4)
    #expect(kept.unacknowledged.map { $0["id"] } == ["r1", "m1", "c1", "q1"])
    // Receipts are sent again; texts are the outbox's; the rest is only counted.
    #expect(kept.unacknowledged[0] == Self.receipt)
    #expect(kept.unacknowledged.dropFirst().allSatisfy { $0.name == "iq" && $0["type"] == "get" })
  }

  @Test func `what the server has acknowledged leaves the queue, oldest first`() async throws {
    let store = try await AccountDatabase.inMemory().resumption
    try await store.keep(Self.change(isFirst: true, sent: 2, [Self.text, Self.receipt], open: 2))
    try await store.keep(Self.change(handled: 5, sent: 3, [Self.question], open: 2))
    #expect(
      try await store.keptSession()?.unacknowledged.map { $0["id"] } == ["r1", "q1"])
    try await store.keep(Self.change(sent: 3, [], open: 0))
    #expect(try await store.keptSession()?.unacknowledged == [])
  }

  @Test
  func `a new session knows nothing of the queue before, and one that ended in order is gone`()
    async throws
  {
    let store = try await AccountDatabase.inMemory().resumption
    try await store.keep(Self.change(isFirst: true, sent: 1, [Self.text], open: 1))
    try await store.keep(Self.change(isFirst: true, sent: 1, [Self.question], open: 1))
    #expect(try await store.keptSession()?.unacknowledged.map { $0["id"] } == ["q1"])
    try await store.forgetSession()
    #expect(try await store.keptSession() == nil)
  }
}
