import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct ShellViewModelTests {
  let timers = ManualTimers()
  let now = ManualNow(.afternoon)
  let ports = FakePorts(
    messages: [message(1, "hi")],
    conversations: [
      Conversation(jid: .bob, unread: 1, lastActivity: .minutes(1)),
      Conversation(jid: .chloe, unread: 2, lastActivity: .afternoon),
    ],
    contacts: [Contact(jid: .bob, name: "Bob Martin"), Contact(jid: .zhang, name: "Zhang Wei")],
    requests: [JID(local: "eve", domain: "x.org")], now: .afternoon)

  func shell(_ actions: ShellActions = .forTests()) async -> ShellViewModel {
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: actions)
    await shell.load()
    await shell.lifetime.settle()
    return shell
  }

  @Test func `it opens on the conversation that was last written in, and reads it`() async {
    let shell = await shell()
    #expect(shell.activeConversation == .bob)
    #expect(await ports.calls.contains("markRead bob@example.net"))
    #expect(shell.sidebar.conversation(.bob)?.unread == 0)
    #expect(shell.title == "Natter (2) Bob Martin")
    #expect(shell.tabBar.items.map(\.badge) == ["2"])
  }

  @Test func `going to the next unread, by number, and back`() async {
    let shell = await shell()
    shell.openNextUnread()
    #expect(shell.activeConversation == .chloe)
    shell.openLast()
    #expect(shell.activeConversation == .bob)
    shell.openLast()
    #expect(shell.activeConversation == .chloe)
    shell.openConversation(number: 1)
    shell.openNeighbour(1)
    await shell.lifetime.settle()
    shell.openNextUnread()
    #expect(shell.status.message.text == "Nothing unread.")
    shell.openConversation(number: 9)
    #expect(shell.activeConversation != nil)
    #expect(shell.status.message.text == "No conversation has the number 9.")
  }

  @Test func `it is loaded once typing goes where it belongs`() async {
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    var opened: JID?
    shell.onLoaded = { opened = shell.activeConversation }
    let (events, end) = AsyncStream<DomainEvent>.makeStream()
    end.finish()
    await shell.run(events)
    #expect(opened == .bob)
  }

  @Test func `that the connection is gone takes the place of what was good to know`() async {
    let shell = await shell()
    shell.handle(.connectionChanged(.online))
    shell.show(Notice(.info, "status.noUnread"))
    #expect(shell.status.message.text == "Nothing unread.")
    shell.handle(.connectionChanged(.offline))
    #expect(shell.status.message.level == .warning)
    #expect(shell.status.message.text != "Nothing unread.")
  }

  @Test func `that the connection is gone takes the place of an error, too`() async {
    let shell = await shell()
    shell.type("/jion")
    shell.submit()
    #expect(shell.status.message.level == .error)
    shell.handle(
      .connectionChanged(
        .waiting(
          until: now.date.addingTimeInterval(30), attempt: 1,
          reason: ConnectionProblem(.timedOut))))
    #expect(shell.status.message.level == .warning)
    #expect(!shell.status.message.text.contains("jion"))
  }

  @Test func `what is wrong with a line is told until the line changes`() async {
    let shell = await shell()
    shell.handle(.connectionChanged(.online))
    shell.type("/jion")
    shell.submit()
    #expect(shell.status.message.text.contains("/join"))
    shell.type("/joi")
    #expect(shell.status.message.text.isEmpty)
    shell.type("/jion")
    shell.submit()
    shell.interrupt()
    #expect(shell.status.message.text.isEmpty && shell.input.text.isEmpty)
    // What has to do with something else stays while one types.
    shell.show(Notice(.error, "error.storage"))
    shell.type("hello")
    #expect(!shell.status.message.text.isEmpty)
  }

  @Test func `what is tried again by itself is said to be`() async {
    let shell = await shell()
    shell.status.handle(.connectionChanged(.refused(ConnectionProblem(.notXMPP, host: "h"))))
    #expect(shell.status.message.text.contains("Natter tries again by itself"))
    shell.status.handle(.connectionChanged(.refused(ConnectionProblem(.conflict, host: "h"))))
    #expect(shell.status.message.text.hasSuffix("/connect tries again."))
  }

  @Test func `Enter runs the command that was meant`() async {
    var isQuit = false
    var actions = ShellActions.forTests()
    actions.quit = { isQuit = true }
    let shell = await shell(actions)
    shell.type("/quti")
    shell.submit()
    #expect(!isQuit)
    // It was changed meanwhile: that is asked about first.
    shell.type("/qiut")
    shell.submit()
    #expect(!isQuit)
    shell.submit()
    #expect(isQuit && shell.input.text.isEmpty)
  }

  @Test func `nothing that is missed afterwards is done because something else was mistyped`()
    async
  {
    var isAsked = false
    var actions = ShellActions.forTests()
    actions.confirm = { _ in isAsked = true }
    actions.quit = { isAsked = true }
    let shell = await shell(actions)
    for (typed, told) in [
      ("/register", "There is /unregister"), ("/next", "F1 lists them"), ("/logut", "/logout"),
    ] {
      shell.input.clear()
      shell.type(typed)
      shell.submit()
      #expect(shell.status.message.text.contains(told), "\(shell.status.message.text)")
      shell.submit()
      #expect(!isAsked && shell.input.text == typed)
    }
  }

  @Test func `what is read the moment it comes is not counted`() async {
    let shell = await shell()
    var titles: [String] = []
    shell.onTitle = { titles.append(shell.title) }
    let news = Conversation(jid: .bob, unread: 1, mentions: 1, lastActivity: .minutes(2))
    shell.handle(.conversationsChanged([news]))
    #expect(titles.isEmpty && shell.tabBar.items.map(\.badge) == ["2"])
    #expect(shell.accountState.unread == 2 && !shell.accountState.isMentioned)
    #expect(shell.sidebar.items.first { $0.jid == .bob }?.badge == "")
    shell.timeline.isAttended = false
    let more = Conversation(jid: .bob, unread: 2, mentions: 1, lastActivity: .minutes(3))
    shell.handle(.conversationsChanged([more]))
    #expect(titles == ["Natter (4) Bob Martin"])
    #expect(shell.sidebar.items.first { $0.jid == .bob }?.badge == "@2")
  }

  @Test func `the first conversation opens by itself, a later one does not`() async {
    let ports = FakePorts(messages: [], conversations: [], contacts: [], now: .afternoon)
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    await shell.load()
    #expect(shell.activeConversation == nil)
    // What the person is being told stays: nobody asked for the conversation.
    shell.show(Notice(.info, "status.plainView"))
    let told = shell.status.message.text
    #expect(!told.isEmpty)
    shell.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    #expect(shell.activeConversation == .bob)
    #expect(shell.status.message.text == told)
    shell.handle(.conversationsChanged([Conversation(jid: .chloe, unread: 1)]))
    #expect(shell.activeConversation == .bob)
    shell.handle(.conversationsRemoved([.bob, .chloe]))
    shell.handle(.conversationsChanged([Conversation(jid: .chloe, unread: 1)]))
    #expect(shell.activeConversation == nil)
  }

  @Test func `a command that is refused after it was taken comes back to be put right`() async {
    let shell = await shell()
    await ports.fail("presence", with: NatterError(.refused, "error.storage"))
    shell.type("/status away at lunch")
    shell.submit()
    #expect(shell.input.text.isEmpty)
    await shell.lifetime.settle()
    #expect(shell.input.text == "/status away at lunch")
    #expect(shell.status.message.level == .error)
    // What is wrong with it is told until it changes.
    shell.type("/status away")
    #expect(shell.status.message.level != .error)
    await ports.fail("presence", with: nil)
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.input.text.isEmpty)
  }

  @Test func `presence that nobody sees yet is told as that`() async {
    let shell = await shell()
    shell.handle(.connectionChanged(.offline))
    shell.type("/status dnd")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.status.message.text == "You are busy as soon as there is a connection.")
    shell.handle(.connectionChanged(.online))
    shell.type("/status away")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.status.message.text == "You are away.")
  }

  @Test func `that one is away stands in the top row, also from the start, until one is back`()
    async
  {
    let shell = await shell()
    #expect(shell.tabBar.connection == "online")
    shell.type("/away")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.tabBar.connection == "away" && shell.tabBar.availability == .away)
    #expect(shell.tabBar.sign == "o")
    let next = await self.shell()
    #expect(next.tabBar.connection == "away")
    next.type("/back")
    next.submit()
    await next.lifetime.settle()
    #expect(next.tabBar.connection == "online" && next.tabBar.sign == "*")
    // Another of the account's own programs may set it.
    await ports.setPresenceAside(.busy)
    shell.handle(.presenceChanged([ContactPresence(jid: .alice, availability: .busy)]))
    await shell.lifetime.settle()
    #expect(shell.tabBar.connection == "busy")
  }

  @Test func `who is thrown out of a room that is not open is told so, and the list shows it`()
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
        == "The den: You were thrown out by bob (too loud). /join den@rooms.example.org goes back in."
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
    // Where it is open it is said among the messages.
    shell.open(jid)
    await shell.lifetime.settle()
    shell.handle(.roomsChanged([room(.inside)]))
    shell.handle(.roomsChanged([room(.outside, RoomExit(.banned))]))
    #expect(shell.status.message.text == "")
  }

  @Test func `a room that waits for the connection is not said to be entered`() async {
    let shell = await shell()
    let jid = JID(local: "den", domain: "rooms.example.org")
    shell.handle(.conversationsChanged([Conversation(jid: jid, kind: .room)]))
    shell.handle(.roomsChanged([Room(jid: jid, nick: "alice", phase: .entering)]))
    shell.open(jid)
    await shell.lifetime.settle()
    shell.handle(.connectionChanged(.offline))
    #expect(shell.header.presence == "waits for the connection")
    shell.handle(.connectionChanged(.online))
    #expect(shell.header.presence == "entering ...")
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
    let wish = CommandCall(rest: text).roomWish
    #expect(wish == .init(room: room, nick: nick, password: password))
  }

  @Test func `a refused command does not take the place of what was typed since`() async {
    let shell = await shell()
    await ports.fail("presence", with: NatterError(.refused, "error.storage"))
    shell.type("/status away")
    shell.submit()
    shell.type("hello")
    await shell.lifetime.settle()
    #expect(shell.input.text == "hello" && shell.status.message.level == .error)
    shell.type("")
    shell.input.older()
    #expect(shell.input.text == "/status away")
    // Whoever went elsewhere finds it where it was typed.
    shell.submit()
    shell.open(.chloe)
    await shell.lifetime.settle()
    #expect(shell.input.text.isEmpty)
    shell.open(.bob)
    #expect(shell.input.text == "/status away")
  }

  @Test func `a key that is refused puts nothing into the input`() async {
    let shell = await shell()
    await ports.fail("presence", with: NatterError(.refused, "error.storage"))
    shell.type("/status away")
    shell.submit()
    await shell.lifetime.settle()
    shell.type("")
    shell.setPresence(.away, status: nil)
    await shell.lifetime.settle()
    #expect(shell.status.message.level == .error && shell.input.text.isEmpty)
  }

  @Test func `one's own address is no contact to be added`() async {
    let ports = FakePorts(messages: [], conversations: [], contacts: [], now: .afternoon)
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    await shell.load()
    shell.type("/add alice@example.org")
    shell.submit()
    await shell.finish()
    #expect(shell.status.message.text == "alice@example.org is your own address.")
    #expect(await !ports.calls.contains { $0.hasPrefix("add") })
  }

  @Test func `a conversation that appears does not take away what is being typed`() async {
    let ports = FakePorts(messages: [], conversations: [], contacts: [], now: .afternoon)
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    await shell.load()
    shell.type("/chat zha")
    shell.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    #expect(shell.activeConversation == nil)
    #expect(shell.input.text == "/chat zha")
    // It opens when the input is empty, by whatever way.
    shell.type("")
    await shell.finish()
    #expect(shell.activeConversation == .bob)
    #expect(shell.input.text.isEmpty)
  }

  @Test func `what was typed before the first conversation appeared is not sent into it`() async {
    let ports = FakePorts(messages: [], conversations: [], contacts: [], now: .afternoon)
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    await shell.load()
    shell.type("for mum")
    shell.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    shell.submit()
    await shell.finish()
    #expect(shell.activeConversation == nil)
    #expect(shell.input.text == "for mum")
    #expect(await !ports.calls.contains { $0.hasPrefix("send") })
    shell.interrupt()
    await shell.finish()
    #expect(shell.activeConversation == .bob)
  }

  @Test func `a command that opens another conversation leaves the first one closed`() async {
    let ports = FakePorts(messages: [], conversations: [], contacts: [], now: .afternoon)
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    await shell.load()
    shell.type("/chat chloe@example.org")
    shell.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    shell.submit()
    await shell.finish()
    let opened = JID(local: "chloe", domain: "example.org")
    #expect(shell.activeConversation == opened)
    shell.type("")
    await shell.finish()
    #expect(shell.activeConversation == opened)
  }

  @Test func `a command that opens nothing lets the first conversation open after it`() async {
    let ports = FakePorts(messages: [], conversations: [], contacts: [], now: .afternoon)
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    await shell.load()
    shell.type("/status")
    shell.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    shell.submit()
    await shell.finish()
    #expect(shell.activeConversation == .bob)
  }

  @Test func `chat with somebody new makes the conversation`() async {
    let shell = await shell()
    shell.type("/chat zhang")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.activeConversation == .zhang)
    #expect(await ports.calls.contains("open zhang@example.net"))
    #expect(shell.input.text == "")
  }

  @Test func `close hides the conversation and goes on to the next`() async {
    let shell = await shell()
    shell.type("/close")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.activeConversation == .chloe)
    #expect(await ports.calls.contains("hide bob@example.net"))
    #expect(
      shell.status.message.text
        == "Bob Martin is hidden. /undo or /chat bob@example.net brings the conversation back.")
  }

  @Test func `enter answers a request with yes, del with no`() async {
    let shell = await shell()
    shell.sidebar.select(.request(JID(local: "eve", domain: "x.org")))
    shell.openSelection()
    await shell.lifetime.settle()
    #expect(await ports.calls.contains("approve eve@x.org"))
    #expect(shell.sidebar.items.first?.name == "DIRECT")
    shell.handle(.subscriptionRequested(JID(local: "mallory", domain: "x.org")))
    shell.sidebar.select(.request(JID(local: "mallory", domain: "x.org")))
    shell.removeSelection()
    await shell.lifetime.settle()
    #expect(await ports.calls.contains("deny mallory@x.org"))
    #expect(shell.status.message.text == "mallory@x.org cannot see when you are online.")
  }

  @Test func `a request that could not be answered stays, with the reason`() async {
    await ports.fail("approve", with: NatterError(.offline, "status.isOffline"))
    let shell = await shell()
    shell.sidebar.select(.request(JID(local: "eve", domain: "x.org")))
    shell.openSelection()
    await shell.lifetime.settle()
    #expect(shell.sidebar.items.first?.name == "REQUESTS")
    #expect(shell.status.message.text == "Offline. /connect connects.")
  }

  @Test func `removing a contact asks first`() async {
    var asked: [ConfirmRequest] = []
    var actions = ShellActions.forTests()
    actions.confirm = { asked.append($0) }
    let shell = await shell(actions)
    shell.type("/remove bob")
    shell.submit()
    await shell.lifetime.settle()
    #expect(asked.map(\.textKey) == ["confirm.remove"])
    #expect(await !ports.calls.contains("remove bob@example.net"))
    asked.first?.onAccept()
    await shell.lifetime.settle()
    #expect(await ports.calls.contains("remove bob@example.net"))
  }

  @Test func `commands reach the program`() async {
    var done: [String] = []
    var actions = ShellActions.forTests()
    actions.quit = { done.append("quit") }
    actions.toggleTheme = { done.append("toggle") }
    actions.setTheme = {
      done.append("theme \($0)")
      return true
    }
    actions.showHelp = { done.append("help \($0 ?? "-")") }
    actions.signIn = { done.append("login") }
    actions.redraw = { done.append("redraw") }
    actions.synchronize = { done.append("sync \($0)") }
    actions.reload = { done.append("reload") }
    let shell = await shell(actions)
    for line in [
      "/quit", "/theme", "/theme day", "/help", "/help chat", "/login", "/redraw", "/rel",
      "/connect", "/sync", "/sync Stop",
      "/disconnect", "/status away at lunch", "/add zhang", "/dis",
    ] {
      shell.type(line)
      shell.submit()
    }
    await shell.lifetime.settle()
    #expect(
      done == [
        "quit", "toggle", "theme day", "help -", "help chat", "login", "redraw", "reload",
        "sync true", "sync false",
      ])
    let calls = await ports.calls
    for call in ["connect", "offline", "presence away at lunch", "add zhang@example.net"] {
      #expect(calls.contains(call))
    }
  }

  @Test func `retry sends the failed ones again`() async {
    await ports.add([
      message(2, "lost", from: .alice, at: 1, delivery: .failed(reason: "gone")),
      message(3, "fine", from: .alice, at: 2, delivery: .sent),
    ])
    let shell = await shell()
    shell.retryFailed()
    await shell.lifetime.settle()
    #expect(await ports.calls.filter { $0.hasPrefix("retry") } == ["retry lost"])
    shell.open(.chloe)
    await shell.lifetime.settle()
    shell.retryFailed()
    #expect(shell.status.message.text == "No message failed here.")
  }

  @Test func `cancel drops the failed ones and nothing else`() async {
    await ports.add([
      message(2, "lost", from: .alice, at: 1, delivery: .failed(reason: "gone")),
      message(3, "waiting", from: .alice, at: 2, delivery: .queued),
    ])
    let shell = await shell()
    shell.cancelFailed()
    await shell.lifetime.settle()
    #expect(await ports.calls.filter { $0.hasPrefix("cancel") } == ["cancel lost"])
  }

  @Test func `ctrl-c on an empty input tells how to quit, and twice quits`() async {
    var quits = 0
    var actions = ShellActions.forTests()
    actions.quit = { quits += 1 }
    let shell = await shell(actions)
    shell.interrupt()
    #expect(shell.status.message.text == "^Q quits. ^C once more quits too.")
    now.date += 3
    timers.fire()
    // It is not true any more.
    #expect(shell.status.message.text.isEmpty)
    shell.interrupt()
    #expect(quits == 0)
    now.date += 1
    // What is sent between the two says that the first one was not meant so.
    shell.type("back again")
    shell.submit()
    now.date += 0.5
    shell.interrupt()
    #expect(quits == 0)
    now.date += 1
    shell.interrupt()
    #expect(quits == 1)
  }

  @Test func `the bell rings for what nobody is looking at, at most once a second`() async {
    let shell = await shell()
    var bells = 0
    shell.onBell = { bells += 1 }
    shell.handle(.messagesStored([message(5, "seen")]))
    #expect(bells == 0)
    shell.handle(.messagesStored([message(6, "psst", from: .chloe, in: .chloe)]))
    shell.handle(.messagesStored([message(7, "psst", from: .chloe, in: .chloe)]))
    #expect(bells == 1)
    now.date += 2
    shell.timeline.isAttended = false
    shell.handle(.messagesStored([message(8, "unseen")]))
    #expect(bells == 2)
    now.date += 2
    shell.handle(.messagesStored([message(9, "mine", from: .alice)]))
    #expect(bells == 2)
  }

  @Test func `the bell's setting silences the bell alone; what is told goes by the rules`() async {
    var rule = NotificationRule.standard
    var actions = ShellActions.forTests()
    actions.notificationRule = { _ in rule }
    let shell = await shell(actions)
    var bells = 0
    var told: [String] = []
    shell.onBell = { bells += 1 }
    shell.onNotify = { told.append($0.text) }
    shell.bell = .never
    shell.handle(.messagesStored([message(6, "told", from: .chloe, in: .chloe)]))
    rule = .all
    shell.handle(.messagesStored([message(7, "told too", from: .chloe, in: .chloe)]))
    rule = .none
    shell.handle(.messagesStored([message(8, "not told", from: .chloe, in: .chloe)]))
    #expect(bells == 0 && told == ["told", "told too"])
    (rule, shell.bell) = (.standard, .mention)
    shell.handle(.messagesStored([message(9, "both", from: .chloe, in: .chloe)]))
    #expect(bells == 1 && told.last == "both")
    now.date += 2
    rule = .none
    shell.handle(.messagesStored([message(10, "neither", from: .chloe, in: .chloe)]))
    #expect(bells == 1 && told.count == 3)
  }

  @Test func `midnight brings a day line to the open conversation`() async {
    let shell = await shell()
    shell.minutePassed()
    #expect(shell.timeline.items.filter { $0.kind == .day }.count == 1)
    now.date = .minutes(600)
    shell.minutePassed()
    #expect(shell.timeline.items.last?.body == "Saturday 21 November")
    #expect(shell.tabBar.clock == "00:00")
  }

  @Test func `a wait is counted down, and nothing wakes up otherwise`() async {
    let shell = await shell()
    #expect(timers.count == 0)
    let problem = ConnectionProblem(.refused, host: "example.org", port: 5222)
    shell.handle(
      .connectionChanged(
        .waiting(until: .afternoon.addingTimeInterval(83), attempt: 2, reason: problem)))
    #expect(
      shell.status.message.text
        == "Not connected (connection refused). Trying again in 1:23; /connect tries now.")
    #expect(timers.count == 1)
    now.date += 74
    shell.status.invalidation.lower()
    timers.fire()
    #expect(shell.status.invalidation.isRaised)
    #expect(shell.status.message.text.contains("in 0:09;"))
    shell.handle(.connectionChanged(.online))
    #expect(timers.count == 0)
    #expect(shell.status.message.text == "")
  }

  @Test func `every problem has words`() {
    let format = testFormat()
    for kind in ConnectionProblem.Kind.allCases {
      let words = format.reason(ConnectionProblem(kind, host: "h", port: 1))
      #expect(!words.hasPrefix("status."), "\(kind)")
    }
  }

  @Test func `events that come while it loads are not lost`() async {
    let hub = EventHub()
    let events = hub.events()
    hub.publish(.messagesStored([message(2, "meanwhile", at: 1)]))
    let shell = ShellViewModel(ports, timers: timers, now: now)
    let run = Task { await shell.run(events) }
    var tries = 0
    while shell.timeline.items.last?.body != "meanwhile", tries < 10_000 {
      tries += 1
      await Task.yield()
    }
    run.cancel()
    await run.value
    await shell.lifetime.settle()
    #expect(
      shell.timeline.items.filter { $0.kind == .message }.map(\.body) == ["hi", "meanwhile"])
  }
}

@Suite struct CommandTableTests {
  @Test func `every command has a help line and says how it is written`() {
    let english = english()
    for command in CommandTable.all {
      #expect(english(command.summaryKey) != command.summaryKey, "\(command.name)")
      #expect(english(command.usageKey).hasPrefix("/\(command.name)"), "\(command.name)")
    }
  }

  @Test func `no two commands share a name`() {
    let names = CommandTable.all.flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("help", "hepl", 1), ("jion", "join", 1), ("abc", "xyz", 3),
    ("kitten", "sitting", 3),
  ])
  func `edits are counted`(_ a: String, _ b: String, _ edits: Int) {
    #expect(editDistance(a, b) == edits)
  }
}

@Suite struct NameColourTests {
  @Test func `one address has one colour, and all colours are used`() {
    let colours = (0..<200).map { NameColour.of(JID(local: "user\($0)", domain: "example.org")) }
    #expect(Set(colours) == Set(0..<8))
    #expect(
      NameColour.of(.bob) == NameColour.of(JID(local: "bob", domain: "example.net", resource: "x")))
  }
}

@Suite struct ItemFormatTests {
  @Test(arguments: [(0, "12:00a"), (9, "9:00a"), (12, "12:00p"), (23, "11:00p")])
  func `clocks of twelve hours have no zero hour`(_ hour: Double, _ text: String) {
    let format = ItemFormat(
      localizer: english(), account: .alice, usesTwelveHours: true, local: { LocalTime.utc($0) })
    #expect(format.time(.minutes((hour - 14) * 60)) == text)
  }

  @Test func `a day of another year has its year`() {
    let format = testFormat()
    #expect(format.day(.minutes(-400 * 24 * 60), now: .afternoon) == "Thursday 16 October 2025")
  }
}
