import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Commands of scripts, `/script`, and the dialogs about scripts.
@Suite struct ScriptToolTests {
  private final class Shown {
    var dialogs: [DialogViewModel] = []
    var choices: [ChoiceRequest] = []
    var requests: [String] = []
    var notices: [StatusNotice] = []
  }
  private let shown = Shown()
  private let scripts = FakeScripts([.greeter()])

  private func shell() async -> ShellViewModel {
    let shown = shown
    var actions = ShellActions.forTests()
    actions.choose = { shown.choices.append($0) }
    actions.request = { shown.requests.append("\($0) \($1["page"] ?? "") \($1["item"] ?? "")") }
    let center = ScriptCenter(scripts)
    center.actions.show = { model in
      shown.dialogs.append(model)
      return {}
    }
    center.actions.notify = { shown.notices.append($0) }
    await center.load()
    let ports = FakePorts(conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let shell = ShellViewModel(ports, actions: actions, scripts: center)
    shell.tools.scripts.attach()
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return shell
  }

  private func enter(_ line: String, _ shell: ShellViewModel) async {
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
  }

  @Test func `a command runs with what is shown, and its note is in the status line`()
    async throws
  {
    let shell = await shell()
    await scripts.setResult(.success(.note("done\u{1B}[2J")))
    await enter("/greet bob and more", shell)
    let call = try #require(await scripts.commands.first)
    #expect(call.script == "greeter" && call.command == "greet")
    #expect(call.arguments == ["bob", "and", "more"])
    #expect(call.account == .alice && call.conversation == .bob)
    #expect(shell.status.message.text == "Greeter: done [2J")
    #expect(shell.input.text == "")
    await scripts.setResult(.success(.note("one\n\ntwo")))
    await enter("/greeter:greet bob", shell)
    #expect(await scripts.commands.count == 2)
    #expect(shown.choices.map(\.labels) == [["one", "two"]])
  }

  @Test func `what was typed is in the input again when a command fails`() async {
    let shell = await shell()
    await scripts.setResult(.failure(NatterError(.refused, "scripts.error.off")))
    await enter("/greet bob", shell)
    #expect(shell.input.text == "/greet bob")
    #expect(shell.status.message.text == "No scripts run here.")
  }

  @Test func `a text for the input is never a command`() async {
    let shell = await shell()
    await scripts.setResult(.success(.insert("/quit")))
    await enter("/greet bob", shell)
    #expect(shell.input.text.contains("quit") && !shell.input.text.isCommandLine)
  }

  @Test func `the commands are in completion and help, and go with their script`() async throws {
    let shell = await shell()
    #expect(try shell.commands.command(named: "GREET").texts?.usage == "/greet NICK")
    let entries = shell.commands.helpEntries(english())
    #expect(entries.contains { $0.term == "/greet NICK" && $0.text == "says hello (Greeter)" })
    shell.type("/gre")
    shell.input.complete()
    #expect(shell.input.text.hasPrefix("/greet"))
    await scripts.set([.greeter(.off)])
    await shell.ports.scripts?.load()
    #expect(throws: NatterError.self) { try shell.commands.command(named: "greet") }
  }

  @Test func `/script opens the page, acts on a script, and completes names`() async {
    let shell = await shell()
    for line in ["/script", "/scripts rights", "/script disable greeter", "/script restart"] {
      await enter(line, shell)
    }
    #expect(shown.requests == ["me/show scripts ", "me/show scripts greeter"])
    #expect(await scripts.calls == ["disable greeter", "restart greeter"])
    #expect(shell.candidates(for: .scriptName).map(\.text) == ["greeter"])
    await scripts.setLog(["one", "two\u{7}"])
    await enter("/script log", shell)
    #expect(shown.choices.last?.labels == ["one", "two"])
    await enter("/script yes", shell)
    #expect(shell.status.message.text == "No script asks for anything.")
    #expect(shell.input.text == "/script yes")
  }

  @Test(arguments: [
    ("yes", "session messages.read rooms alice@example.org"),
    ("always", "always messages.read rooms alice@example.org"), ("once", "once"), ("no", "no"),
    ("never", "never"),
  ])
  func `a typed answer is for the oldest question`(word: String, answer: String) async {
    await scripts.ask(.greeter(id: 1))
    await scripts.ask(.greeter(id: 2))
    let shell = await shell()
    #expect(shell.status.message.text == "greeter asks - /script")
    await enter("/script \(word)", shell)
    #expect(await scripts.calls == ["answer 1 \(answer)"])
  }

  @Test func `enabling shows what the script asks for first`() async throws {
    await scripts.set([.greeter(.off)])
    let shell = await shell()
    await enter("/script enable", shell)
    let model = try #require(shown.dialogs.first)
    #expect(
      model.dialog.lines == [
        .text("It can ask for these rights. The reasons are its author's:"),
        .text("- read your messages: rooms"), .text("  \"to see who is new\""),
        .text("- send messages as you: rooms"), .text("  \"to greet\""), .blank,
        .text("None is given by enabling it: Natter asks you when it needs one."),
      ])
    #expect(await scripts.calls == [] && model.dialog.focusedButton?.id == "yes")
    model.press()
    await shell.lifetime.settle()
    #expect(await scripts.calls == ["enable greeter"])
  }

  @Test func `where nothing confines it the answer is no, and it says so first`() async throws {
    var script = ScriptSummary.greeter(.off)
    script.confinement = .open
    await scripts.set([script])
    let shell = await shell()
    await enter("/script enable", shell)
    let dialog = try #require(shown.dialogs.first).dialog
    #expect(dialog.focusedButton?.id == "no")
    #expect(dialog.lines.first == .text(english()("scripts.openWarning")))
    shown.dialogs[0].press()
    await shell.lifetime.settle()
    #expect(await scripts.calls == [])
  }

  @Test func `a question is narrowed within what the script has declared`() async throws {
    let room = JID(local: "tea", domain: "rooms.example.org")
    await scripts.ask(.greeter(scope: .all, conversation: room))
    let shell = await shell()
    #expect(shell.tools.scripts.showQuestion())
    try #require(shown.dialogs.first).press("scope")
    let choice = try #require(shown.choices.first)
    #expect(
      choice.labels == [
        "this conversation (tea@rooms.example.org)", "rooms", "direct chats", "all conversations",
      ])
    choice.onEnd(0)
    let narrowed = try #require(shown.dialogs.last)
    #expect(shown.dialogs.count == 2)
    #expect(
      narrowed.dialog.lines.contains(.row("Where", "this conversation (tea@rooms.example.org)")))
    narrowed.press("always")
    await shell.lifetime.settle()
    #expect(
      await scripts.calls == [
        "answer 1 always messages.read tea@rooms.example.org alice@example.org"
      ])
  }

  @Test func `Esc leaves a question open`() async throws {
    await scripts.ask(.greeter())
    let shell = await shell()
    shell.tools.scripts.showQuestion()
    try #require(shown.dialogs.first).cancel()
    await shell.lifetime.settle()
    #expect(await scripts.calls == [])
    #expect(shell.status.message.text == "greeter asks - /script")
  }

  @Test(.timeLimit(.minutes(1)))
  func `changes while the list is read cost one more reading, and delay nothing`()
    async throws
  {
    let center = ScriptCenter(scripts)
    center.actions.notify = { [shown] in shown.notices.append($0) }
    let run = Task { await center.run() }
    while await scripts.readings < 1 { await Task.yield() }
    await scripts.hold()
    await scripts.report(.list)
    while await scripts.readings < 2 { await Task.yield() }
    for _ in 0..<50 { await scripts.report(.list) }
    await scripts.report(.notice(StatusNotice(.warning, "scripts.error.off")))
    #expect(try await polls { shown.notices.count == 1 })
    await scripts.release()
    await scripts.end()
    await run.value
    #expect(await scripts.readings == 3)
  }

  @Test func `a toast is short, on one line, and has the title before it`() async {
    let center = ScriptCenter(scripts)
    center.actions.notify = { [shown] in shown.notices.append($0) }
    await scripts.report(
      .toast(title: "Gre\neter", text: "\u{1B}]0;x\u{7}" + String(repeating: "a", count: 200)))
    await scripts.report(.notice(StatusNotice(.warning, "scripts.error.off")))
    await scripts.end()
    await center.run()
    #expect(shown.notices.map(\.key) == ["scripts.toast", "scripts.error.off"])
    let arguments = shown.notices[0].arguments
    #expect(arguments["title"] == "Gre eter")
    #expect(arguments["text"]?.count == 80)
    #expect(arguments["text"]?.unicodeScalars.contains("\u{1B}") == false)
    #expect(center.scripts.map(\.name) == ["greeter"])
  }

  @Test func `items of the status line are those of the scripts now, made safe`() async {
    let shell = await shell()
    let center = shell.ports.scripts
    shell.status.invalidation.lower()
    scripts.setStatus([
      ScriptStatusItem(script: "greeter", id: "a", text: "3\u{1B}[2J new", role: .warning),
      ScriptStatusItem(script: "greeter", id: "b", text: " \n", role: .bad),
    ])
    await scripts.end()
    await center?.run()
    #expect(shell.status.invalidation.isRaised)
    #expect(shell.tools.scripts.statusItems.map(\.text) == ["3 [2J new"])
    #expect(shell.tools.scripts.statusItems.map(\.role) == [.warning])
    scripts.setStatus([])
    await center?.load()
    #expect(shell.tools.scripts.statusItems.isEmpty)
  }
}
