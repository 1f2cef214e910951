import ChatsFixtures
import NatterCore
import Testing
import XMPP

@testable import ViewModels

/// Names that others choose, where they look like a contact's or the user's own.
@Suite struct ClaimedNameTests {
  private let boss = Contact(jid: JID(local: "boss", domain: "example.net"), name: "The Boss")
  private let mallory = JID(local: "mallory", domain: "evil.test")
  private let room = JID(local: "den", domain: "rooms.evil.test")

  private func people(_ events: DomainEvent...) -> People {
    var people = People(own: OwnNames(testFormat()))
    for event in [.contactsChanged([boss])] + events { _ = people.apply(event) }
    return people
  }

  private func contact(_ jid: JID, calling nickname: String) -> DomainEvent {
    var contact = Contact(jid: jid)
    contact.nickname = nickname
    return .contactsChanged([contact])
  }

  @Test func `a stranger who writes as if from a room is shown with the address`() throws {
    let stranger = try #require(mallory.with(resource: "The Boss"))
    let people = people(.conversationsChanged([Conversation(jid: stranger, kind: .direct)]))
    #expect(people.name(of: stranger) == "The Boss (mallory@evil.test)")
    #expect(people.shortName(of: stranger) == "The Boss (mallory@evil.test)")
    #expect(people.name(of: boss.jid) == "The Boss" && people.shortName(of: boss.jid) == "The")
  }

  @Test(arguments: [
    "The Boss", "the b0ss", "T\u{4BB}e  B\u{43E}ss", "boss@example.net", "alice", "Al\u{456}ce",
    "You",
    "boss", "\u{1D401}oss",
  ])
  func `a published nickname that looks like another's name has the address beside it`(
    nickname: String
  ) {
    let people = people(contact(mallory, calling: nickname))
    #expect(
      people.name(of: mallory)
        == "\(nickname.split(separator: " ").joined(separator: " ")) (mallory@evil.test)")
    #expect(people.shortName(of: mallory).hasSuffix(" (mallory@evil.test)"))
  }

  @Test(arguments: [
    ("theboss", "theboss"), ("you", "you"), ("boss\\40example.net", "boss@example.net"),
    ("boss", "boss"),
  ])
  func `a stranger's local part that looks like another's name has the address beside it`(
    local: String, shown: String
  ) {
    let jid = JID(local: local, domain: "evil.test")
    let people = people(.conversationsChanged([Conversation(jid: jid, kind: .direct)]))
    #expect(people.shortName(of: jid) == "\(shown) (\(shown)@evil.test)")
  }

  @Test func `a name that has the address beside it gets it once`() {
    #expect(
      people().claimed("The Boss (den@rooms.evil.test)", by: room)
        == "The Boss (den@rooms.evil.test)")
  }

  @Test func `one that looks like no one else's is shown alone`() {
    let people = people(contact(mallory, calling: "Mallory Mole"))
    #expect(people.name(of: mallory) == "Mallory Mole")
    #expect(people.shortName(of: mallory) == "Mallory")
    // The user's own word for a contact is never doubted, be it the same twice.
    let second = self.people(.contactsChanged([Contact(jid: mallory, name: "The Boss")]))
    #expect(second.name(of: mallory) == "The Boss" && second.name(of: boss.jid) == "The Boss")
  }

  @Test func `a first word that another goes by is shown with the rest and the address`() {
    let bob = Contact(jid: .bob, name: "Bob Smith")
    let people = people(.contactsChanged([bob]), contact(mallory, calling: "Bob Jones"))
    #expect(people.name(of: mallory) == "Bob Jones")
    #expect(people.shortName(of: mallory) == "Bob Jones (mallory@evil.test)")
    #expect(people.shortName(of: .bob) == "Bob")
  }

  @Test func `the address goes when the name is free again, and comes when it is taken`() {
    var people = people(contact(mallory, calling: "The Boss"))
    _ = people.apply(.contactsRemoved([boss.jid]))
    #expect(people.name(of: mallory) == "The Boss")
    _ = people.apply(.contactsChanged([Contact(jid: .bob, name: "the boss")]))
    #expect(people.name(of: mallory) == "The Boss (mallory@evil.test)")
    _ = people.apply(.contactsChanged([Contact(jid: .bob, name: "Bob")]))
    #expect(people.name(of: mallory) == "The Boss")
  }

  @Test func `a room that is called as a contact is has its address`() {
    let people = people(
      .conversationsChanged([Conversation(jid: room, kind: .room, name: "The Boss")]))
    #expect(people.name(of: room) == "The Boss (den@rooms.evil.test)")
    #expect(
      room.with(resource: "x").map { people.name(of: $0) } == "x (The Boss (den@rooms.evil.test))")
    let quiet = self.people(.conversationsChanged([Conversation(jid: room, kind: .room)]))
    #expect(quiet.name(of: room) == "den")
  }

  @Test(arguments: ["al", "a\u{4CF}", "You", "al\u{456}ce"])
  func `a nick in a room that looks like one's own has the room beside it`(nick: String) throws {
    let people = people(.roomsChanged([Room(jid: room, nick: "al", phase: .inside)]))
    let other = try #require(room.with(resource: nick))
    #expect(people.shortName(of: other) == "\(nick) (den@rooms.evil.test)")
    let contact = try #require(room.with(resource: "The Boss"))
    #expect(people.shortName(of: contact) == "The Boss")
    let members = MembersViewModel(format: testFormat())
    members.handle(.roomsChanged([Room(jid: room, nick: "al", phase: .inside)]))
    members.show(room)
    members.load(
      [Occupant(nick: "al"), Occupant(nick: "A1", jid: mallory), Occupant(nick: "Bob")], of: room)
    #expect(
      members.items.dropFirst().map(\.name).sorted() == [
        "A1 (mallory@evil.test)", "Bob", "al (you)",
      ])
  }

  @Test func `an invitation distinguishes who sent it and whom the room names`() {
    let people = people()
    let mediated = RoomInvitation(room: room, inviter: boss.jid, isMediated: true).notice(people)
    let text = testFormat().text(mediated)
    #expect(
      text.hasPrefix("The room den@rooms.evil.test says that boss@example.net invites you."),
      "\(text)")
    let direct = RoomInvitation(room: room, inviter: boss.jid, reason: "now", isMediated: false)
    let reported = testFormat().text(direct.notice(people))
    #expect(
      reported.hasPrefix("The Boss invites you to den@rooms.evil.test (\"now\")."), "\(reported)")
  }
}
