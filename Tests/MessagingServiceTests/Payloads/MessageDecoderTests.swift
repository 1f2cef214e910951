import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// A message has the same payloads by whichever way it comes.
@Suite struct MessageDecoderTests {
  private let alice = JID(local: "alice", domain: "example.org")
  private let bob = JID(local: "bob", domain: "example.org")
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let time = Date(timeIntervalSince1970: 1_000_000)

  /// Contents of messages. The last ones have kinds of their own.
  private static let contents: [String] = [
    "<body>hello</body>", "<subject>News</subject><body>All well</body>",
    "<body>&gt; a\n&gt; b\nyes</body><reply xmlns='urn:xmpp:reply:0' to='alice@example.org' id='m'/>"
      + "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='8'/>"
      + "</fallback>",
    "<body>so</body><thread parent='t0'>t1</thread>",
    "<body>better</body><replace xmlns='urn:xmpp:message-correct:0' id='m'/>",
    "<x xmlns='jabber:x:oob'><url>https://a.example/b.png</url><desc>The house</desc></x>",
    "<x xmlns='jabber:x:oob'><url>sftp://a.example/b</url></x>",
    "<reactions xmlns='urn:xmpp:reactions:0' id='m'><reaction>x</reaction></reactions>",
    "<body>gone</body><retract xmlns='urn:xmpp:message-retract:1' id='m'/>",
    "<encrypted xmlns='eu.siacs.conversations.axolotl'><payload>c2VjcmV0</payload></encrypted>",
    "<poll xmlns='urn:example:poll'><option>a</option></poll>",
    "<propose xmlns='urn:xmpp:jingle-message:0' id='c1'/>",
    "<retract xmlns='urn:xmpp:jingle-message:0' id='c1'/>",
  ]
  /// Contents that are not messages.
  private static let silences: [String] = [
    "", "<body/>", "<body> \u{200B}</body>", "<subject> </subject>",
    "<composing xmlns='http://jabber.org/protocol/chatstates'/>",
    "<received xmlns='urn:xmpp:receipts' id='1'/>",
    "<displayed xmlns='urn:xmpp:chat-markers:0' id='1'/>",
    "<ringing xmlns='urn:xmpp:jingle-message:0' id='c1'/>",
    "<encrypted xmlns='eu.siacs.conversations.axolotl'/><body>no keys</body>"
      + "<encryption xmlns='urn:xmpp:eme:0' namespace='eu.siacs.conversations.axolotl'/>",
  ]

  private func message(_ content: String, type: String, from: JID, namespace: String = "")
    -> String
  {
    """
    <message\(namespace) from='\(from)' to='alice@example.org' type='\(type)' id='i1'>\(content)\
    <occupant-id xmlns='urn:xmpp:occupant-id:0' id='x1'/></message>
    """
  }

  /// The content of a message, without its time and origin.
  private struct Said: Equatable {
    let conversation: JID
    let sender: JID
    let body: String
    let originID: String?
    let file: SharedFile?
    let reply: Message.Reply?
    let thread: Message.Thread?
    let replaces: String?
    let effect: Message.Effect?
    let content: Message.Content?
    let print: String?
    let occupantID: String?
    let isMention: Bool

    init(_ message: IncomingMessage) {
      (conversation, sender) = (message.conversation, message.sender)
      (body, originID, file) = (message.body, message.originID, message.file)
      (reply, replaces, effect) = (message.reply, message.replaces, message.effect)
      thread = message.thread
      if case .content(let content, _) = message.payload {
        self.content = content
      } else {
        content = nil
      }
      (print, occupantID) = (message.contentPrint, message.occupantID)
      isMention = message.isMention
    }
  }

  private func result(_ xml: String) throws -> XEP0313Result {
    XEP0313Result(id: "a1", stamp: time, message: MessageStanza(try Element(xml: xml)))
  }

  @Test(arguments: contents)
  func `a message of a contact is the same live, copied, delayed and archived`(content: String)
    throws
  {
    let decoder = MessageDecoder(account: alice)
    let sender = try #require(bob.with(resource: "x"))
    func live(_ xml: String) throws -> IncomingMessage? {
      decoder.decode(MessageStanza(try Element(xml: xml)), receivedAt: time)
    }
    let first = try #require(try live(message(content, type: "chat", from: sender)))
    let copy = """
      <message from='alice@example.org'><received xmlns='urn:xmpp:carbons:2'>\
      <forwarded xmlns='urn:xmpp:forward:0'>\
      \(message(content, type: "chat", from: sender, namespace: " xmlns='jabber:client'"))\
      </forwarded></received></message>
      """
    let late =
      content + "<delay xmlns='urn:xmpp:delay' from='example.org' stamp='1970-01-01T00:00:09Z'/>"
    let delayed = try #require(try live(message(late, type: "chat", from: sender)))
    let archived = try #require(
      decoder.decode(
        try result(message(content, type: "chat", from: sender)), of: alice, in: nil))
    for other in [try #require(try live(copy)), delayed, archived] {
      #expect(Said(other) == Said(first))
    }
    #expect(!first.isDelayed && delayed.isDelayed && archived.isDelayed)
    #expect(delayed.sentAt == Date(timeIntervalSince1970: 9))
    #expect(archived.archivedAt == time && archived.stanzaID == "a1")
  }

  @Test(arguments: contents.dropLast(2), [nil, "o1"])
  func `a message of an occupant is the same live and archived`(content: String, ownID: String?)
    throws
  {
    let decoder = MessageDecoder(account: alice)
    let sender = try #require(room.with(resource: "bob"))
    // The nick is part of one of the texts.
    let view = RoomMembership(nick: "All", occupantID: ownID)
    let xml = message(content, type: "groupchat", from: sender)
    let live = try #require(
      decoder.decode(MessageStanza(try Element(xml: xml)), in: [room: view], receivedAt: time))
    let archived = try #require(decoder.decode(try result(xml), of: room, in: view))
    #expect(Said(live) == Said(archived))
    #expect(live.isMention == content.contains("All"))
    // Where the room assigns none, it is somebody's invention.
    #expect(live.occupantID == (ownID == nil ? nil : "x1"))
  }

  @Test(arguments: silences) func `what is no message is none by any way`(content: String) throws {
    let decoder = MessageDecoder(account: alice)
    for (type, from) in [
      ("chat", bob.with(resource: "x")), ("groupchat", room.with(resource: "b")),
    ] {
      let xml = message(content, type: type, from: try #require(from))
      let view = RoomMembership(nick: "alice")
      let stanza = MessageStanza(try Element(xml: xml))
      #expect(decoder.decode(stanza, in: [room: view], receivedAt: time) == nil)
      #expect(decoder.decode(try result(xml), of: alice, in: nil) == nil)
      #expect(decoder.decode(try result(xml), of: room, in: view) == nil)
      #expect(!stanza.isStored)
    }
  }

  @Test(arguments: contents + silences)
  func `whether there is a text is known without making it`(content: String) throws {
    for type in ["chat", "groupchat"] {
      for subject in ["", "<subject>hello</subject>", "<subject/>", "<subject>x</subject>"] {
        let stanza = MessageStanza(
          try Element(xml: message(subject + content, type: type, from: bob)))
        #expect(stanza.hasText == (BodyPayload.decode(stanza) != nil), "\(stanza.element)")
      }
    }
  }

  @Test func `an archive keeps what was retracted without a text`() throws {
    let decoder = MessageDecoder(account: alice)
    let sender = try #require(bob.with(resource: "x"))
    let xml = message(
      "<retracted xmlns='urn:xmpp:message-retract:1' stamp='1970-01-01T00:00:09Z'/>", type: "chat",
      from: sender)
    let archived = decoder.decode(try result(xml), of: alice, in: nil)
    #expect(archived?.body == "" && archived?.retraction == .author)
    #expect(decoder.decode(MessageStanza(try Element(xml: xml)), receivedAt: time) == nil)
  }
}
