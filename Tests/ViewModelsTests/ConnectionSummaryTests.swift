import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// The user's presence and connection, in every part of the screen.
@Suite struct ConnectionSummaryTests {
  let ports = FakePorts(
    messages: [message(1, "hi")],
    conversations: [Conversation(jid: .bob, unread: 1, lastActivity: .minutes(1))],
    contacts: [Contact(jid: .bob, name: "Bob Martin")], now: .afternoon)

  func shell() async -> ShellViewModel {
    let shell = ShellViewModel(ports, actions: .forTests())
    await shell.load()
    await shell.lifetime.settle()
    return shell
  }

  @Test func `that one is away is shown in the top row, also from the start, until one is back`()
    async
  {
    let shell = await shell()
    #expect(shell.tabBar.connection == "online")
    shell.type("/away")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.tabBar.connection == "away" && shell.tabBar.availability == .away)
    #expect(shell.tabBar.glyph == "o")
    let next = await self.shell()
    #expect(next.tabBar.connection == "away")
    next.type("/back")
    next.submit()
    await next.lifetime.settle()
    #expect(next.tabBar.connection == "online" && next.tabBar.glyph == "*")
    // Another of the account's own programs may set it.
    await ports.setPresenceAside(.busy)
    shell.handle(.presenceChanged([ContactPresence(jid: .alice, availability: .busy)]))
    await shell.lifetime.settle()
    #expect(shell.tabBar.connection == "busy")
  }

  @Test func `a user kicked from a room that is not open is notified, and the list shows it`()
    async
  {
    let shell = await shell()
    let jid = JID(local: "den", domain: "rooms.example.org")
    func room(_ phase: Room.Phase, _ exit: RoomExit? = nil) -> Room {
      Room(jid: jid, name: "The den", nick: "alice", phase: phase, exit: exit)
    }
    func row() -> SidebarItem? { shell.sidebar.items.first { $0.id == .conversation(jid) } }
    shell.handle(.conversationsChanged([Conversation(jid: jid, kind: .room)]))
    shell.handle(.roomsChanged([room(.inside)]))
    #expect(row()?.presence == "#" && shell.status.message.text == "")
    let kicked = RoomExit(.kicked, actor: "bob", reason: "too loud")
    shell.handle(.roomsChanged([room(.outside, kicked)]))
    #expect(
      shell.status.message.text
        == "The den: You were kicked by bob (too loud). /join den@rooms.example.org rejoins it."
    )
    #expect(shell.status.message.level == .warning)
    #expect(row()?.presence == "!" && row()?.isShutOut == true)
    // Once, and not where it brings itself back.
    shell.status.clear()
    shell.handle(.roomsChanged([room(.outside, kicked)]))
    #expect(shell.status.message.text == "")
    shell.handle(.roomsChanged([room(.inside)]))
    #expect(row()?.presence == "#")
    shell.handle(.roomsChanged([room(.outside, RoomExit(.shutdown))]))
    #expect(shell.status.message.text == "" && row()?.presence == "!")
    // Where it is open and looked at it is said among the messages.
    shell.open(jid)
    await shell.lifetime.settle()
    shell.timeline.isOnScreen = true
    shell.handle(.roomsChanged([room(.inside)]))
    shell.handle(.roomsChanged([room(.outside, RoomExit(.banned))]))
    #expect(shell.status.message.text == "")
    // Another sub-app is in front of it.
    shell.timeline.isOnScreen = false
    shell.handle(.roomsChanged([room(.inside)]))
    shell.handle(.roomsChanged([room(.outside, RoomExit(.banned))]))
    #expect(shell.status.message.text.hasPrefix("The den: "))
  }

  @Test func `a room that waits for the connection is not said to be entered`() async {
    let shell = await shell()
    let jid = JID(local: "den", domain: "rooms.example.org")
    shell.handle(.conversationsChanged([Conversation(jid: jid, kind: .room)]))
    shell.handle(.roomsChanged([Room(jid: jid, nick: "alice", phase: .entering)]))
    shell.open(jid)
    await shell.lifetime.settle()
    shell.handle(.connectionChanged(.offline))
    #expect(shell.header.presence == "waiting for the connection")
    shell.handle(.connectionChanged(.online))
    #expect(shell.header.presence == "joining ...")
  }

  @Test(arguments: [
    ("den", "den", nil, nil), ("den ali", "den", "ali", nil),
    ("den ali open sesame", "den", "ali", "open sesame"),
    ("den@rooms.x.org \"Al the Great\"", "den@rooms.x.org", "Al the Great", nil),
    ("den  \"Al the Great\"  secret", "den", "Al the Great", "secret"),
    ("den \"Al\"x pass", "den", "\"Al\"x", "pass"), ("den \"Al the", "den", "\"Al", "the"),
    ("den \"\" pass", "den", nil, "pass"), ("", "", nil, nil),
  ])
  func `what is written behind /join is a room, a nick and a password`(
    text: String, room: String, nick: String?, password: String?
  ) {
    let request = CommandCall(rest: text).joinRequest
    #expect(request == .init(room: room, nick: nick, password: password))
  }
}
