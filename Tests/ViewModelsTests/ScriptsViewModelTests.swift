import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// The page of scripts.
@Suite struct ScriptsViewModelTests {
  private final class Shown {
    var dialogs: [DialogViewModel] = []
    var forms: [FormViewModel] = []
  }
  private let shown = Shown()
  private let scripts = FakeScripts()

  private func page(_ list: ScriptSummary...) async -> (ScriptsViewModel, ShellViewModel) {
    await scripts.set(list)
    let shown = shown
    let center = ScriptCenter(scripts)
    center.actions.show = { model in
      shown.dialogs.append(model)
      return {}
    }
    var actions = ShellActions.forTests()
    actions.showForm = { form in
      shown.forms.append(form)
      return {}
    }
    let shell = ShellViewModel(FakePorts(), actions: actions, scripts: center)
    await center.load()
    return (ScriptsViewModel(shell: shell), shell)
  }

  @Test func `a script is a row with its state and what it uses`() async {
    var weather = ScriptSummary.greeter(.sleeping)
    weather.memory = 1_600_000
    weather.processor = 2
    weather.requests = 12
    weather.dropped = 3
    weather.confinement = .bwrap
    let (page, _) = await page(weather)
    #expect(page.items.map(\.title) == ["greeter"])
    #expect(
      page.items[0].value
        == "sleeps, 1.6 MB, 2 % CPU, 12 requests, 3 texts left out, closed (bwrap)")
    #expect(page.items[0].isSelected && page.items[0].isChanged)
    #expect(page.help[0] == "Greeter 1.0")
  }

  @Test(arguments: [
    (ScriptState.off, "off", "Space shows what it asks for"),
    (.sleeping, "sleeps", "nothing to do"), (.running, "runs", "u restarts it"),
    (.asking, "asks", "Enter shows its question"), (.changed, "changed", "Space shows them"),
    (.failed(StatusNotice(.error, "scripts.error.settings")), "failed", "u starts it again"),
    (.bad(line: 3, StatusNotice(.error, "scripts.error.off")), "bad", "natter scripts check"),
    (.unsafe(path: "/home/a/greeter"), "unsafe", "can change /home/a/greeter"),
  ])
  func `each state says what it means and what to do`(
    state: ScriptState, name: String, help: String
  ) async {
    let (page, _) = await page(.greeter(state))
    #expect(page.items[0].value.hasPrefix(name))
    #expect(page.help.contains { $0.contains(help) }, "\(page.help)")
    if case .bad = state {
      #expect(page.help.contains("manifest.toml, line 3: No scripts run here."))
    }
  }

  @Test func `an enabled script that may not run shows why, and can be disabled`() async {
    var script = ScriptSummary.greeter(.off)
    script.refusal = StatusNotice(.info, "error.script.start.none")
    let (page, shell) = await page(script)
    #expect(page.items[0].value == "enabled, but not started")
    #expect(page.items[0].isChanged)
    #expect(page.help == ["Greeter 1.0", "Scripts are not started (--no-scripts)."])
    page.toggle()
    await shell.lifetime.settle()
    #expect(shown.dialogs.isEmpty)
    #expect(await scripts.calls == ["disable greeter"])
  }

  @Test func `before scripts have begun it says that they are read`() async {
    let center = ScriptCenter(FakeScripts(nil))
    let shell = ShellViewModel(FakePorts(), scripts: center)
    await center.load()
    let page = ScriptsViewModel(shell: shell)
    #expect(page.help == ["Reading the scripts ..."])
  }

  @Test func `without scripts it says what they are, and how to make one`() async {
    let (page, shell) = await page()
    #expect(page.items.isEmpty)
    #expect(page.help.joined().contains("natter scripts new NAME --js"))
    page.open()
    page.moveSelection(1)
    page.reset()
    page.toggle()
    #expect(ScriptsViewModel.isOffered(in: shell))
    #expect(!ScriptsViewModel.isOffered(in: ShellViewModel(FakePorts())))
  }

  private func withRights() -> ScriptSummary {
    var script = ScriptSummary.greeter()
    var use = ScriptGrantUse(
      ScriptGrant(
        .bridge(.readMessages), accounts: [.alice], scope: BridgeScope(hasRooms: true)),
      given: .minutes(0))
    use.lastUse = .minutes(1)
    use.count = 4
    script.grants = [use]
    script.settings = ["word": "Hi"]
    return script
  }

  @Test func `a right that comes with the script is no missing right`() async {
    var script = ScriptSummary.greeter()
    script.manifest?.permissions = [.init(.commands, why: "for /greet")]
    let (page, _) = await page(script)
    page.open()
    page.select("right ui.command")
    let row = page.items.first { $0.id == "right ui.command" }
    #expect(row?.value == "allowed while it is on" && row?.isChanged == false)
    #expect(page.help.contains { $0.hasPrefix("Enabling the script allows this") })
  }

  @Test func `the details have rights, commands, settings and the log`() async {
    let (page, _) = await page(withRights())
    page.open()
    #expect(page.title == "Scripts: greeter")
    #expect(
      page.items.map(\.id) == [
        "back", "state", "right messages.read", "right messages.send", "command greet",
        "setting word", "log", "restart",
      ])
    #expect(
      page.items.map(\.value) == [
        "", "runs, closed", "allowed", "not allowed", "says hello", "Hi", "", "",
      ])
    page.select("right messages.read")
    #expect(page.help[0] == "- read your messages: rooms")
    #expect(page.help[1] == "  \"to see who is new\"")
    #expect(page.help[2].hasPrefix("rooms in alice@example.org, since "))
    #expect(page.help[2].contains("used 4 times"))
    #expect(page.help[3] == "Del takes it back at once.")
    page.select("command greet")
    #expect(page.help[0].contains("/greeter:greet"))
    #expect(page.leave() && !page.leave())
    #expect(page.title == "Scripts" && page.items[0].isSelected)
  }

  @Test func `Del takes a right back at once, and only one that is held`() async {
    let (page, shell) = await page(withRights())
    page.reset()
    page.open()
    page.select("right messages.send")
    page.reset()
    await shell.lifetime.settle()
    #expect(await scripts.calls == [])
    #expect(shell.status.message.text == "Nothing here can be taken back.")
    page.select("right messages.read")
    page.reset()
    page.select("setting word")
    page.reset()
    await shell.lifetime.settle()
    #expect(
      await scripts.calls == ["revoke messages.read greeter", "set greeter.word default"])
  }

  @Test func `Del lets a script ask again for a right that was refused for good`() async {
    var script = withRights()
    script.never = [.bridge(.sendMessages)]
    let (page, shell) = await page(script)
    page.open()
    page.select("right messages.send")
    let row = page.items.first { $0.isSelected }
    #expect(row?.value == "not allowed, and not asked for" && row?.isChanged == true)
    #expect(page.help.last == "You have refused it for good. Del lets the script ask again.")
    page.reset()
    await shell.lifetime.settle()
    #expect(await scripts.calls == ["revoke messages.send greeter"])
    #expect(
      shell.status.message.text == "greeter can ask for this right again: send messages as you")
  }

  @Test func `Space disables at once, and enables after a question`() async throws {
    let (page, shell) = await page(.greeter())
    page.toggle()
    await shell.lifetime.settle()
    #expect(await scripts.calls == ["disable greeter"])
    await scripts.set([.greeter(.changed)])
    await shell.ports.scripts?.load()
    page.toggle()
    #expect(await scripts.calls.count == 1)
    try #require(shown.dialogs.first).press("yes")
    page.restart()
    await shell.lifetime.settle()
    #expect(await scripts.calls == ["disable greeter", "enable greeter", "restart greeter"])
  }

  @Test func `Enter shows the question of a script that asks`() async {
    let (page, shell) = await page(.greeter(.asking))
    await scripts.ask(.greeter())
    await shell.ports.scripts?.load()
    page.open()
    #expect(shown.dialogs.count == 1 && page.title == "Scripts")
    page.turn(1)
    #expect(page.items.map(\.id).prefix(3) == ["back", "question", "state"])
  }

  @Test func `a setting is changed in a form`() async throws {
    let (page, shell) = await page(withRights())
    page.select(key: "greeter")
    page.select("setting word")
    page.open()
    let form = try #require(shown.forms.first)
    #expect(form.text(of: "value") == "Hi")
    form.onPress("submit")
    await shell.lifetime.settle()
    #expect(await scripts.calls == ["set greeter.word Hi"])
  }

  @Test func `details go when the folder of their script is gone`() async {
    let (page, shell) = await page(.greeter())
    page.open()
    await scripts.set([])
    await shell.ports.scripts?.load()
    #expect(page.title == "Scripts" && page.items.isEmpty)
  }

  @Test func `a hostile manifest does nothing to the terminal`() async throws {
    let evil = "a\u{1B}[2J\nb\u{7}"
    var manifest = ScriptManifest(title: evil, version: evil, run: ["x"])
    manifest.permissions = [.init(.network, why: evil), .init(.readFolder, why: "")]
    manifest.permissions[0].hosts = [evil]
    manifest.permissions[1].paths = [evil]
    manifest.commands = [.init(name: "x", arguments: evil, help: evil, isInPalette: true)]
    manifest.settings = [.init(name: "s", help: evil, standard: evil)]
    let (page, shell) = await page(ScriptSummary(name: "evil", state: .off, manifest: manifest))
    page.toggle()
    let dialog = try #require(shown.dialogs.first).dialog
    page.turn(1)
    var texts = [page.title, dialog.title] + page.items.flatMap { [$0.title, $0.value] }
    for item in page.items {
      page.select(item.id)
      texts += page.help
    }
    texts += dialog.lines.map {
      switch $0 {
      case .text(let text): text
      case .row(let term, let text): term + text
      case .blank: ""
      }
    }
    texts += shell.commands.helpEntries(english()).map { $0.term + $0.text }
    #expect(texts.contains { $0.contains("a [2J b") })
    for text in texts {
      #expect(
        !text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(text)")
    }
  }
}
