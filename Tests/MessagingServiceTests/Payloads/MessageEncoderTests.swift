import Foundation
import NatterCore
import Testing
import XML
import XMPP

@testable import MessagingService

/// An encoded message is what the other side decodes.
@Suite struct MessageEncoderTests {
  private let alice = JID(local: "alice", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let time = Date(timeIntervalSince1970: 1_000_000)

  private var encoder: MessageEncoder {
    MessageEncoder(
      account: alice, retractionText: "(deleted)", besideText: [MarkerPayload.request])
  }

  private func typed(
    _ body: String, to conversation: JID, file: SharedFile? = nil, reply: Message.Reply? = nil,
    replaces: String? = nil, effect: Message.Effect? = nil
  ) -> Message {
    Message(
      id: .init(1), conversation: conversation, sender: alice, direction: .outgoing, body: body,
      sentAt: time, originID: "o1", delivery: .queued, file: file, reply: reply,
      replaces: replaces, effect: effect)
  }

  /// Returns the message as a contact receives it.
  private func read(_ element: Element, at account: JID) -> IncomingMessage? {
    var element = element
    element["from"] = "\(alice)/x"
    return MessageDecoder(account: account).decode(MessageStanza(element), receivedAt: time)
  }

  @Test func `a text arrives with all that is beside it`() throws {
    let file = SharedFile(address: "https://a.example/b", name: "b")
    let reply = Message.Reply(id: "m", author: bob, text: "a\nb")
    let thread = Message.Thread(id: "t1", parent: "t0")
    let message = typed("yes", to: bob, file: file, reply: reply, replaces: "m2").inThread(thread)
    let element = encoder.encode(message, originID: "o1", .direct, isLate: false)
    let arrived = try #require(read(element, at: bob))
    #expect(arrived.body == "yes" && arrived.originID == "o1" && arrived.conversation == alice)
    #expect(arrived.file == file && arrived.reply == reply && arrived.replaces == "m2")
    #expect(arrived.thread == thread)
    #expect(!arrived.isSentAgain)
    #expect(
      element.elements.map(\.name) == [
        "body", "origin-id", "file-sharing", "fallback", "x", "reply", "fallback", "thread",
        "replace", "request", "markable",
      ])
    let late = encoder.encode(message, originID: "o1", .direct, isLate: true)
    #expect(late.elements.last?.name == "delay")
    #expect(read(late, at: bob)?.isSentAgain == true)
  }

  @Test func `an effect arrives, and has no request and no delay`() throws {
    for (effect, text, names) in [
      (Message.Effect.reaction, "👍 ❤", ["origin-id", "reactions", "store"]),
      (.retraction, "", ["origin-id", "body", "retract", "fallback", "store"]),
    ] {
      let message = typed(text, to: bob, replaces: "m", effect: effect)
      let element = encoder.encode(message, originID: "o1", .direct, isLate: true)
      #expect(element.elements.map(\.name) == names)
      let arrived = try #require(read(element, at: bob))
      #expect(arrived.effect == effect && arrived.body == text && arrived.replaces == "m")
    }
  }

  @Test func `a room gets neither requests nor addresses, an occupant the mark of a room`() {
    let reply = Message.Reply(id: "m", author: bob, text: "a")
    let toRoom = encoder.encode(
      typed("yes", to: room, reply: reply), originID: "o1", .room, isLate: true)
    #expect(toRoom["type"] == "groupchat" && toRoom["to"] == room.description)
    #expect(toRoom.elements.map(\.name) == ["body", "origin-id", "reply", "fallback"])
    #expect(toRoom.first("reply", XEP0461Reply.namespace)?["to"] == nil)
    let toOne = encoder.encode(
      typed("yes", to: room.with(resource: "bob") ?? room), originID: "o1", .occupant,
      isLate: true)
    #expect(toOne["type"] == "chat")
    #expect(toOne.elements.map(\.name) == ["body", "origin-id", "x"])
  }
}
