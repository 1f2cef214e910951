import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

@Suite struct RoomMessageTests {
  struct Rooms: RoomViewing {
    let known: [JID: RoomMembership]
    var left: Set<JID> = []
    func views() async -> [JID: RoomMembership] { known }
    func knows(_ room: JID) async -> Bool { known[room] != nil || left.contains(room) }
  }

  let room = JID(local: "den", domain: "rooms.example.org")
  let alice = JID(local: "alice", domain: "example.org")
  let arrival = Date(timeIntervalSince1970: 1_000_000)

  private func read(_ stanza: Stanza, _ view: RoomMembership = RoomMembership(nick: "al"))
    -> IncomingMessage?
  {
    guard case .message(let message) = stanza else { return nil }
    return MessageDecoder(account: alice).decode(
      message, in: [room: view], receivedAt: arrival)
  }

  private func occupantID(_ id: String) -> Element {
    Element("occupant-id", Namespace.occupantID, ["id": id])
  }

  @Test func `what an occupant says belongs to the room`() throws {
    let stanzaID = Element("stanza-id", Namespace.stanzaIDs, ["by": room.description, "id": "s1"])
    let forged = Element("stanza-id", Namespace.stanzaIDs, ["by": "alice@example.org", "id": "s2"])
    let message = try #require(
      read(
        .message(
          from: "\(room)/bob", id: "1", type: "groupchat", body: "AL: come", forged, stanzaID)))
    #expect(message.conversation == room && message.sender.resource == "bob")
    #expect(message.direction == .incoming && message.stanzaID == "s1" && message.isMention)
  }

  @Test func `a reflection of one's own message is outgoing`() {
    let back = read(.message(from: "\(room)/al", id: "1", type: "groupchat", body: "al says"))
    #expect(back?.direction == .outgoing && back?.isMention == false)
  }

  @Test func `the lasting id counts more than the nick`() {
    let view = RoomMembership(nick: "al", occupantID: "me")
    let another = read(
      .message(from: "\(room)/al", type: "groupchat", body: "x", occupantID("other")), view)
    let earlier = read(
      .message(from: "\(room)/old", type: "groupchat", body: "x", occupantID("me")), view)
    #expect(another?.direction == .incoming && earlier?.direction == .outgoing)
  }

  @Test
  func
    `in what a room tells of its past the own nick is no proof, in what the own server held back it is`()
  {
    let stamp = arrival.addingTimeInterval(-60)
    func late(_ from: JID...) -> IncomingMessage? {
      read(
        .message(
          MessageStanza(
            Element(
              "message", Namespace.client, ["from": "\(room)/al", "id": "1", "type": "groupchat"],
              [Element("body", Namespace.client, text: "x")]
                + from.map { XEP0203Delay(stamp: stamp, from: $0).element }))))
    }
    let server = JID(local: nil, domain: alice.domain)
    #expect(late(room)?.isOwnByName == true)
    #expect(late(room, server)?.isOwnByName == true)
    #expect(late(server, room)?.isOwnByName == true)
    #expect(late(server)?.isOwnByName == false)
    #expect(late()?.isOwnByName == false)
  }

  @Test func `where the room gives no lasting ids, no occupant has one`() {
    let made = Stanza.message(
      from: "\(room)/mal", type: "groupchat", body: "x", occupantID("made up"))
    #expect(read(made)?.occupantID == nil)
    #expect(read(made, RoomMembership(nick: "al", occupantID: "me"))?.occupantID == "made up")
  }

  @Test func `a history without ids is known by its stamps`() {
    let delay = XEP0203Delay(stamp: arrival.addingTimeInterval(-60), from: room).element
    let sent = Stanza.message(from: "\(room)/bob", type: "groupchat", body: "x", delay)
    #expect(
      read(sent)?.originID == IncomingMessage.stampID(for: arrival.addingTimeInterval(-60)))
    #expect(
      read(.message(from: "\(room)/bob", id: "7", type: "groupchat", body: "x", delay))?.originID
        == "7")
    #expect(
      read(.message(from: "\(room)/bob", type: "groupchat", body: "x"))?.originID == nil)
  }

  @Test func `private messages that another client sent to an occupant stay private`() throws {
    let mark = Element("x", XEP0045.user)
    let inner = Element(
      "message", Namespace.client,
      ["from": "alice@example.org/phone", "to": "other@rooms.example.org/bob", "type": "chat"],
      [Element("body", Namespace.client, text: "psst"), mark])
    let copy = Stanza.message(
      from: "alice@example.org",
      Element(
        "sent", XEP0280Carbon.namespace, [:],
        [Element("forwarded", XEP0280Carbon.forwardNamespace, [:], [inner])]))
    let message = try #require(read(copy))
    #expect(message.conversation.description == "other@rooms.example.org/bob")
  }

  @Test func `an announcement has a text, what was published has none`() {
    let said = read(.message(from: "example.org", type: "headline", body: "Down at noon"))
    #expect(said?.body == "Down at noon" && said?.conversation.description == "example.org")
    let event = Element("event", "http://jabber.org/protocol/pubsub#event")
    #expect(
      read(.message(from: "example.org", type: "headline", body: "Someone published", event))
        == nil)
  }

  @Test func `groupchat of a room that one is not in is ignored`() {
    #expect(
      read(.message(from: "other@rooms.example.org/bob", type: "groupchat", body: "x")) == nil)
    #expect(
      read(.message(from: "other@rooms.example.org", type: "groupchat", body: "x")) == nil)
  }

  @Test func `the room itself takes a message back, and no occupant does so in its name`() {
    let retract = XEP0424Retraction.elements(of: "s1")
    let moderated = read(
      .message(from: room.description, type: "groupchat", body: "gone", retract[0]))
    #expect(moderated?.effect == .moderation && moderated?.replaces == "s1")
    #expect(moderated?.sender == room && moderated?.body == "")
    let own = read(.message(from: "\(room)/bob", type: "groupchat", body: "gone", retract[0]))
    #expect(own?.effect == .retraction && own?.sender.resource == "bob")
    let forged = Element(
      "retract", XEP0424Retraction.namespace, ["id": "s1"],
      [Element("moderated", "urn:xmpp:message-moderate:1")])
    #expect(
      read(.message(from: "\(room)/bob", type: "groupchat", forged))?.effect == .moderation)
    #expect(read(.message(from: "\(room)/bob", type: "groupchat", forged))?.sender != room)
  }

  @Test func `a reaction has no text, and who was there since when is known`() throws {
    let reactions = XEP0444Reactions(id: "s1", emoji: ["👍", "❤"]).elements
    let view = RoomMembership(nick: "al", present: ["bob": arrival])
    let stanza = Stanza.message(
      from: "\(room)/bob", type: "groupchat", body: "al: I like it", reactions[0])
    let message = try #require(read(stanza, view))
    #expect(message.effect == .reaction && message.body == "👍 ❤" && message.replaces == "s1")
    #expect(message.presentSince == arrival && !message.isMention)
    let delay = Element(
      "delay", Namespace.delay,
      ["stamp": "1970-01-02T00:00:00Z", "from": room.description])
    let late = Stanza.message(from: "\(room)/bob", type: "groupchat", reactions[0], delay)
    #expect(read(late, view)?.presentSince == nil)
    #expect(read(.message(from: "\(room)/bob", reactions[0]), view)?.presentSince == arrival)
  }

  @Test func `private messages are a conversation of their own`() {
    let message = read(.message(from: "\(room)/bob", body: "psst"))
    #expect(message?.conversation == message?.sender)
    #expect(message?.conversation.resource == "bob")
  }

  @Test func `an invitation is no message`() {
    let direct = Element("x", XEP0249.namespace, ["jid": room.description])
    #expect(
      read(.message(from: "bob@example.org/a", type: "normal", body: "come in", direct)) == nil)
  }

  @Test func `a room's question who may speak is no message, an occupant's text is`() {
    let form = XEP0004DataForm(
      .form,
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: ["http://jabber.org/protocol/muc#request"]),
        .init("muc#roomnick", values: ["carol"]),
      ]
    ).element
    #expect(read(.message(from: room.description, type: "normal", body: "carol", form)) == nil)
    #expect(read(.message(from: "\(room)/bob", type: "normal", body: "carol", form)) != nil)
  }

  @Test func `a room's notice of a declined invitation is no message, also once one has left it`()
    async
  {
    let decline = Element(
      "x", XEP0045.user, [:], [Element("decline", XEP0045.user, ["from": "carol@example.org"])])
    let left = JID(local: "attic", domain: "rooms.example.org")
    let store = MemoryMessageStore()
    let receiver = MessageReceiver(
      account: alice, store: store,
      rooms: Rooms(known: [room: RoomMembership(nick: "al")], left: [left]),
      hub: EventHub(), log: .none)
    await receiver.receive(
      [room.description, left.description, "bob@example.org"].map {
        .message(from: $0, type: "normal", body: "carol declined", decline)
      })
    // From any other sender it is taken as sent.
    #expect(await store.all.map(\.conversation) == [JID(local: "bob", domain: "example.org")])
  }

  @Test func `what a room sends of its past on the first visit is not unread`() async {
    let delay = Element(
      "delay", Namespace.delay,
      ["stamp": "1970-01-02T00:00:00Z", "from": room.description])
    let store = MemoryMessageStore()
    let receiver = MessageReceiver(
      account: alice, store: store, rooms: Rooms(known: [room: RoomMembership(nick: "al")]),
      hub: EventHub(), log: .none)
    await receiver.receive([
      .message(from: "\(room)/bob", id: "1", type: "groupchat", body: "old", delay)
    ])
    #expect(await store.all.map(\.isDelayed) == [true])
  }
}
