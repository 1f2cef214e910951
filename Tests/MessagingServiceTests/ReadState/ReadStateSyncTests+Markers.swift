import Foundation
import NatterCore
import Storage
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Markers that others send: another client of the account, and whom one wrote to.
extension ReadStateSyncTests {
  @Test func `the marker of another client of the account reads here, a forged one does not`()
    async throws
  {
    let keeper = keeper()
    try await arrive(1...2, at: keeper)
    func copy(from sender: String, of original: String) -> Stanza {
      let marker = Element(
        "message", Namespace.client,
        ["from": original, "to": "bob@example.org", "type": "chat"],
        [XEP0333Marker.displayed("o2")])
      return .message(
        from: sender,
        Element(
          "sent", XEP0280Carbon.namespace, [:],
          [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [marker])]))
    }
    await keeper.receive([copy(from: "eve@example.org", of: "alice@example.org/phone")])
    await keeper.receive([copy(from: "alice@example.org", of: "eve@example.org/phone")])
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 2)
    await keeper.receive([copy(from: "alice@example.org", of: "alice@example.org/phone")])
    #expect(try await database.conversations.conversation(Self.bob)?.unread == 0)
  }

  @Test func `the marker of an id that begins with a combining mark is acknowledged`()
    async throws
  {
    let keeper = keeper()
    try await arrive(1...1, at: keeper)
    await keeper.receive([
      .message(from: "bob@example.org/a", id: "\u{301}7", body: "hi", XEP0333Marker.request)
    ])
    _ = try await keeper.markRead(Self.bob)
    #expect(try await database.readState.markersDue().map(\.id) == ["\u{301}7"])
    await keeper.serverAcknowledged(["displayed/\u{301}7/bob@example.org"])
    #expect(try await database.readState.markersDue().isEmpty)
  }

  @Test func `a subject alone is marked as read, a blank text is not`() async throws {
    let keeper = keeper()
    try await arrive(1...1, at: keeper)
    for (id, element) in [
      ("subject", Element("subject", Namespace.client, text: "Tea at five")),
      ("blank", Element("body", Namespace.client, text: " \u{200B}")),
    ] {
      await keeper.receive([
        .message(from: "bob@example.org/a", id: id, element, XEP0333Marker.request)
      ])
    }
    _ = try await keeper.markRead(Self.bob)
    let due = try await database.readState.markersDue()
    #expect(due == [ReadMarker(conversation: Self.bob, id: "subject")])
  }

  @Test func `acknowledged: read, by the recipient's marker, whatever road it takes`() async throws
  {
    let keeper = keeper()
    for number in 1...3 {
      _ = try await database.outbox.enqueue(
        body: "\(number)", to: Self.bob, from: Self.alice, originID: "m\(number)",
        at: Date(timeIntervalSince1970: Double(number)))
      _ = try await database.outbox.setDelivery(.sent, ofOriginID: "m\(number)")
    }
    await keeper.receive([
      .message(from: "eve@example.org/x", XEP0333Marker.displayed("m3")),
      .message(from: "bob@example.org/x", type: "groupchat", XEP0333Marker.displayed("m3")),
      .message(
        from: "bob@example.org/x", Element("received", XEP0333Marker.namespace, ["id": "m1"])),
    ])
    #expect(
      try await database.timeline.latest(3, in: Self.bob).map(\.delivery) == [
        .delivered, .sent, .sent,
      ])
    await keeper.receive([.message(from: "bob@example.org/x", XEP0333Marker.displayed("m2"))])
    let archived = Element(
      "message", Namespace.client, ["from": "bob@example.org/x", "type": "chat"],
      [XEP0333Marker.displayed("m3")])
    #expect(
      try await database.timeline.latest(3, in: Self.bob).map(\.delivery) == [.read, .read, .sent])
    await keeper.archived([MessageStanza(archived)], areNews: false)
    #expect(
      try await database.timeline.latest(3, in: Self.bob).map(\.delivery) == [.read, .read, .read])
  }
}
