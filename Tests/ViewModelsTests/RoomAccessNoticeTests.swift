import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// A room's answer to joining is shown once, where the user looks, and only as long as it is true.
@Suite struct RoomAccessNoticeTests {
  private let room = JID(local: "den", domain: "rooms.example.org")
  private let ports = FakePorts(conversations: [Conversation(jid: .bob)], now: .afternoon)
  private final class Shown {
    var forms = 0
    weak var shell: ShellViewModel?
    var onJoin: () -> Void = {}
  }
  private let shown = Shown()

  private func refusal(_ cause: RoomExit.Cause = .passwordNeeded) -> Room {
    Room(jid: room, nick: "alice", phase: .outside, exit: RoomExit(cause))
  }

  /// - Parameter whileOpening: what the room says before its conversation is open.
  private func shell(whileOpening: Room? = nil) async -> ShellViewModel {
    var actions = ShellActions.forTests()
    let shown = shown
    actions.showForm = { _ in
      shown.forms += 1
      return {}
    }
    let rooms = FakeRooms { room in
      await MainActor.run {
        shown.shell?.handle(
          .roomsChanged([Room(jid: room, nick: "alice", phase: .entering)]))
        if let whileOpening { shown.shell?.handle(.roomsChanged([whileOpening])) }
        shown.onJoin()
      }
    }
    let shell = ShellViewModel(
      ports: rooms.beside(ports),
      format: testFormat(), scheduler: ManualTimers().scheduler, actions: actions)
    shown.shell = shell
    await shell.load()
    await shell.lifetime.settle()
    return shell
  }

  private func reported(_ shell: ShellViewModel) -> String { shell.status.message.text }

  @Test(arguments: [true, false])
  func `a room that is being opened asks for its password in a dialog, and nowhere else`(
    isQuick: Bool
  ) async {
    let shell = await shell(whileOpening: isQuick ? refusal() : nil)
    shell.joinRoom(room.description, nick: nil)
    await shell.lifetime.settle()
    #expect(shell.activeConversation == room)
    // Before a frame has shown the room.
    if !isQuick { shell.handle(.roomsChanged([refusal()])) }
    #expect(shown.forms == 1)
    #expect(!reported(shell).contains("/join"), "\(reported(shell))")
    shell.handle(.roomsChanged([refusal(.passwordWrong)]))
    #expect(shown.forms == 2)
    #expect(!reported(shell).contains("/join"), "\(reported(shell))")
  }

  @Test func `a name that is taken is shown in the room that is being opened, and nowhere else`()
    async
  {
    let shell = await shell()
    shell.joinRoom(room.description, nick: nil)
    await shell.lifetime.settle()
    shell.handle(.roomsChanged([refusal(.nickTaken)]))
    #expect(!reported(shell).contains("den@rooms.example.org:"), "\(reported(shell))")
  }

  @Test func `what a shell is opening is opened in the one that replaces it, and reported once`()
    async throws
  {
    let (old, next) = (await shell(), await shell())
    shown.shell = old
    let (events, publish) = AsyncStream<DomainEvent>.makeStream()
    let feed = ShellFeed(old, events)
    try await until("it is loaded") { old.activeConversation == .bob }
    // The room is slow: the user chooses another language meanwhile.
    shown.onJoin = { [refusal = refusal()] in
      feed.replace(by: next)
      next.handle(.roomsChanged([refusal]))
    }
    old.joinRoom(room.description, nick: nil)
    await old.lifetime.settle()
    await next.lifetime.settle()
    #expect(next.activeConversation == room)
    #expect(shown.forms == 1)
    // A user who is inside by then gets no question about the earlier answer.
    next.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    shown.onJoin = {}
    next.joinRoom(room.description, nick: nil)
    await next.lifetime.settle()
    #expect(shown.forms == 1)
    publish.finish()
    feed.cancel()
    await feed.ended()
  }

  @Test
  func
    `that an invited contact does not come is reported in the room, and to a user who has left it`()
    async
  {
    let shell = await shell()
    let word = RoomIncident(room: room, .declined, ["name": "Carol", "reason": "too\nlate"])
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    shell.handle(.roomIncident(word))
    #expect(!reported(shell).contains("declined the invitation"), "\(reported(shell))")
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .outside)]))
    shell.handle(.roomIncident(word))
    #expect(
      reported(shell).hasSuffix("Carol declined the invitation (too late)."), "\(reported(shell))")
  }

  @Test func `a room that is tried again in each session reports its refusal once`() async {
    let shell = await shell()
    func tryAgain() {
      shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .entering)]))
      shell.handle(.roomsChanged([refusal(.notMember)]))
    }
    tryAgain()
    #expect(reported(shell).contains("members only"), "\(reported(shell))")
    shell.status.clear()
    tryAgain()
    #expect(reported(shell) == "")
    // After a visit it is news.
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    tryAgain()
    #expect(reported(shell).contains("members only"), "\(reported(shell))")
  }

  @Test func `what is reported of a room elsewhere goes once the user is inside`() async {
    let shell = await shell()
    shell.handle(.roomsChanged([refusal()]))
    #expect(reported(shell).contains("den@rooms.example.org: "), "\(reported(shell))")
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    #expect(!reported(shell).contains("den@rooms.example.org: "), "\(reported(shell))")
    // What was said since stays.
    shell.handle(.roomsChanged([refusal(.kicked)]))
    shell.show(StatusNotice(.info, "status.noUnread"))
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    #expect(reported(shell) == "No unread messages.")
  }
}
