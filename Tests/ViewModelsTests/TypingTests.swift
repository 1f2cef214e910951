import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct TypingTests {
  /// Keeps what is reported.
  private actor Reports: ChatActivityReporting {
    var seen: [String] = []
    var threads: [ThreadChoice] = []
    func report(_ activity: ChatActivity, in conversation: JID, thread: ThreadChoice) {
      seen.append("\(activity) \(conversation.local ?? "")")
      threads.append(thread)
    }
  }

  private let reports = Reports()
  let timers = ManualTimers()
  let ports = FakePorts(
    conversations: [Conversation(jid: .bob, lastActivity: .afternoon), Conversation(jid: .chloe)],
    contacts: [Contact(jid: .bob, name: "Bob Martin")], now: .afternoon)

  private func shell() async -> ShellViewModel {
    let shell = ShellViewModel(
      ports: .init(
        timeline: ports, conversations: ports, histories: ports, roster: ports,
        rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
        sender: ports, activity: reports),
      format: testFormat(), scheduler: timers.scheduler, actions: .forTests(),
      now: { .afternoon })
    await shell.load()
    await shell.lifetime.settle()
    return shell
  }

  @Test func `typing, a pause, and sending are reported`() async {
    let shell = await shell()
    shell.type("h")
    shell.type("hi")
    timers.fire()
    shell.type("hi!")
    shell.submit()
    shell.type("x")
    shell.type("")
    await shell.lifetime.settle()
    #expect(
      await reports.seen == [
        "composing bob", "paused bob", "composing bob", "sent bob", "composing bob", "active bob",
      ])
  }

  @Test func `what answers a message is typed in the thread of that`() async {
    let shell = await shell()
    let thread = Message.Thread(id: "one")
    shell.type("h")
    shell.type("")
    shell.input.beginReply(to: message(1, "question").inThread(thread))
    shell.type("y")
    // The thread of one conversation is not known in another.
    shell.open(.chloe)
    shell.type("z")
    await shell.lifetime.settle()
    #expect(
      await reports.seen == [
        "composing bob", "active bob", "composing bob", "paused bob", "composing chloe",
      ])
    #expect(
      await reports.threads == [
        .ofConversation, .ofConversation, .given(thread), .given(thread), .ofConversation,
      ])
  }

  @Test func `a command is not typing, but an action is`() async {
    let shell = await shell()
    shell.type("/")
    shell.type("/chat")
    await shell.lifetime.settle()
    #expect(await reports.seen == [])
    shell.type("/me w")
    await shell.lifetime.settle()
    #expect(await reports.seen == ["composing bob"])
  }

  @Test func `leaving and closing a conversation are reported`() async {
    let shell = await shell()
    shell.type("half")
    shell.open(.chloe)
    shell.close(.chloe)
    await shell.lifetime.settle()
    #expect(await reports.seen.prefix(2) == ["composing bob", "paused bob"])
    #expect(await reports.seen.contains("gone chloe"))
  }

  @Test func `who is typing is shown in the status line, for a minute at most`() async {
    let shell = await shell()
    shell.handle(.typingChanged(conversation: .chloe, isTyping: true))
    #expect(shell.status.message.text == "")
    shell.handle(.typingChanged(conversation: .bob, isTyping: true))
    #expect(shell.status.message.text == "Bob Martin is typing ...")
    shell.open(.chloe)
    #expect(shell.status.message.text.hasSuffix("is typing ..."))
    shell.open(.bob)
    shell.handle(.typingChanged(conversation: .bob, isTyping: false))
    #expect(shell.status.message.text == "")
    shell.handle(.typingChanged(conversation: .bob, isTyping: true))
    shell.handle(.notice(StatusNotice(.error, "status.noUnread")))
    #expect(shell.status.message.text == "No unread messages.")
    shell.status.clear()
    #expect(shell.status.message.text == "Bob Martin is typing ...")
    timers.fire()
    #expect(shell.status.message.text == "")
  }

  @Test func `refreshing that takes its time is shown with how far it is, and a quick one is not`()
    async
  {
    let shell = await shell()
    func reported(_ step: SyncProgress.Step, _ done: Int, of total: Int) -> String {
      shell.handle(.syncProgressed(SyncProgress(step, done: done, total: total)))
      return shell.status.message.text
    }
    // Over before anybody could read it.
    #expect(reported(.list, 0, of: 3) == "")
    shell.handle(.syncProgressed(nil))
    timers.fire()
    #expect(shell.status.message.text == "")
    _ = reported(.list, 0, of: 3)
    timers.fire()
    #expect(reported(.list, 1, of: 3) == "Loading the list of conversations ...")
    #expect(reported(.details, 8, of: 21) == "Refreshing conversations: 8 of 21 (/sync stop)")
    #expect(reported(.details, 16, of: 21) == "Refreshing conversations: 16 of 21 (/sync stop)")
    #expect(reported(.commands, 1, of: 2) == "Catching up: 1 of 2")
    shell.handle(.syncProgressed(nil))
    #expect(shell.status.message.text == "")
  }

  @Test func `a bell is held back while the archive is read, and rings for what stays unread`()
    async
  {
    let shell = await shell()
    var bells = 0
    shell.onBell = { bells += 1 }
    func news(_ id: Int64, unread: Int) {
      shell.handle(.messagesStored([message(id, "x", in: .chloe)]))
      shell.handle(.conversationsChanged([Conversation(jid: .chloe, unread: unread)]))
    }
    shell.handle(.catchUpChanged(isRunning: true))
    news(1, unread: 1)
    // Read on the telephone.
    shell.handle(.conversationsChanged([Conversation(jid: .chloe, unread: 0)]))
    shell.handle(.catchUpChanged(isRunning: false))
    #expect(bells == 0)
    shell.handle(.catchUpChanged(isRunning: true))
    news(2, unread: 1)
    news(3, unread: 2)
    #expect(bells == 0)
    shell.handle(.catchUpChanged(isRunning: false))
    #expect(bells == 1)
    // Several archives at a time: all of them are waited for.
    shell.handle(.catchUpChanged(isRunning: true))
    shell.handle(.catchUpChanged(isRunning: true))
    news(4, unread: 3)
    shell.handle(.catchUpChanged(isRunning: false))
    shell.handle(.conversationsChanged([Conversation(jid: .chloe, unread: 0)]))
    shell.handle(.catchUpChanged(isRunning: false))
    #expect(bells == 1)
  }

  @Test func `a shell that replaces another in the middle of that rings at the end of it`()
    async throws
  {
    let (old, shell) = (await shell(), await shell())
    var bells = 0
    for each in [old, shell] { each.onBell = { bells += 1 } }
    let (events, publish) = AsyncStream<DomainEvent>.makeStream()
    let feed = ShellFeed(old, events)
    let unread = DomainEvent.conversationsChanged([Conversation(jid: .chloe, unread: 1)])
    publish.yield(.catchUpChanged(isRunning: true))
    publish.yield(.messagesStored([message(1, "x", in: .chloe)]))
    publish.yield(unread)
    try await until { old.heldBells?.isEmpty == false }
    // Its end has been reported by then, and not yet received.
    publish.yield(unread)
    publish.yield(.catchUpChanged(isRunning: false))
    feed.replace(by: shell)
    #expect(bells == 0)
    try await until { bells == 1 }
    // From here on nothing is held.
    shell.handle(.messagesStored([message(2, "y", in: .chloe)]))
    #expect(shell.heldBells == nil && shell.catchUps == 0)
    feed.cancel()
    await feed.ended()
  }
}
