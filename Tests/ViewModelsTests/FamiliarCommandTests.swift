import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Commands of other clients do here what their users expect.
@Suite struct FamiliarCommandTests {
  @Test(arguments: [
    ("query", "chat"), ("find", "search"), ("lastlog", "search"), ("correct", "edit"),
    ("mute", "mute"), ("dnd", "dnd"), ("version", "version"), ("ping", "ping"),
    ("window", "window"), ("buffer", "window"), ("quote", "reply"), ("say", "say"),
    ("online", "back"), ("roster", "contacts"), ("sub", "add"),
  ])
  func `weechat's and profanity's terms are commands`(word: String, command: String) throws {
    #expect(try CommandTable().command(named: word).name == command)
  }

  @Test(arguments: [
    ("/usr/bin/env bash", false), ("/etc/hosts", false), ("/a/", false), ("／usr／bin", false),
    ("/upload /usr/bin/env", true), ("/me and/or", true), ("/help", true), ("//usr/bin", false),
    ("/", true),
  ])
  func `a first word with a second slash is a path, and no command`(text: String, isCommand: Bool) {
    #expect(text.isCommandLine == isCommand)
  }

  private final class Done { var done: [String] = [] }

  @Test func `they do it`() async {
    let done = Done()
    let ports = FakePorts(conversations: [Conversation(jid: .bob)], now: .afternoon)
    var actions = ShellActions.forTests()
    var rule = NotificationRule.standard
    var store = NotificationStore()
    store.rule = { _ in rule }
    store.setRule = { rule = $1 }
    actions.notifications = ConversationNotifications(store)
    actions.openAddress = { address, _ in done.done.append(address) }
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    await shell.lifetime.settle()
    func run(_ line: String) async {
      shell.type(line)
      shell.submit()
      await shell.lifetime.settle()
    }
    await run("/window 1")
    #expect(shell.activeConversation == .bob)
    await run("/mute")
    #expect(rule == .none)
    await run("/mute")
    #expect(rule == .standard)
    await run("/version")
    #expect(done.done == ["natter://me/show?page=about"])
    await run("/ping zoe@example.org")
    #expect(shell.status.message.text.contains("zoe@example.org"))
    await run("/dnd busy with tests")
    #expect(await ports.calls.contains { $0.contains("busy with tests") })
    await run("/online at work")
    #expect(await ports.calls.contains { $0.contains("at work") })
    await run("/say /quit now")
    #expect(await ports.calls.last { $0.hasPrefix("send ") }?.hasSuffix(" /quit now") == true)
    await run("/usr/bin/env bash")
    #expect(
      await ports.calls.last { $0.hasPrefix("send ") }?.hasSuffix("/usr/bin/env bash") == true)
    // What could not be sent comes back as a text, too.
    await ports.fail("send", with: NatterError(.storage, "error.storage"))
    await run("/say /quit")
    #expect(shell.input.text == "//quit")
  }

  @Test(arguments: ["/say hello", "/me waves"])
  func `in a room that was left nothing is sent, and the line comes back`(line: String) async {
    let den = JID(local: "den", domain: "rooms.example.org")
    let ports = FakePorts(conversations: [Conversation(jid: den, kind: .room)], now: .afternoon)
    let shell = ShellViewModel(ports)
    await shell.load()
    shell.open(den)
    await shell.lifetime.settle()
    shell.handle(.roomsChanged([Room(jid: den, nick: "alice", phase: .outside)]))
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
    #expect(await !ports.calls.contains { $0.hasPrefix("send ") })
    #expect(shell.input.text == line)
  }

  @Test(arguments: ["/mute", "/notify all"], [true, false])
  func `a rule that cannot be stored is not announced`(line: String, isInFile: Bool) async {
    var actions = ShellActions.forTests()
    var store = NotificationStore()
    let failure = NatterError(.storage, "error.notifyUnwritable", ["path": "/x"])
    if isInFile { store.setRule = { _, _ in throw failure } }
    store.publish = { _, _ in if !isInFile { throw failure } }
    actions.notifications = ConversationNotifications(store)
    let shell = ShellViewModel(
      FakePorts(conversations: [Conversation(jid: .bob)], now: .afternoon), actions: actions)
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.status.message.text.hasPrefix("/x could not be written."))
    #expect(shell.input.text == line)
  }
}
