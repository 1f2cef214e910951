import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// A message to an occupant's address goes to that occupant only, and never to the room.
@Suite struct OccupantAddressTests {
  private let room = JID(local: "den", domain: "rooms.example.org")
  private var bob: JID { room.with(resource: "Bob Smith") ?? room }
  private let ports = FakePorts(
    conversations: [
      Conversation(jid: JID(local: "den", domain: "rooms.example.org"), kind: .room)
    ], contacts: [Contact(jid: JID(local: "bob", domain: "example.net"), name: nil)],
    now: .afternoon)

  private func shell(_ phase: Room.Phase = .inside) async -> ShellViewModel {
    var actions = ShellActions.forTests()
    actions.parseAddress = { JID(userInput: $0) }
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    await shell.lifetime.settle()
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: phase)]))
    if phase == .inside {
      shell.handle(
        .occupantsChanged(
          OccupantChanges(
            room: room,
            changed: [
              Occupant(nick: "alice"), Occupant(nick: "Bob"),
              Occupant(nick: "Bob Smith", jid: JID(local: "bob", domain: "example.net")),
            ])))
    }
    return shell
  }

  private func run(_ line: String, _ shell: ShellViewModel) async {
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
  }

  private var said: [String] {
    get async { await ports.calls.filter { $0.hasPrefix("send ") } }
  }

  @Test func `a message to an occupant by their address is for them alone`() async {
    let shell = await shell()
    await run("/msg den@rooms.example.org/Bob Smith a secret", shell)
    #expect(await said == ["send den@rooms.example.org/Bob Smith a secret"])
    #expect(shell.activeConversation == bob)
    await run("/msg xmpp:den@rooms.example.org/Bob another", shell)
    #expect(await said.last == "send den@rooms.example.org/Bob another")
  }

  @Test func `the occupant's conversation is opened, and not the room's`() async throws {
    let shell = await shell()
    await run("/chat den@rooms.example.org/Bob Smith", shell)
    #expect(shell.activeConversation == bob)
    let mediator = Mediator()
    shell.publishActions(to: mediator)
    shell.open(room)
    await shell.lifetime.settle()
    try mediator.open("xmpp:den@rooms.example.org/Bob?message;body=psst")
    await shell.lifetime.settle()
    #expect(shell.activeConversation == room.with(resource: "Bob"))
    #expect(shell.input.text == "psst")
    // From a list of everything as well.
    let found = shell.paletteFallback("den@rooms.example.org/alice2")
    #expect(found.map(\.id) == ["open den@rooms.example.org/alice2"])
  }

  @Test(arguments: ["/msg den@rooms.example.org/eve SECRET", "/chat den@rooms.example.org/eve"])
  func `no occupant has that name: that is shown, nothing is sent, and what was typed stays`(
    line: String
  ) async {
    let shell = await shell()
    let before = shell.activeConversation
    await run(line, shell)
    #expect(await said.isEmpty)
    #expect(shell.activeConversation == before)
    #expect(shell.input.text == line)
    #expect(shell.status.message.text.contains("/members"), "\(shell.status.message.text)")
  }

  @Test(arguments: [(Room.Phase.outside, "/join den@rooms"), (.entering, "have not joined")])
  func `from outside no one in it can be reached, and the room least of all`(
    phase: Room.Phase, reported: String
  ) async {
    let shell = await shell(phase)
    await run("/msg den@rooms.example.org/bob SECRET", shell)
    #expect(await said.isEmpty)
    #expect(shell.status.message.text.contains(reported), "\(shell.status.message.text)")
  }

  @Test func `an earlier peer is found again, also when they have left`() async {
    let shell = await shell()
    shell.handle(.conversationsChanged([Conversation(jid: bob, kind: .direct)]))
    shell.handle(.occupantsChanged(OccupantChanges(room: room, removed: ["Bob Smith"])))
    await run("/chat den@rooms.example.org/Bob Smith", shell)
    #expect(shell.activeConversation == bob)
    shell.open(room)
    await run("/msg den@rooms.example.org/Bob Smith SECRET", shell)
    #expect(await said.isEmpty)
  }

  @Test func `a person's device is no address of its own`() async {
    let shell = await shell()
    await run("/msg bob@example.net/phone hi", shell)
    #expect(await said == ["send bob@example.net hi"])
  }

  @Test(arguments: ["/msg new@rooms.example.org/bob SECRET", "/chat new@rooms.example.org/bob"])
  func `where neither a room nor a person is known, nothing is cut off and nothing is sent`(
    line: String
  ) async {
    let shell = await shell()
    await run(line, shell)
    #expect(await said.isEmpty)
    #expect(await !ports.calls.contains { $0.hasPrefix("open new@") })
    #expect(shell.status.message.text.contains("/join new@rooms"), "\(shell.status.message.text)")
  }

  @Test func `the account behind a name is added, where the room shows it`() async throws {
    let shell = await shell()
    #expect(
      try shell.contact("den@rooms.example.org/Bob Smith")
        == JID(local: "bob", domain: "example.net"))
    #expect(throws: NatterError.self) { try shell.contact("den@rooms.example.org/Bob") }
    #expect(try shell.contact("carol@example.net/x").isBare)
  }
}
