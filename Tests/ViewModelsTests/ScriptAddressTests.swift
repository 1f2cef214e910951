import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text

@testable import ViewModels

/// Addresses that scripts open.
@Suite struct ScriptAddressTests {
  private final class Shown {
    var choices: [ChoiceRequest] = []
    var questions: [ConfirmRequest] = []
    var links: [String] = []
  }
  private let shown = Shown()
  private let mediator = Mediator()

  nonisolated private static func script(
    _ state: ScriptState = .sleeping, _ change: (inout ScriptSummary) -> Void = { _ in }
  ) -> ScriptSummary {
    var script = ScriptSummary.greeter(state, title: "Tickets")
    script.manifest?.permissions.append(.init(.addresses, why: "to open tickets"))
    script.manifest?.prefixes = ["https://t.example/", "https://u.example/"]
    change(&script)
    return script
  }

  private func shell(_ scripts: FakeScripts?) async -> ShellViewModel {
    let shown = shown
    var actions = ShellActions.forTests()
    actions.choose = { shown.choices.append($0) }
    actions.confirm = { shown.questions.append($0) }
    actions.openLink = { shown.links.append($0) }
    let mediator = mediator
    actions.openAddress = { try mediator.open($0, isForeign: $1) }
    let center = scripts.map { ScriptCenter($0) }
    await center?.load()
    let ports = FakePorts(conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))])
    let shell = ShellViewModel(ports, actions: actions, scripts: center)
    shell.tools.scripts.attach()
    shell.tools.scripts.publishAddresses(to: mediator)
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return shell
  }

  @Test func `a script is offered beside the usual program, which is selected`() async throws {
    let scripts = FakeScripts([Self.script()])
    let shell = await shell(scripts)
    shell.open(link: "https://t.example/12")
    let choice = try #require(shown.choices.first)
    #expect(choice.labels == ["Open as usual", "Open with the script Tickets"])
    #expect(choice.selected == 0 && choice.title == "https://t.example/12")
    #expect(shown.links == [])
    choice.onEnd(0)
    #expect(shown.links == ["https://t.example/12"])
    await scripts.setResult(.success(.note("done")))
    choice.onEnd(1)
    await shell.lifetime.settle()
    var call = ScriptScreenCall(script: "greeter", .open("https://t.example/12"))
    (call.account, call.conversation) = (.alice, .bob)
    #expect(await scripts.screenCalls == [call])
    #expect(shell.status.message.text == "Tickets: done")
    choice.onEnd(nil)
    #expect(shown.links.count == 1)
  }

  @Test(arguments: [
    (script(), "https://t.example.org/12"), (script(), "HTTPS://t.example/12"),
    (script(), "https://t.example/" + String(repeating: "a", count: 9000)),
    (script(.off), "https://t.example/12"),
    (script { $0.refused = [.addresses] }, "https://t.example/12"),
    (script { $0.manifest?.permissions.removeLast() }, "https://t.example/12"),
  ])
  func `where no script may open a link there is no question`(
    script: ScriptSummary, link: String
  ) async {
    let shell = await shell(FakeScripts([script]))
    shell.open(link: link)
    #expect(shown.choices.isEmpty && shown.links == [link])
  }

  @Test func `an address of a script asks first if somebody else wrote it`() async throws {
    let scripts = FakeScripts([Self.script()])
    let shell = await shell(scripts)
    let address = "natter://script/greeter/ticket/12?a=b"
    shell.open(link: address)
    await shell.lifetime.settle()
    #expect(await scripts.screenCalls == [])
    let question = try #require(shown.questions.first)
    #expect(question.textKey == "confirm.script")
    #expect(question.arguments == ["script": "Tickets", "address": address])
    question.onAccept()
    await shell.lifetime.settle()
    #expect(await scripts.screenCalls.map(\.request) == [.open(address)])
    try mediator.open(address)
    await shell.lifetime.settle()
    #expect(await scripts.screenCalls.count == 2 && shown.questions.count == 1)
  }

  @Test(arguments: [
    ("natter://script/none/x", "error.script.state.unknown"),
    ("natter://script/open?name=greeter&address=x", "error.script.state.unknown"),
    ("natter://script", "error.unknownAction"),
  ])
  func `an address of no script is an error, without a question`(
    address: String, key: String
  ) async {
    let shell = await shell(FakeScripts([Self.script()]))
    let error = #expect(throws: NatterError.self) {
      try mediator.open(address, isForeign: true)
    }
    #expect(error?.key == key)
    #expect(shown.questions.isEmpty)
    withExtendedLifetime(shell) {}
  }

  @Test(arguments: [
    (script(.off), "error.script.state.off"),
    (script { $0.manifest?.permissions.removeLast() }, "scripts.error.addresses"),
  ])
  func `a script that cannot open addresses gets none`(
    script: ScriptSummary, key: String
  ) async {
    let scripts = FakeScripts([script])
    let shell = await shell(scripts)
    let error = #expect(throws: NatterError.self) {
      try mediator.open("natter://script/greeter/x", isForeign: true)
    }
    await shell.lifetime.settle()
    #expect(error?.key == key)
    #expect(await scripts.screenCalls == [] && shown.questions.isEmpty)
  }

  @Test func `where no scripts run, links are opened as usual`() async {
    let shell = await shell(nil)
    shell.open(link: "https://t.example/12")
    #expect(shown.links == ["https://t.example/12"])
    let error = #expect(throws: NatterError.self) {
      try mediator.open("natter://script/greeter/x")
    }
    #expect(error?.key == "scripts.error.off")
  }
}
