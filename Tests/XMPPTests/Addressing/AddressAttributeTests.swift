import FoundationEssentials
import Testing
import XML
import XMPP

/// An address that is there and cannot be read never means what its absence does.
@Suite struct AddressAttributeTests {
  private static let account = JID(local: "alice", domain: "example.org")
  private static let room = JID(local: "den", domain: "rooms.example.org")
  /// Addresses that servers accept and this client does not.
  static let unreadable = [
    "mallory@example.org/r\u{AD}", "", "@example.org", "mallory@example.org/", "a b@example.org",
    "mallory@example.org/\u{202E}x", "mallory@ex..org",
    "mallory@example.org/" + String(repeating: "x", count: 1024),
  ]

  private func message(
    _ from: String?, to: String? = nil, type: String = "chat", _ children: Element...
  ) -> MessageStanza {
    var element = Element("message", Namespace.client, ["type": type], children)
    element["from"] = from
    element["to"] = to
    return MessageStanza(element)
  }

  @Test(arguments: unreadable) func `is distinguished from an absent one`(text: String) {
    let element = Element("x", "u", ["jid": text, "good": "bob@example.org"])
    #expect(element.address("jid") == .unreadable)
    #expect(element.address("other") == .absent)
    #expect(element.address("good").jid?.local == "bob")
    #expect(element.address("jid").jid(ifAbsent: Self.account) == nil)
    #expect(element.address("other").jid(ifAbsent: Self.account) == Self.account)
    #expect(!message(text).isFrom(Self.account))
    #expect(message(nil).isFrom(Self.account))
    #expect(message("\(Self.account)").isFrom(Self.account))
  }

  @Test(arguments: unreadable, ["message", "presence", "iq"])
  func `makes no stanza`(text: String, name: String) {
    for attribute in ["from", "to"] {
      let element = Element(name, Namespace.client, [attribute: text, "type": "result"])
      #expect(Stanza(element) == nil)
    }
    #expect(Stanza(Element(name, Namespace.client)) != nil)
  }

  @Test(arguments: unreadable, ["from", "to"])
  func `makes no copy and no result of an archive`(text: String, attribute: String) {
    func forwarded(_ address: String?) -> Element {
      var inner = Element(
        "message", Namespace.client, ["from": "bob@example.org/a", "to": "\(Self.account)"],
        [Element("body", Namespace.client, text: "hi")])
      inner[attribute] = address
      let delay = XEP0203Delay(stamp: Date(timeIntervalSince1970: 0), from: nil)
      return Element(
        "forwarded", XEP0280Carbon.forwardNamespace, [:], [delay.element, inner])
    }
    func copy(_ address: String?, _ direction: String) -> XEP0280Carbon? {
      XEP0280Carbon(
        message(
          "\(Self.account)",
          Element(direction, XEP0280Carbon.namespace, [:], [forwarded(address)])),
        of: Self.account)
    }
    func result(_ address: String?) -> XEP0313Result? {
      XEP0313Result.read(
        message(
          nil,
          Element(
            "result", Namespace.archive, ["queryid": "q", "id": "1"], [forwarded(address)])))?
        .result
    }
    for direction in ["sent", "received"] {
      #expect(copy(text, direction) == nil)
      #expect(copy(nil, direction) != nil)
    }
    #expect(result(text) == nil)
    #expect(result(nil) != nil)
  }

  @Test(arguments: unreadable) func `delays nothing for the server or the room`(text: String) {
    func delayed(_ from: String?, type: String) -> MessageStanza {
      var delay = XEP0203Delay(stamp: Date(timeIntervalSince1970: 0), from: nil).element
      delay["from"] = from
      return message("\(Self.room)/bob", type: type, delay)
    }
    for type in ["chat", "groupchat"] {
      // One that names nobody is the sender's word as well.
      for from in [text, nil] {
        #expect(delayed(from, type: type).heldBack(by: Self.account) == nil)
        #expect(!delayed(from, type: type).waited(atServerOf: Self.account))
        #expect(!delayed(from, type: type).isOfRoomsPast)
      }
    }
    #expect(delayed("\(Self.account.domain)", type: "chat").waited(atServerOf: Self.account))
    #expect(delayed("\(Self.room)", type: "groupchat").isOfRoomsPast)
  }

  @Test(arguments: unreadable) func `says nothing of what was read`(text: String) {
    let space = XEP0060.events
    let position = XEP0490Displayed(
      conversation: JID(local: "bob", domain: "example.org"), stanzaID: "1", by: Self.account)
    let item = position.publication.elements[0].elements[0].elements[0]
    let event = Element(
      "event", space, [:],
      [
        Element(
          "items", space, ["node": XEP0490Displayed.node],
          [Element("item", space, item.attributes, item.elements)])
      ])
    #expect(XEP0490Displayed.positions(in: message(nil, event), of: Self.account) == [position])
    #expect(XEP0490Displayed.positions(in: message(text, event), of: Self.account) == [])
  }

  @Test(arguments: unreadable) func `publishes no answer to an event`(text: String) {
    let jid = JID(local: "bob", domain: "example.org")
    var item = XEP0471Answer(jid: jid, attendance: .yes).item
    #expect(XEP0471Answer(item: item)?.jid == jid)
    item["publisher"] = "\(jid)/phone"
    #expect(XEP0471Answer(item: item)?.jid == jid)
    item["publisher"] = text
    #expect(XEP0471Answer(item: item) == nil)
  }

  @Test(arguments: unreadable) func `is no address that a room reports`(text: String) {
    #expect(XEP0045Item(Element("item", XEP0045.user, ["jid": text])).address == .unreadable)
    #expect(XEP0045Item(Element("item", XEP0045.user)).address == .absent)
  }

  @Test(arguments: unreadable) func `gives no id`(text: String) {
    let id = Element("stanza-id", Namespace.stanzaIDs, ["by": text, "id": "1"])
    #expect(message("bob@example.org", id).stanzaID(by: Self.account) == nil)
  }
}
