import Foundation
import NatterCore
import Testing
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

  @Test func `a reply in a room does not reveal the author's address`() {
    let own = message("hi", from: anna, in: room, stanza: "s1")
    #expect(Message.Reply(to: own, inRoom: true)?.author == nil)
  }
}
