import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text

@testable import ViewModels

/// A pane of a script.
@Suite struct ScriptPaneViewModelTests {
  private let scripts = FakeScripts([.greeter()])

  private func model(
    _ lines: [ScriptPane.Line], keys: [ScriptPane.Key] = [], title: String = "List"
  ) -> ScriptPaneViewModel {
    let model = ScriptPaneViewModel(
      "greeter", pane: "list", titled: "Greeter", testFormat())
    model.show(
      ScriptPane(script: "greeter", id: "list", title: title, lines: lines, keys: keys))
    return model
  }

  @Test func `a line has its parts in their roles, counted in characters`() {
    let model = model([
      .init("e\u{301}👨‍👩‍👧 #12!", .warning, spans: [.init(3..<6, .good), .init(6..<90, .bad)]),
      .init(""), .init("plain", .good),
    ])
    #expect(model.lines[0].map(\.text) == ["e\u{301}👨‍👩‍👧 ", "#12", "!"])
    #expect(model.lines[0].map(\.role) == [.warning, .good, .bad])
    #expect(model.lines[1] == [])
    #expect(model.lines[2] == [.init(text: "plain", role: .good)])
  }

  @Test func `nothing in a line ends it, and each blank is one`() {
    let model = model([.init("a\r\nb\tc\u{1B}[2J\u{2028}d")])
    #expect(model.lines[0].map(\.text) == ["a b c [2J d"])
  }

  @Test func `emoji are shown by their names for users who want that`() {
    let format = ItemFormat(
      localizer: english(), glyphs: .ascii, account: .alice, spellsEmoji: true)
    let model = ScriptPaneViewModel("greeter", pane: "list", titled: "Greeter", format)
    model.show(
      ScriptPane(
        script: "greeter", id: "list", title: "👍",
        lines: [.init("👍 a", spans: [.init(0..<1, .good)])],
        keys: [.init("o", "🎉")]))
    #expect(model.title == "Greeter: :thumbs_up:")
    #expect(
      model.lines == [[.init(text: ":thumbs_up:", role: .good), .init(text: " a", role: .plain)]])
    #expect(model.hints(scrolls: false).contains(KeyHint("o :tada:")))
  }

  @Test func `the title has the script's name`() {
    #expect(model([], title: "Your\nbank").title == "Greeter: Your bank")
    #expect(model([], title: "").title == "Greeter")
  }

  @Test func `a pane without content says so`() {
    let waiting = ScriptPaneViewModel(
      "greeter", pane: "list", titled: "Greeter", testFormat())
    #expect(waiting.placeholder == "The script has not filled this pane yet.")
    #expect(model([]).placeholder == "There is nothing in this pane.")
    #expect(model([.init("x")]).placeholder == nil)
  }

  @Test func `only keys of the script are passed on, with the selected line`() {
    let model = model([.init("a"), .init("b"), .init("c")], keys: [.init("o", "open")])
    var pressed: [String] = []
    model.onKey = { pressed.append("\($0)\($1)") }
    #expect(model.isList)
    model.moveSelection(1)
    #expect(model.press("o") && !model.press("x"))
    model.moveSelection(9)
    #expect(model.press("o"))
    model.show(ScriptPane(script: "greeter", id: "list", title: "", lines: [.init("a")]))
    #expect(model.selected == 0 && !model.isList)
    #expect(!model.press("o"))
    #expect(pressed == ["o1", "o2"])
  }

  private func shell(_ shown: Shown) async -> ShellViewModel {
    let center = ScriptCenter(scripts)
    center.actions.showPane = { model in
      shown.models.append(model)
      return { shown.removed += 1 }
    }
    center.actions.notify = { shown.notices.append($0.key) }
    await center.load()
    let ports = FakePorts(conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let shell = ShellViewModel(ports, scripts: center)
    shell.tools.scripts.attach()
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return shell
  }

  private final class Shown {
    var models: [ScriptPaneViewModel] = []
    var removed = 0
    var notices: [String] = []
  }

  private func enter(_ line: String, _ shell: ShellViewModel) async {
    shell.type(line)
    shell.submit()
    await shell.lifetime.settle()
  }

  @Test
  func `a command opens a pane, its key asks the script, and the end of the script closes it`()
    async throws
  {
    let shown = Shown()
    let shell = await shell(shown)
    scripts.setPanes([
      ScriptPane(
        script: "greeter", id: "list", title: "List", lines: [.init("a")],
        keys: [.init("o", "open")])
    ])
    #expect(shown.models.isEmpty)
    await scripts.setResult(.success(.pane("list")))
    await enter("/greet bob", shell)
    let model = try #require(shown.models.first)
    #expect(model.title == "Greeter: List" && model.lines.count == 1)
    // The same pane is not shown twice.
    await enter("/greet bob", shell)
    #expect(shown.models.count == 1)
    await scripts.setResult(.success(.note("opened")))
    #expect(model.press("o") && model.isBusy && model.press("o"))
    await shell.lifetime.settle()
    #expect(!model.isBusy)
    var call = ScriptScreenCall(script: "greeter", .key("o", line: 0, pane: "list"))
    (call.account, call.conversation) = (.alice, .bob)
    #expect(await scripts.screenCalls == [call])
    #expect(shell.status.message.text == "Greeter: opened")
    scripts.setPanes([])
    await scripts.end()
    await shell.ports.scripts?.run()
    #expect(model.isClosed && shown.removed == 1)
    #expect(shown.notices == ["scripts.pane.gone"])
  }

  @Test func `a pane that is filled late waits for it`() async throws {
    let shown = Shown()
    let shell = await shell(shown)
    await scripts.setResult(.success(.pane("list")))
    await enter("/greet bob", shell)
    let model = try #require(shown.models.first)
    #expect(model.placeholder != nil && !model.isClosed)
    scripts.setPanes([
      ScriptPane(script: "greeter", id: "list", title: "List", lines: [.init("a")])
    ])
    await scripts.end()
    await shell.ports.scripts?.run()
    #expect(model.placeholder == nil && model.lines.count == 1)
    model.close()
    #expect(shown.removed == 1)
  }
}
