import ChatsFixtures
import NatterCore
import Testing
import XMPP

@testable import ViewModels

/// By what names people are shown.
@Suite struct PeopleTests {
  private static let nothing = "\u{202E}\u{200B}"

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

  @Test func `a nick of which nothing is to be seen is told by its characters`() {
    #expect(People.nick(Self.nothing) == "U+202E U+200B")
    #expect(People.nick("Bob") == "Bob")
    #expect(!"\u{2066}\t \u{FE0F}".isVisible && "\u{200B}x".isVisible)
  }
}
