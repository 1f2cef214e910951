import Foundation
import NatterCore
import Testing
import XML
import XMPP

@Suite struct MessageRelationsTests {
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let anna = JID(local: "anna", domain: "example.org")

  private func message(
    _ body: String, from sender: JID, in conversation: JID, stanza: String? = nil,
    origin: String? = "o1"
  ) -> Message {
    Message(
      id: .init(1), conversation: conversation, sender: sender, direction: .incoming, body: body,
      sentAt: Date(timeIntervalSince1970: 0), originID: origin, stanzaID: stanza)
  }

  @Test func `elsewhere the sender's name for a message counts, in a room the room's`() throws {
    let direct = message("hi", from: try #require(anna.with(resource: "x")), in: anna, stanza: "s1")
    #expect(
      Message.Reply(to: direct, inRoom: false)
        == Message.Reply(id: "o1", author: anna, text: "hi"))
    let nick = try #require(room.with(resource: "Anna"))
    #expect(
      Message.Reply(to: message("hi", from: nick, in: room, stanza: "s1"), inRoom: true)
        == Message.Reply(id: "s1", author: nick, text: "hi"))
    #expect(
      Message.Reply(to: message("hi", from: anna, in: anna, origin: nil), inRoom: false) == nil)
  }

  @Test func `a room is not told the address of who wrote what was typed here`() {
    let own = message("hi", from: anna, in: room, stanza: "s1")
    #expect(Message.Reply(to: own, inRoom: true)?.author == nil)
    let known = Message.Reply(id: "s1", author: anna, text: "hi")
    #expect(known.elements(above: "yes", inRoom: room).elements[0]["to"] == nil)
    #expect(known.elements(above: "yes").elements[0]["to"] == "anna@example.org")
  }

  @Test(arguments: [
    "One line", "two\nlines", "", "> quoted\n\n👩‍👩‍👧", String(repeating: "x", count: 999),
  ])
  func `what is sent above an answer is taken off again`(text: String) throws {
    let reply = try #require(
      Message.Reply(to: message(text, from: anna, in: anna), inRoom: false))
    let sent = reply.elements(above: "> not this\nmine")
    var element = Element("message", Namespace.client, ["type": "chat"])
    element.append(Element("body", Namespace.client, text: sent.body))
    for part in sent.elements { element.append(part) }
    let stanza = MessageStanza(element)
    #expect(stanza.fallbackText == "> not this\nmine")
    let plain = IncomingMessage(
      conversation: anna, sender: anna, body: stanza.fallbackText ?? "", sentAt: Date(),
      originID: nil)
    #expect(plain.related(by: stanza).reply == reply)
  }

  @Test func `an answer that is all quotation keeps its text`() {
    var element = Element("message", Namespace.client, ["type": "chat"])
    element.append(Element("body", Namespace.client, text: "> all"))
    element.append(XEP0461Reply(id: "1", author: nil).element)
    element.append(XEP0428Fallback.element(for: XEP0461Reply.namespace, 0..<5))
    #expect(MessageStanza(element).fallbackText == "> all")
  }
}
