import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Each payload is read as it is written, and announced by what it has always been announced by.
@Suite struct PayloadTests {
  private let room = JID(local: "den", domain: "rooms.example.org")

  /// A message of a contact with `elements`, as it comes out of a parser.
  private func stanza(
    _ elements: [Element], type: String = "chat", from: String = "bob@example.org/x"
  ) throws -> MessageStanza {
    let message = Element(
      "message", Namespace.client, ["from": from, "to": "alice@example.org", "type": type],
      elements)
    return MessageStanza(try Element(xml: XMLWriter().string(message)))
  }

  private func comesBack<Payload: SentMessagePayload>(
    _ value: Payload.Value, _ payload: Payload.Type, beside others: [Element] = []
  ) throws -> Bool where Payload.Value: Equatable {
    try payload.decode(stanza(others + payload.encode(value))) == value
  }

  @Test(arguments: ["hello", "two\nlines", "<&>'\"", " 👩‍👩‍👧 "])
  func `a text comes back`(text: String) throws {
    #expect(try comesBack(text, BodyPayload.self))
    #expect(try BodyPayload.decode(stanza([])) == nil)
  }

  @Test func `an id, a correction, a receipt and a marker come back`() throws {
    #expect(try comesBack("o1", IdentityPayload.self))
    #expect(try comesBack("o1", CorrectionPayload.self))
    #expect(try comesBack("o1", ReceiptPayload.self))
    #expect(try comesBack("o1", MarkerPayload.self))
    let empty = try stanza([])
    #expect(IdentityPayload.decode(empty) == nil && CorrectionPayload.decode(empty) == nil)
    #expect(ReceiptPayload.decode(empty) == nil && MarkerPayload.decode(empty) == nil)
  }

  @Test func `a request is none of what it asks for`() throws {
    let asking = try stanza([ReceiptPayload.request, MarkerPayload.request])
    #expect(ReceiptPayload.isRequested(by: asking) && MarkerPayload.isRequested(by: asking))
    #expect(ReceiptPayload.decode(asking) == nil && MarkerPayload.decode(asking) == nil)
    let answer = try stanza(ReceiptPayload.encode("1") + MarkerPayload.encode("1"))
    #expect(!ReceiptPayload.isRequested(by: answer) && !MarkerPayload.isRequested(by: answer))
    let former = try stanza([Element("received", XEP0333Marker.namespace, ["id": "o1"])])
    #expect(MarkerPayload.received(former) == "o1" && MarkerPayload.decode(former) == nil)
  }

  @Test(arguments: XEP0085ChatState.allCases)
  func `a chat state comes back, and no server stores it`(state: XEP0085ChatState) throws {
    #expect(try comesBack(state, ChatStatePayload.self))
    #expect(ChatStatePayload.encode(state).contains { $0.is("no-store", "urn:xmpp:hints") })
    #expect(try ChatStatePayload.decode(stanza([ChatStatePayload.besideText])) == .active)
  }

  @Test func `each activity has its state, but for sending`() {
    let all: [ChatActivity] = [.composing, .paused, .active, .sent, .gone]
    #expect(
      all.map(ChatStatePayload.state(for:)) == [.composing, .paused, .active, nil, .gone])
  }

  @Test(arguments: ["👍", "👍 ❤", "👍 \u{301}x", ""])
  func `reactions come back`(emoji: String) throws {
    #expect(
      try comesBack(MessageEffect(.reaction, on: "o1", text: emoji), ReactionPayload.self))
    #expect(
      try MessageEffect(stanza(ReactionPayload.encode(.init(.reaction, on: "o1", text: emoji))))
        == MessageEffect(.reaction, on: "o1", text: emoji))
  }

  @Test func `a retraction comes back without the text that is for others`() throws {
    let sent = RetractionPayload.encode(.init(.retraction, on: "o1", text: "(deleted)"))
    #expect(try stanza(sent).body == "(deleted)")
    #expect(try RetractionPayload.decode(stanza(sent)) == MessageEffect(.retraction, on: "o1"))
    // What the room itself retracts, a moderator has.
    let byRoom = try stanza(sent, type: "groupchat", from: room.description)
    #expect(RetractionPayload.decode(byRoom) == MessageEffect(.moderation, on: "o1"))
    #expect(try RetractionPayload.tombstone(stanza(sent)) == nil)
    let tombstone = Element("retracted", XEP0424Retraction.namespace)
    #expect(try RetractionPayload.tombstone(stanza([tombstone])) == .author)
  }

  @Test func `a reply comes back with the text it quotes`() throws {
    let reply = Message.Reply(
      id: "o1", author: JID(local: "alice", domain: "example.org"), text: "two\nlines")
    let body = BodyPayload.encode(ReplyPayload.quotation(for: reply) + "yes")
    #expect(try comesBack(reply, ReplyPayload.self, beside: body))
    #expect(try BodyPayload.decode(stanza(body + ReplyPayload.encode(reply))) == "yes")
  }

  @Test func `a thread comes back, and nothing announces it`() throws {
    for thread in [XEP0201Thread(id: "one"), XEP0201Thread(id: "<2>", parent: "\"1\"")] {
      #expect(try comesBack(try #require(thread), ThreadPayload.self))
    }
    #expect(try ThreadPayload.decode(stanza([])) == nil)
    #expect(ThreadPayload.features.isEmpty)
  }

  @Test func `a file comes back, and its address is its text`() throws {
    let file = SharedFile(
      address: "https://a.example/b.png", name: "b.png", mediaType: "image/png", byteCount: 3,
      digests: [.sha256(String(repeating: "a1", count: 32))], width: 4, height: 5,
      otherAddresses: ["http://a.example/b.png"])
    #expect(try comesBack(file, FilePayload.self))
    #expect(try BodyPayload.decode(stanza(FilePayload.encode(file))) == file.address)
  }

  @Test func `a subject is read above the text`() throws {
    let subject = Element("subject", Namespace.client, text: " News ")
    #expect(try SubjectPayload.decode(stanza([subject])) == "News")
    #expect(try SubjectPayload.decode(stanza([])) == nil)
    // It is the room's.
    #expect(
      try SubjectPayload.decode(stanza([subject], type: "groupchat", from: "\(room)/bob")) == nil)
  }

  @Test func `an invitation that is sent directly is read, and is nothing more`() throws {
    let sent = XEP0249.invitation(
      of: JID(local: "alice", domain: "example.org"), to: room, reason: "tea", password: nil)
    let invited = try stanza(sent.elements)
    #expect(InvitationPayload.decode(invited)?.room == room)
    #expect(InvitationPayload.decode(invited)?.reason == "tea")
    #expect(InvitationPayload.isAlone(in: invited))
    let file = FilePayload.encode(SharedFile(address: "https://a.example/b"))
    #expect(try !InvitationPayload.isAlone(in: stanza(sent.elements + file)))
    #expect(try !InvitationPayload.isAlone(in: stanza(BodyPayload.encode("hi"))))
  }

  @Test func `a mention is the nick as a word in what another one says`() {
    #expect(MentionPayload.decode("al: hi", of: "al"))
    #expect(!MentionPayload.decode("also", of: "al"))
    #expect(!MentionPayload.decode("al: hi", of: nil))
  }

  @Test func `a call, an encrypted text and what is unknown are content`() throws {
    let propose = XEP0353Step(.propose, of: "c1").element
    #expect(
      try ContentPayload.decode(stanza([propose])) == .content(.call(.ringing), source: nil))
    let poll = try stanza([Element("poll", "urn:example:poll")])
    guard case .content(.unknown("urn:example:poll"), _?) = ContentPayload.decode(poll) else {
      Issue.record("\(String(describing: ContentPayload.decode(poll)))")
      return
    }
    #expect(ContentPayload.print(poll.content, of: poll) != nil)
    #expect(try ContentPayload.decode(stanza(BodyPayload.encode("hi"))) == nil)
  }

  // MARK: - Features

  /// The features that this client announced before each payload had its list.
  private let announced: Set<String> = [
    "urn:xmpp:sid:0", "jabber:x:conference", "urn:xmpp:message-correct:0", "urn:xmpp:fallback:0",
    "urn:xmpp:reply:0", "urn:xmpp:reactions:0", "urn:xmpp:message-retract:1",
  ]
  private let optional: Set<String> = [
    "urn:xmpp:receipts", "urn:xmpp:chat-markers:0", "http://jabber.org/protocol/chatstates",
  ]

  @Test func `the payloads announce what was announced by hand`() {
    #expect(MessagePayloads.features() == announced.union(optional))
    #expect(
      MessagePayloads.features(without: [
        ReceiptPayload.self, MarkerPayload.self, ChatStatePayload.self,
      ]) == announced)
    // What several payloads need stays while one of them does.
    #expect(
      MessagePayloads.features(without: [RetractionPayload.self]).contains("urn:xmpp:fallback:0"))
  }
}
