import Testing
import XML
import XMPP

@Suite struct DisplayedSyncTests {
  static let account = JID(local: "alice", domain: "example.org")
  static let bob = JID(local: "bob", domain: "example.org")
  static let position = XEP0490Displayed(conversation: bob, stanzaID: "s-1", by: account)

  private func event(from sender: String?, node: String = XEP0490Displayed.node) -> MessageStanza {
    let space = "http://jabber.org/protocol/pubsub#event"
    var message = Element("message", Namespace.client, ["type": "headline"])
    message["from"] = sender
    let displayed = Element(
      "displayed", XEP0490Displayed.node, [:],
      [Element("stanza-id", Namespace.stanzaIDs, ["by": "alice@example.org", "id": "s-1"])])
    message.append(
      Element(
        "event", space, [:],
        [
          Element(
            "items", space, ["node": node],
            [
              Element("item", space, ["id": "bob@example.org"], [displayed]),
              Element("item", space, ["id": "no @ address"], [displayed]),
              Element("item", space, ["id": "eve@example.org"]),
            ])
        ]))
    return MessageStanza(message)
  }

  @Test(arguments: [nil, "alice@example.org"])
  func `a notification from the own account is read`(sender: String?) {
    #expect(
      XEP0490Displayed.positions(in: event(from: sender), of: Self.account) == [Self.position])
  }

  @Test func `no one else can say what was read, and other nodes say nothing of it`() {
    for sender in ["bob@example.org", "alice@example.org/phone", "example.org"] {
      #expect(XEP0490Displayed.positions(in: event(from: sender), of: Self.account) == [])
    }
    #expect(
      XEP0490Displayed.positions(in: event(from: nil, node: "other"), of: Self.account) == [])
  }

  @Test func `an item is published as private, with options that every server knows`() throws {
    let space = "http://jabber.org/protocol/pubsub"
    let pubSub = try #require(Self.position.publication.first("pubsub", space))
    let item = try #require(pubSub.first("publish", space)?.first("item", space))
    #expect(XEP0490Displayed(item: item) == Self.position)
    let form = try #require(
      pubSub.first("publish-options", space)?.first("x", Namespace.dataForms)
        .flatMap { XEP0004DataForm($0) })
    #expect(form["pubsub#access_model"]?.values == ["whitelist"])
    #expect(form["pubsub#max_items"] == nil)
    let creation = try #require(XEP0490Displayed.creation.first("pubsub", space))
    let configuration = try #require(
      creation.first("configure", space)?.first("x", Namespace.dataForms)
        .flatMap { XEP0004DataForm($0) })
    #expect(configuration["pubsub#max_items"]?.values == ["max"])
    #expect(configuration["pubsub#access_model"]?.values == ["whitelist"])
  }
}
