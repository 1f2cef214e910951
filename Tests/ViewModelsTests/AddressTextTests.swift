import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// The effects of an address from outside in the chats.
@Suite struct AddressTextTests {
  let ports = FakePorts(
    messages: [message(1, "hi")],
    conversations: [Conversation(jid: .bob, lastActivity: .minutes(1))],
    contacts: [Contact(jid: .bob, name: "Bob Martin", subscription: .both, groups: ["Work"])],
    now: .afternoon)

  func shell(_ actions: ShellActions = .forTests()) async -> (ShellViewModel, Mediator) {
    let shell = ShellViewModel(
      ports, timers: ManualTimers(), now: ManualNow(.afternoon), actions: actions)
    await shell.load()
    await shell.lifetime.settle()
    let mediator = Mediator()
    shell.publishActions(to: mediator)
    return (shell, mediator)
  }

  @Test func `the text of an address goes into an empty input, whatever it begins with`()
    async throws
  {
    let (shell, mediator) = await shell()
    try mediator.open("xmpp:bob@example.net?message;body=%2Fquit & more")
    await shell.lifetime.settle()
    #expect(shell.input.text == "//quit & more")
    guard case .message("/quit & more", to: .bob) = shell.input.submission else {
      Issue.record("it would be a command")
      return
    }
  }

  @Test func `it goes below what is being written, and that is shown`() async throws {
    let (shell, mediator) = await shell()
    shell.input.replaceText("half a")
    try mediator.open("xmpp:bob@example.net?message;body=Hello")
    await shell.lifetime.settle()
    #expect(shell.input.text == "half a\nHello")
    #expect(
      shell.status.message.text == "The link's text was added below your draft.")
  }

  @Test func `it gets neither into a correction nor behind a command, which are in the history`()
    async throws
  {
    let (shell, mediator) = await shell()
    shell.open(.bob)
    await shell.lifetime.settle()
    shell.input.replaceText("half a")
    shell.input.beginEdit(of: message(1, "hi", from: .alice))
    shell.input.replaceText("hi there")
    try mediator.open("xmpp:bob@example.net?message;body=Hello")
    await shell.lifetime.settle()
    #expect(shell.input.text == "half a\nHello" && shell.input.aim == nil)
    shell.input.begin(line: "/topic ")
    try mediator.open("xmpp:bob@example.net?message;body=Again")
    await shell.lifetime.settle()
    #expect(shell.input.text == "half a\nHello\nAgain")
    shell.input.older()
    #expect(shell.input.text == "/topic ")
    shell.input.older()
    #expect(shell.input.text == "hi there")
  }

  @Test(arguments: [
    ("/chat xmpp:bob@example.net?message;body=Hello%20there", "Hello there"),
    ("/query xmpp:bob@example.net?message;body=Hello", "Hello"),
    ("/chat xmpp:bob@example.net?message", ""), ("/chat xmpp:bob@example.net", ""),
  ])
  func `the text of an address that is typed goes into the input too`(line: String, text: String)
    async
  {
    let mediator = Mediator()
    var actions = ShellActions.forTests()
    actions.openAddress = { try mediator.open($0, isForeign: $1) }
    let (shell, _) = await shell(actions)
    shell.publishActions(to: mediator)
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.activeConversation == .bob)
    #expect(shell.input.text == text)
  }

  @Test(arguments: [
    ("xmpp:carol@x.test?roster", "Add carol@x.test to your contacts?"),
    ("xmpp:carol@x.test?roster;name=Caro", "Add Caro (carol@x.test) to your contacts?"),
    (
      "xmpp:carol@x.test?roster;name=%20;group=G",
      "Add carol@x.test to your contacts, in the group G?"
    ),
    (
      "xmpp:carol@x.test?roster;name=Caro;group=G",
      "Add Caro (carol@x.test) to your contacts, in the group G?"
    ),
  ])
  func
    `the question before somebody is added has the name and the group that come with the address`(
      address: String, question: String
    ) async throws
  {
    var asked: [ConfirmRequest] = []
    var actions = ShellActions.forTests()
    actions.confirm = { asked.append($0) }
    let (shell, mediator) = await shell(actions)
    try mediator.open(address)
    let request = try #require(asked.first)
    #expect(shell.format.localizer(request.textKey, request.arguments).hasPrefix(question))
  }

  @Test func `a link of another user asks before it enters a room that one is not in`() async {
    var asked: [ConfirmRequest] = []
    let mediator = Mediator()
    var actions = ShellActions.forTests()
    actions.confirm = { asked.append($0) }
    actions.openAddress = { try mediator.open($0, isForeign: $1) }
    let (shell, _) = await shell(actions)
    shell.publishActions(to: mediator)
    for link in [
      "xmpp:tea@rooms.x?join", "xmpp:tea@rooms.x?invite", "natter://rooms/join?jid=tea@rooms.x",
    ] {
      asked = []
      shell.open(link: link)
      #expect(asked.map(\.textKey) == ["confirm.join"], "\(link)")
      #expect(asked.first?.arguments == ["address": "tea@rooms.x"])
    }
    asked = []
    // A typed address is the user's own request, and nothing is revealed to a room that they are
    // in.
    shell.open(address: "xmpp:tea@rooms.x?join")
    shell.handle(
      .roomsChanged([
        Room(jid: JID(local: "den", domain: "rooms.x"), nick: "alice", phase: .inside)
      ]))
    shell.open(link: "xmpp:den@rooms.x?join")
    #expect(asked.isEmpty)
  }

  @Test(arguments: [Room.Phase.inside, .entering])
  func `a link of another user does not say what one is called in a room that one is in`(
    phase: Room.Phase
  ) async {
    let (rooms, mediator) = (FakeRooms(), Mediator())
    var asked: [ConfirmRequest] = []
    var actions = ShellActions.forTests()
    actions.confirm = { asked.append($0) }
    actions.openAddress = { try mediator.open($0, isForeign: $1) }
    let shell = ShellViewModel(
      ports: rooms.beside(ports), format: testFormat(), scheduler: ManualTimers().scheduler,
      actions: actions)
    await shell.load()
    shell.publishActions(to: mediator)
    func settled(_ phase: Room.Phase) async -> [String] {
      shell.handle(
        .roomsChanged([
          Room(jid: JID(local: "tea", domain: "rooms.x"), nick: "alice", phase: phase)
        ]))
      await shell.lifetime.settle()
      return await rooms.joined
    }
    // Also where the user has joined before the answer.
    shell.open(link: "xmpp:tea@rooms.x?join;nick=hacked")
    #expect(await settled(phase) == [])
    asked.first?.onAccept()
    #expect(await settled(phase) == ["tea@rooms.x"])
    for link in [
      "xmpp:tea@rooms.x?join;nick=hacked", "natter://rooms/join?jid=tea@rooms.x&nick=hacked",
    ] {
      shell.open(link: link)
    }
    #expect(await settled(phase) == ["tea@rooms.x", "tea@rooms.x", "tea@rooms.x"])
    #expect(asked.count == 1)
    // The user's own request is different, and so is a room that they are not in.
    shell.open(address: "xmpp:tea@rooms.x?join;nick=al")
    #expect(await settled(.outside).last == "tea@rooms.x al")
    shell.open(link: "xmpp:tea@rooms.x?join;nick=guest")
    asked.last?.onAccept()
    #expect(await settled(.outside).last == "tea@rooms.x guest")
  }

  @Test func `alone, the command adds the peer of the conversation`() async {
    let (shell, _) = await shell()
    shell.open(.zhang)
    await shell.lifetime.settle()
    shell.input.replaceText("/add")
    shell.submit()
    await shell.lifetime.settle()
    #expect(await ports.calls.filter { $0.hasPrefix("add ") } == ["add zhang@example.net"])
    // Nobody is meant by it in a room.
    let room = JID(local: "den", domain: "rooms.example.org")
    shell.handle(.conversationsChanged([Conversation(jid: room, kind: .room)]))
    shell.open(room)
    await shell.lifetime.settle()
    shell.input.replaceText("/add")
    shell.submit()
    await shell.lifetime.settle()
    #expect(await ports.calls.filter { $0.hasPrefix("add ") }.count == 1)
    #expect(shell.input.text == "/add")
    #expect(
      shell.status.message.text
        == "This is not a conversation with a contact. Give an address: /add name@server")
  }

  @Test func `who is added goes into the group that the address names, beside the others`()
    async throws
  {
    var actions = ShellActions.forTests()
    actions.confirm = { $0.onAccept() }
    let (shell, mediator) = await shell(actions)
    try mediator.open("xmpp:bob@example.net?roster;name=Bob;group=Old%20friends")
    await shell.lifetime.settle()
    let calls = await ports.calls.filter { $0.hasPrefix("add") || $0.hasPrefix("regroup") }
    #expect(calls == ["add bob@example.net", "regroup bob@example.net Work+Old friends"])
  }
}
