import ChatsFixtures
import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// The effects of typed lines.
extension ShellViewModelTests {
  @Test func `what is wrong with a line is shown until the line changes`() async {
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
    shell.show(StatusNotice(.error, "error.storage"))
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
    for (typed, reported) in [
      ("/register", "Did you mean /unregister?"), ("/next", "F1 lists them"), ("/logut", "/logout"),
    ] {
      shell.input.clear()
      shell.type(typed)
      shell.submit()
      #expect(shell.status.message.text.contains(reported), "\(shell.status.message.text)")
      shell.submit()
      #expect(!isAsked && shell.input.text == typed)
    }
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
    // The mistake is shown until the line changes.
    shell.type("/status away")
    #expect(shell.status.message.level != .error)
    await ports.fail("presence", with: nil)
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.input.text.isEmpty)
  }

  @Test func `presence that no one sees yet is reported as that`() async {
    let shell = await shell()
    shell.handle(.connectionChanged(.offline))
    shell.type("/status dnd")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.status.message.text == "You will be busy once you are connected.")
    shell.handle(.connectionChanged(.online))
    shell.type("/status away")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.status.message.text == "You are away.")
  }

  @Test func `a refused command does not replace what was typed since`() async {
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
    // After going elsewhere, the user finds it where it was typed.
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

  @Test func `chat with a new contact makes the conversation`() async {
    let shell = await shell()
    shell.type("/chat zhang")
    shell.submit()
    await shell.lifetime.settle()
    #expect(shell.activeConversation == .zhang)
    #expect(await ports.calls.contains("open zhang@example.net"))
    #expect(shell.input.text == "")
  }

  @Test func `commands reach the program`() async {
    var done: [String] = []
    var actions = ShellActions.forTests()
    actions.quit = { done.append("quit") }
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
        "quit", "theme auto", "theme day", "help -", "help chat", "login", "redraw", "reload",
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
    #expect(shell.status.message.text == "No failed messages here.")
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

  @Test func `where nothing failed, cancel takes back what waits, the newest or the chosen one`()
    async
  {
    await ports.add([
      message(2, "first", from: .alice, at: 1, delivery: .queued),
      message(3, "second", from: .alice, at: 2, delivery: .queued),
    ])
    let shell = await shell()
    shell.cancelFailed()
    await shell.lifetime.settle()
    #expect(await ports.calls.filter { $0.hasPrefix("cancel") } == ["cancel second"])
    #expect(shell.status.message.text == "Cancelled before it was sent: \"second\"")
    shell.timeline.select(.init(2))
    shell.cancelFailed()
    await shell.lifetime.settle()
    #expect(await ports.calls.filter { $0.hasPrefix("cancel") }.last == "cancel first")
  }

  @Test func `where nothing failed and nothing waits, cancel says so`() async {
    let shell = await shell()
    shell.cancelFailed()
    await shell.lifetime.settle()
    #expect(
      shell.status.message.text == "Nothing to cancel here.")
  }
}
