import Testing
import XML

@testable import XMPP

/// Notifications about nodes (XEP-0060 §7.1.2.1, §7.2.2.1, §8.4, §8.5).
@Suite struct XEP0060EventTests {
  private func event(_ changes: Element...) -> XEP0060Event? {
    XEP0060Event(
      MessageStanza(
        Element(
          "message", Namespace.client, ["from": "pubsub.example.org"],
          [Element("event", XEP0060.events, [:], changes)])))
  }

  private func change(
    _ name: String, _ attributes: Attributes = ["node": "n"], _ children: [Element] = []
  ) -> Element {
    Element(name, XEP0060.events, attributes, children)
  }

  @Test func `items are published and retracted`() throws {
    let item = change("item", ["id": "a"])
    let items = change(
      "items", ["node": "n"], [item, change("retract", ["id": "b"]), change("retract", [:])])
    let found = try #require(event(items))
    #expect(found.node == "n" && found.items == [item] && found.retracted == ["b"])
    #expect(!found.isEmptied)
  }

  @Test(arguments: ["purge", "delete"])
  func `a node that was purged or deleted has no items left`(name: String) throws {
    let found = try #require(event(change(name)))
    #expect(found.node == "n" && found.isEmptied && found.items == [] && found.retracted == [])
  }

  @Test func `what names no node, or says something else, is none`() {
    #expect(event(change("purge", [:])) == nil)
    #expect(event(change("configuration")) == nil)
    #expect(event(Element("purge", "urn:x", ["node": "n"])) == nil)
    #expect(event() == nil)
    // Items count where both are there, which no service sends.
    #expect(event(change("purge"), change("items"))?.isEmptied == false)
  }
}
