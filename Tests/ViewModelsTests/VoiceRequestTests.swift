import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// A visitor of a room asks to speak, and moderators answer.
@Suite struct VoiceRequestTests {
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let ports: FakePorts

  init() {
    ports = FakePorts(conversations: [Conversation(jid: room, kind: .room)], now: .afternoon)
  }

  private func request(_ nick: String) -> VoiceRequest {
    VoiceRequest(room: room, nick: nick, jid: JID(parsing: "\(nick)@example.org/x"))
  }

  private func shell(_ rooms: FakeRooms) async -> ShellViewModel {
    let shell = ShellViewModel(
      ports: rooms.beside(ports), format: testFormat(), scheduler: ManualTimers().scheduler,
      actions: .forTests())
    await shell.load()
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside, role: .visitor)]))
    await shell.lifetime.settle()
    return shell
  }

  private func asking(_ shell: ShellViewModel) -> [String] {
    shell.sidebar.items.filter { if case .voice = $0.id { true } else { false } }.map(\.name)
  }

  @Test
  func `a request is shown and listed, Enter grants it and Del does not, and answered it is gone`()
    async
  {
    let rooms = FakeRooms(waiting: [request("dave")])
    let shell = await shell(rooms)
    let unread = shell.sidebar.totalUnread
    #expect(asking(shell) == ["dave (den)"])
    shell.handle(.voiceRequested(request("carol")))
    // It may have been there when the list was made, and come as news, too.
    shell.handle(.voiceRequested(request("carol")))
    #expect(asking(shell) == ["dave (den)", "carol (den)"])
    #expect(shell.status.message.text.hasPrefix("carol (carol@example.org) asks to speak in den."))
    #expect(shell.sidebar.totalUnread == unread)
    for (nick, answer) in [("carol", shell.openSelection), ("dave", shell.removeSelection)] {
      shell.sidebar.select(.voice(request(nick).id))
      answer()
      await shell.lifetime.settle()
      shell.handle(.voiceRequestSettled(request(nick)))
    }
    #expect(await rooms.answered == ["carol true", "dave false"])
    #expect(asking(shell).isEmpty)
    #expect(shell.activeConversation == room)
  }

  @Test func `the command asks in the room that is open`() async {
    let rooms = FakeRooms()
    let shell = await shell(rooms)
    shell.input.insert("/voice")
    shell.submit()
    await shell.lifetime.settle()
    #expect(await rooms.askedForVoice == [room])
    #expect(shell.status.message.text.contains("asked to let you speak"))
  }

  @Test func `what a visitor could not send names the command`() async {
    let shell = await shell(FakeRooms())
    shell.handle(
      .messagesStored([
        Message(
          id: .init(1), conversation: room, sender: room.with(resource: "alice") ?? room,
          direction: .outgoing, body: "hello", sentAt: .afternoon, originID: "o1",
          delivery: .failed(reason: "No."))
      ]))
    let failures = shell.timeline.items.compactMap(\.failure)
    #expect(failures.count == 1 && failures[0].contains("ask to speak with /voice"), "\(failures)")
  }
}
