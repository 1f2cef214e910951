import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// A typed address or nick finds the contact that the user means.
@Suite struct TypedAddressTests {
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let other = JID(local: "tea", domain: "rooms.example.org")
  private let bob = JID(local: "bob", domain: "example.net")
  private let ports = FakePorts(
    conversations: [
      Conversation(jid: JID(local: "den", domain: "rooms.example.org"), kind: .room)
    ], contacts: [Contact(jid: JID(local: "bob", domain: "example.net"), name: nil)],
    now: .afternoon)
  private let rooms = FakeRooms()
  private final class Asked { var requests: [ConfirmRequest] = [] }
  private let asked = Asked()

  private func shell() async -> ShellViewModel {
    var actions = ShellActions.forTests()
    actions.parseAddress = { JID(userInput: $0) }
    actions.confirm = { [asked] in asked.requests.append($0) }
    let shell = ShellViewModel(
      ports: rooms.beside(ports), format: testFormat(), scheduler: ManualTimers().scheduler,
      actions: actions)
    await shell.load()
    await shell.lifetime.settle()
    shell.handle(.connectionChanged(.online))
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    shell.handle(
      .occupantsChanged(
        OccupantChanges(
          room: room,
          changed: [
            Occupant(nick: "alice"), Occupant(nick: "Joe"), Occupant(nick: "Joe Smith"),
            Occupant(nick: "bob"),
          ])))
    shell.open(room)
    await shell.lifetime.settle()
    return shell
  }

  private func run(_ line: String, _ shell: ShellViewModel) async {
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
  }

  @Test(arguments: [
    ("/msg joe hello there", "Joe", "hello there"), ("/msg Joe Smith hi", "Joe Smith", "hi"),
    ("/msg bob hi", "bob", "hi"),
  ])
  func `in a room a nick means its occupant, before a contact of that name`(
    line: String, nick: String, text: String
  ) async {
    let shell = await shell()
    await run(line, shell)
    #expect(await ports.calls.last { $0.hasPrefix("send ") } == "send \(room)/\(nick) \(text)")
    #expect(shell.activeConversation == room.with(resource: nick))
  }

  @Test(arguments: ["/msg joe", "/query joe", "/chat Joe", "/msg xmpp:den@rooms.example.org/Joe"])
  func `without a text the private conversation is opened`(line: String) async {
    let shell = await shell()
    await run(line, shell)
    #expect(shell.activeConversation == room.with(resource: "Joe"))
    #expect(await !ports.calls.contains { $0.hasPrefix("send ") })
  }

  @Test(arguments: ["/chat xmpp:bob@example.net?message", "/chat XMPP:bob@example.net"])
  func `a link works as its address`(line: String) async {
    let shell = await shell()
    await run(line, shell)
    #expect(shell.activeConversation == bob)
  }

  @Test(arguments: [
    "/chat tea@rooms.example.org", "/msg tea@rooms.example.org hello",
    "/chat xmpp:tea@rooms.example.org?join",
  ])
  func `a room that is not entered is offered to be, and nothing is sent`(line: String) async {
    let shell = await shell()
    await run(line, shell)
    #expect(asked.requests.map(\.titleKey) == ["confirm.joinTitle"])
    // Its server was asked first: the user may be typing by now.
    #expect(asked.requests.map(\.comesLate) == [true])
    #expect(shell.activeConversation == room)
    #expect(await !ports.calls.contains { $0.hasPrefix("send ") || $0.hasPrefix("open tea") })
    asked.requests.first?.onAccept()
    await shell.lifetime.settle()
    #expect(await rooms.joined == ["tea@rooms.example.org"])
  }

  @Test func `a stranger who is no room is opened, and the message follows`() async {
    let shell = await shell()
    await run("/msg carol@example.com hello", shell)
    #expect(shell.activeConversation == JID(local: "carol", domain: "example.com"))
    #expect(await ports.calls.contains("send carol@example.com hello"))
    #expect(asked.requests.isEmpty)
  }

  @Test func `a resource behind a new contact's address is left out, and that is said`() async {
    let shell = await shell()
    await run("/add carol@example.com/phone", shell)
    #expect(shell.status.message.text.contains("/phone"))
  }

  @Test(arguments: [Delivery.failed(reason: "no"), .sent])
  func `a hidden address may be a room as long as all messages to it were refused`(
    delivery: Delivery
  ) async {
    await ports.hide([Conversation(jid: other)])
    await ports.add([
      Message(
        id: .init(1), conversation: other, sender: JID(local: "alice", domain: "example.org"),
        direction: .outgoing, body: "x", sentAt: .afternoon, originID: "o1", delivery: delivery)
    ])
    let shell = await shell()
    await run("/chat \(other)", shell)
    let isRoom = delivery != .sent
    #expect(
      asked.requests.compactMap { $0.arguments["address"] } == (isRoom ? [other.description] : []))
    #expect(shell.activeConversation == (isRoom ? room : other))
  }

  @Test func `a message of a hidden conversation with a stranger is shown in it`() async {
    await ports.hide([Conversation(jid: other)])
    await ports.add([
      Message(
        id: .init(1), conversation: other, sender: other, direction: .incoming, body: "found",
        sentAt: .afternoon, originID: "o1")
    ])
    let shell = await shell()
    shell.reveal(.init(1), in: other, having: ["found"])
    await shell.lifetime.settle()
    #expect(shell.activeConversation == other)
    #expect(shell.timeline.items.first(where: \.isMarked)?.body == "found")
  }

  @Test func `a link to an unknown address asks before the server of that is asked`() async throws {
    let shell = await shell()
    let mediator = Mediator()
    shell.publishActions(to: mediator)
    try mediator.open("xmpp:\(other)?message;body=hi", isForeign: true)
    await shell.lifetime.settle()
    #expect(asked.requests.map(\.titleKey) == ["confirm.openTitle"])
    #expect(shell.activeConversation == room)
    asked.requests[0].onAccept()
    await shell.lifetime.settle()
    // The answer: it is a room.
    #expect(asked.requests.map(\.titleKey) == ["confirm.openTitle", "confirm.joinTitle"])
    // Of a contact nothing is asked, nor of what the user typed.
    try mediator.open("xmpp:\(bob)?message;body=hi", isForeign: true)
    await shell.lifetime.settle()
    #expect(asked.requests.count == 2 && shell.activeConversation == bob)
    #expect(shell.input.text == "hi")
    try mediator.open("xmpp:carol@example.com")
    await shell.lifetime.settle()
    #expect(asked.requests.count == 2)
    #expect(shell.activeConversation == JID(local: "carol", domain: "example.com"))
  }

  @Test func `Enter goes where a destroyed room went`() async {
    let shell = await shell()
    let exit = RoomExit(.destroyed, alternative: other)
    let ended = Room(jid: room, nick: "alice", phase: .outside, exit: exit)
    shell.handle(.roomsChanged([ended]))
    #expect(
      TimelineIncident.absence(in: ended, format: shell.format, isHere: true)?
        .contains("Enter") == true)
    shell.submit()
    #expect(asked.requests.first?.arguments["address"] == other.description)
    asked.requests.first?.onAccept()
    await shell.lifetime.settle()
    #expect(await rooms.joined == ["tea@rooms.example.org"])
  }

  @Test(arguments: [
    "/chat space cadet@example.com", "/chat space\\20cadet@example.com", "/chat space cadet",
    "/msg space cadet@example.com hi there",
  ])
  func `an address is found as it is shown`(line: String) async throws {
    let cadet = try #require(JID(parsing: "space\\20cadet@example.com"))
    let shell = await shell()
    shell.handle(.contactsChanged([Contact(jid: cadet, name: nil)]))
    await run(line, shell)
    #expect(shell.activeConversation == cadet)
    #expect(shell.people.name(of: cadet) == "space cadet@example.com")
    if line.hasPrefix("/msg") {
      #expect(await ports.calls.contains("send \(cadet) hi there"))
    }
  }

  @Test func `groups that differ in case only have one heading, and blank ones none of their own`()
  {
    var people = People()
    func contact(_ name: String, _ groups: [String]) -> Contact {
      Contact(jid: JID(local: name, domain: "example.org"), name: nil, groups: groups)
    }
    _ = people.apply(
      .contactsChanged([
        contact("a", ["Friends"]), contact("b", ["friends", "FRIENDS "]), contact("c", ["  "]),
        contact("d", []), contact("e", ["", "Work"]), contact("f", ["The  club"]),
        contact("g", ["the club"]), contact("h", ["Straße"]), contact("i", ["STRASSE"]),
      ]))
    let arranged = ContactArrangement(people, sortsByName: true) { contact, group in
      ContactItem(id: .contact(contact.jid, group: group))
    }
    // So does the number of spaces between the parts of a name.
    #expect(arranged.groups.map(\.name) == ["FRIENDS", "STRASSE", "The  club", "Work", ""])
    #expect(arranged.groups.map(\.rows.count) == [2, 2, 2, 1, 2])
  }
}
