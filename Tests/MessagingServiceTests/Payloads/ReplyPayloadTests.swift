import Foundation
import NatterCore
import Testing
import XML
import XMPP

@testable import MessagingService

@Suite struct ReplyPayloadTests {
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let anna = JID(local: "anna", domain: "example.org")

  @Test func `a reply in a room does not reveal the author's address`() {
    let known = Message.Reply(id: "s1", author: anna, text: "hi")
    let disclosed = ReplyPayload.disclosed(known, inRoom: room)
    #expect(ReplyPayload.encode(disclosed)[0]["to"] == nil)
    #expect(ReplyPayload.encode(known)[0]["to"] == "anna@example.org")
    let occupant = Message.Reply(id: "s1", author: room.with(resource: "Anna"), text: "hi")
    #expect(ReplyPayload.disclosed(occupant, inRoom: room) == occupant)
  }

  @Test(arguments: [
    "One line", "two\nlines", "", "> quoted\n\n👩‍👩‍👧", String(repeating: "x", count: 999),
  ])
  func `what is sent above an answer is taken off again`(text: String) throws {
    let question = Message(
      id: .init(1), conversation: anna, sender: anna, direction: .incoming, body: text,
      sentAt: Date(timeIntervalSince1970: 0), originID: "o1")
    let reply = try #require(Message.Reply(to: question, inRoom: false))
    let body = BodyPayload.encode(ReplyPayload.quotation(for: reply) + "> not this\nmine")
    let stanza = MessageStanza(
      Element(
        "message", Namespace.client, ["type": "chat"], body + ReplyPayload.encode(reply)))
    #expect(BodyPayload.decode(stanza) == "> not this\nmine")
    #expect(ReplyPayload.decode(stanza) == reply)
  }

  @Test func `an answer that is all quotation keeps its text`() {
    var element = Element("message", Namespace.client, ["type": "chat"])
    element.append(Element("body", Namespace.client, text: "> all"))
    element.append(XEP0461Reply(id: "1", author: nil).element)
    element.append(XEP0428Fallback.element(for: XEP0461Reply.namespace, 0..<5))
    #expect(BodyPayload.decode(MessageStanza(element)) == "> all")
  }
}
