import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Rooms that are entered as a test says.
private actor Rooms: RoomReading, RoomEntering, RoomModerating, RoomOwning, RoomInviting {
  private let onJoin: @Sendable (JID) async -> Void

  init(onJoin: @escaping @Sendable (JID) async -> Void) { self.onJoin = onJoin }

  func join(_ room: JID, nick: String?, password: String?) async throws { await onJoin(room) }
  func leave(_ room: JID) {}
  func address(ofRoom name: String) throws -> JID { throw NatterError(.refused, "error.offline") }
  func changeNick(_ nick: String, in room: JID) {}
  func setSubject(_ subject: String, of room: JID) {}
  func invite(_ guest: JID, to room: JID, reason: String?) {}
  func setRole(_ role: Occupant.Role, of nick: String, in room: JID, reason: String?) {}
  func setAffiliation(
    _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
  ) {}
  func people(with affiliation: Occupant.Affiliation, in room: JID) -> [Occupant] { [] }
  func configuration(of room: JID) -> DataForm { DataForm(fields: []) }
  func configure(_ room: JID, with answers: [String: [String]]) {}
  func destroy(_ room: JID, reason: String?) {}
  func invitations() -> [RoomInvitation] { [] }
  func accept(_ invitation: RoomInvitation) {}
  func decline(_ invitation: RoomInvitation) {}
  func rooms() -> [Room] { [] }
  func occupants(of room: JID) -> [Occupant] { [] }
}

/// What a room says at its door is told once, where the person looks, and not any longer than it is true.
@Suite struct RoomDoorNoticeTests {
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
    let rooms = Rooms { room in
      await MainActor.run {
        shown.shell?.handle(
          .roomsChanged([Room(jid: room, nick: "alice", phase: .entering)]))
        if let whileOpening { shown.shell?.handle(.roomsChanged([whileOpening])) }
        shown.onJoin()
      }
    }
    let shell = ShellViewModel(
      ports: .init(
        timeline: ports, conversations: ports, histories: ports, roster: ports,
        rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
        sender: ports,
        rooms: .init(
          reading: rooms, entering: rooms, moderating: rooms, owning: rooms, inviting: rooms)),
      format: testFormat(), scheduler: ManualTimers().scheduler, actions: actions)
    shown.shell = shell
    await shell.load()
    await shell.lifetime.settle()
    return shell
  }

  private func told(_ shell: ShellViewModel) -> String { shell.status.message.text }

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
    #expect(!told(shell).contains("/join"), "\(told(shell))")
    shell.handle(.roomsChanged([refusal(.passwordWrong)]))
    #expect(shown.forms == 2)
    #expect(!told(shell).contains("/join"), "\(told(shell))")
  }

  @Test func `a name that is taken is told in the room that is being opened, and nowhere else`()
    async
  {
    let shell = await shell()
    shell.joinRoom(room.description, nick: nil)
    await shell.lifetime.settle()
    shell.handle(.roomsChanged([refusal(.nickTaken)]))
    #expect(!told(shell).contains("den@rooms.example.org:"), "\(told(shell))")
  }

  @Test func `what a shell is opening is opened in the one that takes its place, and told once`()
    async throws
  {
    let (old, next) = (await shell(), await shell())
    shown.shell = old
    let (events, publish) = AsyncStream<DomainEvent>.makeStream()
    let feed = ShellFeed(old, events)
    try await until("it is loaded") { old.activeConversation == .bob }
    // The room is slow: the person chooses another language meanwhile.
    shown.onJoin = { [refusal = refusal()] in
      feed.replace(by: next)
      next.handle(.roomsChanged([refusal]))
    }
    old.joinRoom(room.description, nick: nil)
    await old.lifetime.settle()
    await next.lifetime.settle()
    #expect(next.activeConversation == room)
    #expect(shown.forms == 1)
    // Whoever is in by then is not asked for what it said before.
    next.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    shown.onJoin = {}
    next.joinRoom(room.description, nick: nil)
    await next.lifetime.settle()
    #expect(shown.forms == 1)
    publish.finish()
    feed.cancel()
    await feed.ended()
  }

  @Test func `that somebody does not come is told in the room, and to whoever has left it`() async {
    let shell = await shell()
    let word = RoomIncident(room: room, .declined, ["name": "Carol", "reason": "too\nlate"])
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    shell.handle(.roomIncident(word))
    #expect(!told(shell).contains("does not come"), "\(told(shell))")
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .outside)]))
    shell.handle(.roomIncident(word))
    #expect(told(shell).hasSuffix("Carol does not come (too late)."), "\(told(shell))")
  }

  @Test func `a room that is tried again in each session tells its refusal once`() async {
    let shell = await shell()
    func tryAgain() {
      shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .entering)]))
      shell.handle(.roomsChanged([refusal(.notMember)]))
    }
    tryAgain()
    #expect(told(shell).contains("members only"), "\(told(shell))")
    shell.status.clear()
    tryAgain()
    #expect(told(shell) == "")
    // After a visit it is news.
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    tryAgain()
    #expect(told(shell).contains("members only"), "\(told(shell))")
  }

  @Test func `what is told of a room elsewhere goes once the person is inside`() async {
    let shell = await shell()
    shell.handle(.roomsChanged([refusal()]))
    #expect(told(shell).contains("den@rooms.example.org: "), "\(told(shell))")
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    #expect(!told(shell).contains("den@rooms.example.org: "), "\(told(shell))")
    // What was said since stays.
    shell.handle(.roomsChanged([refusal(.kicked)]))
    shell.show(Notice(.info, "status.noUnread"))
    shell.handle(.roomsChanged([Room(jid: room, nick: "alice", phase: .inside)]))
    #expect(told(shell) == "Nothing unread.")
  }
}
