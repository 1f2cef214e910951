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
    #expect(shell.status.message.text == "No unread messages.")
    shell.openConversation(number: 9)
    #expect(shell.activeConversation != nil)
    #expect(shell.status.message.text == "No conversation has the number 9.")
  }

  @Test func `where there is no other conversation the next one is with a contact in the list`()
    async
  {
    let ports = FakePorts(
      messages: [], conversations: [Conversation(jid: .bob, lastActivity: .afternoon)],
      contacts: [Contact(jid: .bob), Contact(jid: .zhang)], now: .afternoon)
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    await shell.load()
    await shell.lifetime.settle()
    shell.openNeighbour(1)
    await shell.lifetime.settle()
    #expect(shell.activeConversation == .zhang)
    shell.openNeighbour(1)
    #expect(shell.activeConversation == .bob)
    shell.handle(.contactsRemoved([.zhang]))
    shell.handle(.conversationsRemoved([.zhang]))
    shell.openNeighbour(-1)
    await shell.lifetime.settle()
    #expect(shell.activeConversation == .bob)
    #expect(
      shell.status.message.text
        == "There is no other conversation. /chat name@server opens one.")
  }

  @Test func `it is loaded once typing goes where it belongs`() async {
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    var opened: JID?
    shell.onLoaded = { opened = shell.activeConversation }
    await shell.open()
    #expect(opened == .bob)
  }

  @Test func `that the connection is gone replaces what was good to know`() async {
    let shell = await shell()
    shell.handle(.connectionChanged(.online))
    shell.show(StatusNotice(.info, "status.noUnread"))
    #expect(shell.status.message.text == "No unread messages.")
    shell.handle(.connectionChanged(.offline))
    #expect(shell.status.message.level == .warning)
    #expect(shell.status.message.text != "No unread messages.")
  }

  @Test func `that the connection is gone replaces an error, too`() async {
    let shell = await shell()
    shell.type("/jion")
    shell.submit()
    #expect(shell.status.message.level == .error)
    shell.handle(
      .connectionChanged(
        .waiting(
          until: now.date.addingTimeInterval(30),
          reason: ConnectionProblem(.timedOut))))
    #expect(shell.status.message.level == .warning)
    #expect(!shell.status.message.text.contains("jion"))
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
    #expect(shell.sidebar.items.first { $0.jid == .bob }?.badge == "@1 2")
  }

  @Test func `the first conversation opens by itself, a later one does not`() async {
    let ports = FakePorts(messages: [], conversations: [], contacts: [], now: .afternoon)
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    await shell.load()
    #expect(shell.activeConversation == nil)
    // The present notice stays: the user did not ask for the conversation.
    shell.show(StatusNotice(.info, "status.plainView"))
    let reported = shell.status.message.text
    #expect(!reported.isEmpty)
    shell.handle(.conversationsChanged([Conversation(jid: .bob, unread: 1)]))
    #expect(shell.activeConversation == .bob)
    #expect(shell.status.message.text == reported)
    shell.handle(.conversationsChanged([Conversation(jid: .chloe, unread: 1)]))
    #expect(shell.activeConversation == .bob)
    shell.handle(.conversationsRemoved([.bob, .chloe]))
    shell.handle(.conversationsChanged([Conversation(jid: .chloe, unread: 1)]))
    #expect(shell.activeConversation == nil)
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

  @Test func `a contact is not asked for what has been granted`() async {
    let ports = FakePorts(
      messages: [], conversations: [],
      contacts: [
        Contact(jid: .bob, subscription: .both), Contact(jid: .zhang, subscription: .from),
      ], now: .afternoon)
    let shell = ShellViewModel(ports, timers: timers, now: now, actions: .forTests())
    await shell.load()
    shell.type("/add bob@example.net")
    shell.submit()
    await shell.finish()
    #expect(shell.status.message.text == "bob@example.net is a contact already.")
    #expect(await !ports.calls.contains { $0.hasPrefix("add") })
    shell.type("/add zhang@example.net")
    shell.submit()
    await shell.finish()
    #expect(
      shell.status.message.text == "Contact request sent to zhang@example.net.")
    // Another name is kept.
    shell.addContact(.bob, name: "Bobby")
    await shell.finish()
    #expect(shell.status.message.text == "bob@example.net is a contact already.")
    #expect(await ports.calls.filter { $0.hasPrefix("add") }.count == 2)
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
    await ports.fail("approve", with: NatterError(.offline, "error.offline"))
    let shell = await shell()
    shell.sidebar.select(.request(JID(local: "eve", domain: "x.org")))
    shell.openSelection()
    await shell.lifetime.settle()
    #expect(shell.sidebar.items.first?.name == "REQUESTS")
    #expect(shell.status.message.text == "This needs a connection. /connect tries now.")
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

  @Test func `ctrl-c on an empty input shows how to quit, and twice quits`() async {
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
    // So does what is typed and taken back.
    now.date += 0.5
    shell.type("x")
    shell.type("")
    shell.interrupt()
    #expect(quits == 0)
    // Nor does it quit once the clock was set back.
    now.date -= 3600
    shell.interrupt()
    #expect(quits == 0)
    now.date += 1
    shell.interrupt()
    #expect(quits == 1)
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
        .waiting(until: .afternoon.addingTimeInterval(83), reason: problem)))
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

  @Test func `every problem has a text`() {
    let format = testFormat()
    for kind in ConnectionProblem.ProblemKind.allCases {
      let words = format.reason(ConnectionProblem(kind, host: "h", port: 1))
      #expect(!words.hasPrefix("status."), "\(kind)")
    }
  }

  @Test func `events that come while it loads are not lost`() async {
    let hub = EventHub()
    let events = hub.events()
    hub.publish(.messagesStored([message(2, "meanwhile", at: 1)]))
    let shell = ShellViewModel(ports, timers: timers, now: now)
    let feed = ShellFeed(shell, events)
    var tries = 0
    while shell.timeline.items.last?.body != "meanwhile", tries < 10_000 {
      tries += 1
      await Task.yield()
    }
    feed.cancel()
    await feed.ended()
    await shell.lifetime.settle()
    #expect(
      shell.timeline.items.filter { $0.kind == .message }.map(\.body) == ["hi", "meanwhile"])
  }
}
