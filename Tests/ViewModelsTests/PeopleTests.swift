import ChatsFixtures
import NatterCore
import Testing
import Text
import XMPP

@testable import ViewModels

/// By what names people are shown.
@Suite struct PeopleTests {
  private static let nothing = "\u{202E}\u{200B}"

  @Test(arguments: [
    (Glyphs.unicode, "·", "○", "●"), (.ascii, "-", ".", "*"), (.linear, "-", ".", "*"),
  ])
  func `a contact who does not share their presence is not reported as offline`(
    glyphs: Glyphs, unknown: String, offline: String, online: String
  ) {
    let header = HeaderViewModel(format: testFormat(glyphs: glyphs))
    header.conversation = .bob
    #expect(header.glyph == unknown)
    #expect(header.presence == "not a contact yet: /add sends a request")
    header.handle(.contactsChanged([Contact(jid: .bob, isPending: true)]))
    #expect(header.glyph == unknown)
    #expect(header.presence == "contact request sent, waiting for an answer")
    header.handle(.presenceChanged([ContactPresence(jid: .bob, availability: .offline)]))
    #expect(header.glyph == unknown)
    header.handle(.contactsChanged([Contact(jid: .bob, subscription: .from)]))
    #expect(header.glyph == unknown && header.presence.hasPrefix("doesn't share their presence"))
    header.handle(.contactsChanged([Contact(jid: .bob, subscription: .to)]))
    #expect(header.glyph == offline && header.presence == "offline")
    header.handle(.presenceChanged([ContactPresence(jid: .bob, availability: .online)]))
    #expect(header.glyph == online && header.presence == "online")
    // One's own is no stranger.
    header.conversation = .alice
    #expect(header.glyph == offline && header.presence == "offline")
  }

  @Test func `a name of which nothing is to be seen gives way to the next, at last to the address`()
  {
    var people = People()
    _ = people.apply(.contactsChanged([Contact(jid: .bob, name: Self.nothing)]))
    #expect(people.name(of: .bob) == "bob@example.net")
    #expect(people.shortName(of: .bob) == "bob")
    var named = Contact(jid: .bob, name: Self.nothing)
    named.nickname = "Bobby"
    _ = people.apply(.contactsChanged([named]))
    #expect(people.name(of: .bob) == "Bobby")
    _ = people.apply(.conversationsChanged([Conversation(jid: .bob, name: " \u{200B} ")]))
    #expect(people.name(of: .bob) == "Bobby")
    _ = people.apply(.contactsChanged([Contact(jid: .bob, name: "\u{200B} Bob \u{200B}")]))
    #expect(people.name(of: .bob).contains("Bob") && people.shortName(of: .bob) == "Bob")
  }

  @Test func `a nick with nothing visible is shown by its code points`() {
    #expect(People.nick(Self.nothing) == "U+202E U+200B")
    #expect(People.nick("Bob") == "Bob")
    #expect(!"\u{2066}\t \u{FE0F}".isVisible && "\u{200B}x".isVisible)
    #expect(!"\u{1}\u{7F}\u{9B}\n".isVisible && People.nick("\u{9B}") == "U+9B")
  }

  @Test func `names, nicks and status texts are in one line`() {
    let (broken, room) = ("Ann\r\nBob \t\u{85}C", JID(local: "den", domain: "rooms.example.org"))
    var people = People()
    _ = people.apply(.contactsChanged([Contact(jid: .bob, name: broken)]))
    _ = people.apply(.conversationsChanged([Conversation(jid: room, kind: .room, name: broken)]))
    _ = people.apply(
      .presenceChanged([ContactPresence(jid: .bob, availability: .away, status: broken)]))
    #expect(people.name(of: .bob) == "Ann Bob C" && people.shortName(of: .bob) == "Ann")
    // The contact is called so as well.
    #expect(people.name(of: room) == "Ann Bob C (den@rooms.example.org)")
    #expect(people.status(of: .bob) == "Ann Bob C")
    #expect(People.nick(broken) == "Ann Bob C")
    // What a row has no room for anyway is not counted to its end.
    _ = people.apply(
      .contactsChanged([Contact(jid: .bob, name: String(repeating: "x", count: 5000))]))
    #expect(people.name(of: .bob).count == 201)
  }

  @Test func `a notice has one line, whatever is in it`() {
    let text = testFormat().text(
      StatusNotice(.info, "status.typing", ["name": "Ann\nBob\u{1B}[31m"]))
    #expect(text.contains("Ann Bob [31m") && !text.contains("\n"), "\(text)")
  }
}
