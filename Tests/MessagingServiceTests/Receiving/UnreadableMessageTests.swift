import Diagnostics
import Foundation
import NatterCore
import TestSupport
import Testing
import XML
import XMPP

@testable import MessagingService

/// Messages that are not plain text: none from a user is dropped because Natter does not know it.
@Suite struct UnreadableMessageTests {
  let room = JID(local: "den", domain: "rooms.example.org")
  let alice = JID(local: "alice", domain: "example.org")
  let bob = JID(local: "bob", domain: "example.org")
  let arrival = Date(timeIntervalSince1970: 1_000_000)

  private func read(
    _ content: String, from: String = "bob@example.org/x", type: String = "chat",
    to: String = "alice@example.org"
  ) throws -> IncomingMessage? {
    try read(
      Element(
        xml: "<message from='\(from)' to='\(to)' type='\(type)' id='i1'>\(content)</message>"))
  }

  private func read(_ element: Element) -> IncomingMessage? {
    MessageDecoder(account: alice).decode(
      MessageStanza(element), in: [room: RoomMembership(nick: "al")], receivedAt: arrival)
  }

  /// A copy of what another client of the account has sent.
  private func sent(_ content: String, to: String = "bob@example.org") throws -> IncomingMessage? {
    try read(
      Element(
        xml: """
          <message from='alice@example.org'><sent xmlns='urn:xmpp:carbons:2'>\
          <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' type='chat' \
          from='alice@example.org/phone' to='\(to)' id='i2'>\(content)</message></forwarded>\
          </sent></message>
          """))
  }

  private func content(_ message: IncomingMessage?) -> Message.Content? {
    guard case .content(let content, _) = message?.payload else { return nil }
    return content
  }

  // MARK: Rooms and subjects

  @Test func `what a room says in its own name is the room's`() throws {
    let said = try read(
      "<body>The service restarts at noon</body>", from: room.description, type: "groupchat")
    #expect(said?.body == "The service restarts at noon" && said?.sender == room)
    #expect(said?.conversation == room && said?.direction == .incoming)
    #expect(said?.isMention == false)
    let named = try read("<body>al: hi</body>", from: room.description, type: "groupchat")
    #expect(named?.isMention == false)
  }

  @Test(arguments: [
    "<body>This room is not anonymous</body><x xmlns='http://jabber.org/protocol/muc#user'>"
      + "<status code='100'/></x>",
    "<x xmlns='http://jabber.org/protocol/muc#user'><status code='104'/></x>",
    "<subject>Tea</subject>", "<subject/>", "<body/>", "<poll xmlns='urn:e'/>",
    "<reactions xmlns='urn:xmpp:reactions:0' id='s1'><reaction>x</reaction></reactions>",
  ]) func `what a room says of itself is no message`(content: String) throws {
    #expect(try read(content, from: room.description, type: "groupchat") == nil)
  }

  @Test func `a subject is shown above the text, or alone`() throws {
    for type in ["chat", "normal", "headline"] {
      #expect(
        try read("<subject>News</subject><body>All well</body>", type: type)?.body
          == "News\nAll well")
      #expect(try read("<subject>News</subject>", type: type)?.body == "News")
      #expect(try read("<subject>Same</subject><body>Same</body>", type: type)?.body == "Same")
      #expect(try read("<subject>Same</subject><body>Same\n</body>", type: type)?.body == "Same")
      #expect(
        try read("<subject>\n News\n\n</subject><body>All well</body>", type: type)?.body
          == "News\nAll well")
    }
    // An occupant changes the room's subject; with a text it is an old program's sentence about
    // that.
    #expect(
      try read("<subject>Tea</subject>", from: "\(room)/bob", type: "groupchat") == nil)
    #expect(
      try read(
        "<subject>Tea</subject><body>bob: Tea</body>", from: "\(room)/bob", type: "groupchat"
      )?.body == "bob: Tea")
    // Else it is the message's own.
    #expect(
      try read(
        "<subject>News</subject><body>All well</body>", from: "\(room)/bob", type: "groupchat"
      )?.body == "News\nAll well")
    let thread = "<subject>Tea</subject><thread>t</thread>"
    #expect(try read(thread, from: "\(room)/bob", type: "groupchat")?.body == "Tea")
  }

  @Test(arguments: ["", " ", "\n", "\n\r\n \n", "\u{200B}", "\u{FEFF}", " \u{200B}\u{2060} \n"])
  func `a text of which nothing is drawn is no message`(text: String) throws {
    for (sender, type) in [("bob@example.org/x", "chat"), ("\(room)/bob", "groupchat")] {
      #expect(try read("<body>\(text)</body>", from: sender, type: type) == nil)
      #expect(try read("<body>\(text)x</body>", from: sender, type: type)?.body.last == "x")
    }
  }

  @Test(arguments: [" ", "\u{200B}", "\u{FEFF} \n"])
  func `a subject or formatted text of which nothing is drawn is no message`(text: String) throws {
    let html = """
      <html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>\
      <p>\(text)</p></body></html>
      """
    #expect(try read("<subject>\(text)</subject>") == nil)
    #expect(try read(html) == nil)
    #expect(try read("<subject>\(text)</subject><body>x</body>")?.body == "x")
  }

  @Test func `a reply of which nothing is drawn keeps its quotation`() throws {
    let reply = """
      <reply xmlns='urn:xmpp:reply:0' id='m'/>\
      <fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='0' end='5'/></fallback>
      """
    for rest in ["", " ", "\u{200B}"] {
      #expect(try read("<body>&gt; hi\n\(rest)</body>" + reply)?.body == "> hi\n\(rest)")
    }
    #expect(try read("<body>&gt; hi\nx</body>" + reply)?.body == "x")
  }

  @Test func `formatted text counts where there is no plain one`() throws {
    let html = """
      <html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>\
      <p>bold</p></body></html>
      """
    #expect(try read(html)?.body == "bold")
    #expect(try read("<body/>" + html)?.body == "bold")
    #expect(try read("<body> </body>" + html)?.body == "bold")
    #expect(try read("<body>\u{FEFF}</body>" + html)?.body == "bold")
    #expect(try read("<body>plain</body>" + html)?.body == "plain")
  }

  @Test func `the description of a file is its text, where there is no other`() throws {
    let address = "https://a.example/b.png"
    func file(_ description: String) -> String {
      "<x xmlns='jabber:x:oob'><url>\(address)</url><desc>\(description)</desc></x>"
    }
    for body in ["", "<body/>", "<body>\(address)</body>", "<body>\(address)\n</body>"] {
      let message = try read(body + file(" The house\n"))
      #expect(message?.body == "The house" && message?.file?.address == address)
    }
    #expect(try read("<body>Look</body>" + file("The house"))?.body == "Look")
    #expect(try read("<body>\(address)</body>" + file(" "))?.body == address)
    #expect(try read(file(""))?.body == address)
    // Nothing can fetch it, so the user gets the URL.
    let other = "<x xmlns='jabber:x:oob'><url>sftp://a.example/b</url><desc>The plan</desc></x>"
    let message = try read(other)
    #expect(message?.body == "The plan\nsftp://a.example/b" && message?.file == nil)
    #expect(message?.payload == nil)
    #expect(try read("<body>Look</body>" + other)?.body == "Look")
  }

  @Test func `a receiver reads the user's language`() async {
    let store = MemoryMessageStore()
    let receiver = MessageReceiver(
      account: alice, store: store, hub: EventHub(), log: .none, languages: ["fr"])
    var element = Element("message", Namespace.client, ["from": "bob@example.org/x"])
    element.append(Element("body", Namespace.client, text: "Hello"))
    element.append(Element("body", Namespace.client, ["xml:lang": "fr"], text: "Bonjour"))
    await receiver.receive([.message(MessageStanza(element))])
    #expect(await store.all.map(\.body) == ["Bonjour"])
  }

  // MARK: Encryption

  private static let omemo = """
    <encrypted xmlns='eu.siacs.conversations.axolotl'><header sid='1'><key rid='2'>a2V5</key>\
    </header><payload>c2VjcmV0</payload></encrypted><encryption xmlns='urn:xmpp:eme:0' \
    namespace='eu.siacs.conversations.axolotl' name='OMEMO'/><store xmlns='urn:xmpp:hints'/>
    """
  private static let keys = Self.omemo.replacing("<payload>c2VjcmV0</payload>", with: "")
  private static let fallback = "<body>I sent you an OMEMO encrypted message</body>"

  @Test(arguments: [omemo, omemo + fallback]) func `an encrypted message is one, with all of it`(
    content: String
  ) throws {
    for (from, type) in [
      ("bob@example.org/x", "chat"), ("bob@example.org/x", "normal"), ("\(room)/bob", "groupchat"),
      ("\(room)/bob", "chat"),
    ] {
      let message = try #require(try read(content, from: from, type: type))
      #expect(message.body == "" && message.direction == .incoming && message.originID == "i1")
      guard case .content(.encrypted(let encryption), let source) = message.payload else {
        Issue.record("\(from): \(String(describing: message.payload))")
        continue
      }
      #expect(encryption.title == "OMEMO")
      #expect(source?.contains("c2VjcmV0") == true && source?.contains("a2V5") == true)
    }
    let own = try sent(content)
    #expect(own?.direction == .outgoing && own?.conversation == bob)
    #expect(self.content(own) == .encrypted(.init(method: "eu.siacs.conversations.axolotl")))
  }

  @Test func `keys without a text stay silent, with and without a sentence for others`() throws {
    #expect(try read(Self.keys) == nil && read(Self.keys, type: "normal") == nil)
    #expect(try read(Self.keys + Self.fallback) == nil)
    #expect(try read(Self.keys, from: "\(room)/bob", type: "groupchat") == nil)
  }

  @Test func `an encrypted correction is a message of its own, what takes one back is not`() throws
  {
    let correction = "<replace xmlns='urn:xmpp:message-correct:0' id='i0'/>"
    #expect(try read(Self.omemo + correction)?.replaces == nil)
    let retraction = "<retract xmlns='urn:xmpp:message-retract:1' id='i0'/>"
    #expect(try read(retraction)?.effect == .retraction)
  }

  @Test func `what is too large is shown, and not kept`() throws {
    let large = String(repeating: "A", count: 40_000)
    let message = try read(Self.omemo.replacing("c2VjcmV0", with: large))
    #expect(
      message?.payload
        == .content(.encrypted(.init(method: "eu.siacs.conversations.axolotl")), source: nil))
  }

  // MARK: Unknown kinds

  private static let poll = "<poll xmlns='urn:example:poll'><option>a</option></poll>"

  @Test func `what a person sent is shown, though its kind is unknown here`() throws {
    for (from, type) in [
      ("bob@example.org/x", "chat"), ("bob@example.org/x", "normal"),
      ("bob@example.org/x", "headline"), ("\(room)/bob", "groupchat"), ("\(room)/bob", "chat"),
    ] {
      let message = try read(
        Self.poll + "<active xmlns='http://jabber.org/protocol/chatstates'/>", from: from,
        type: type)
      #expect(content(message) == .unknown(namespace: "urn:example:poll"), "\(from) \(type)")
      #expect(message?.body == "")
    }
    #expect(content(try sent(Self.poll)) == .unknown(namespace: "urn:example:poll"))
    #expect(try read(Self.poll + "<body>Vote!</body>")?.payload == nil)
  }

  @Test(arguments: [
    ("example.org", "normal"), ("bob@example.org", "headline"), ("rooms.example.org/x", "normal"),
    ("den@rooms.example.org", "normal"), ("den@rooms.example.org", "groupchat"),
    ("alice@example.org/other", "chat"), ("bob@example.org/x", "error"),
  ]) func `servers, rooms, one's own devices and errors do not`(from: String, type: String) throws {
    #expect(try read(Self.poll, from: from, type: type) == nil)
  }

  @Test(arguments: [
    "<composing xmlns='http://jabber.org/protocol/chatstates'/>",
    "<received xmlns='urn:xmpp:receipts' id='1'/>",
    "<displayed xmlns='urn:xmpp:chat-markers:0' id='1'/>",
    "<event xmlns='http://jabber.org/protocol/pubsub#event'/>",
    "<sent xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'/></sent>",
    "<x xmlns='jabber:x:conference' jid='den@rooms.example.org'/>",
    "<x xmlns='http://jabber.org/protocol/muc#user'><invite from='c@example.org'/></x>",
  ]) func `what is silent on purpose stays silent`(content: String) throws {
    #expect(try read(content) == nil)
  }

  // MARK: Invitations

  private static let invitation = "<x xmlns='jabber:x:conference' jid='tea@rooms.example.org'/>"

  @Test(arguments: [omemo, omemo + fallback])
  func `an invitation takes no encrypted message away`(content: String) throws {
    for (from, type) in [
      ("bob@example.org/x", "chat"), ("bob@example.org/x", "normal"), ("\(room)/bob", "chat"),
    ] {
      let message = try #require(try read(Self.invitation + content, from: from, type: type))
      #expect(message.body == "" && message.direction == .incoming && message.originID == "i1")
      #expect(self.content(message) == .encrypted(.init(method: "eu.siacs.conversations.axolotl")))
    }
  }

  @Test func `nor a file, a call or a message of an unknown kind`() throws {
    let file = "<x xmlns='jabber:x:oob'><url>https://a.example/b.png</url></x>"
    #expect(try read(Self.invitation + file)?.file?.address == "https://a.example/b.png")
    #expect(
      content(try read(Self.invitation + Self.poll)) == .unknown(namespace: "urn:example:poll"))
    #expect(content(try read(Self.invitation + step("propose"))) == .call(.ringing))
  }

  @Test(arguments: ["", "<body>come</body>", keys, keys + fallback])
  func `its own text is its reason, and keys are silent beside it as well`(content: String) throws {
    #expect(try read(Self.invitation + content) == nil)
  }

  @Test func `a room forwards an invitation and nothing else`() throws {
    let forwarded =
      "<x xmlns='http://jabber.org/protocol/muc#user'><invite from='c@example.org'/></x>"
    #expect(try read(forwarded + Self.omemo, from: room.description, type: "normal") == nil)
  }

  // MARK: Calls

  private func step(_ name: String) -> String {
    "<\(name) xmlns='urn:xmpp:jingle-message:0' id='c1'/>"
  }

  @Test func `a call is shown, and how it ends`() throws {
    let call = try read(step("propose"))
    #expect(content(call) == .call(.ringing) && call?.originID == "c1")
    #expect(try read(step("retract"))?.payload == .callEnd(id: "c1", .missed))
    // Some callers end a call without an answer like one that was answered.
    #expect(try read(step("finish"))?.payload == .callEnd(id: "c1", .missed))
    #expect(try sent(step("proceed"))?.payload == .callEnd(id: "c1", .answered))
    #expect(try sent(step("reject"))?.payload == .callEnd(id: "c1", .declined))
    // As the account's devices notify each other.
    let own = try read(step("accept"), from: "alice@example.org/phone", to: "alice@example.org")
    #expect(own?.payload == .callEnd(id: "c1", .answered))
  }

  @Test func `no one else ends a call, and calls of one's own devices are not shown`() throws {
    #expect(try read(step("accept")) == nil && read(step("reject")) == nil)
    #expect(try read(step("ringing")) == nil && sent(step("finish")) == nil)
    #expect(try sent(step("propose")) == nil && sent(step("retract")) == nil)
    #expect(try read(step("propose"), from: "\(room)/bob") == nil)
  }
}
