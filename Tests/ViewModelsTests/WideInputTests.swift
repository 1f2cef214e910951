import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Full-width characters, as Chinese input methods type them (interface.md, "Languages").
@Suite struct WideInputTests {
  private let ports = FakePorts(
    conversations: [Conversation(jid: .bob, lastActivity: .afternoon)],
    contacts: [Contact(jid: .bob, name: "Bob Martin"), Contact(jid: .zhang, name: "Zhang Wei")],
    now: .afternoon)

  private func shell() async -> ShellViewModel {
    var actions = ShellActions.forTests()
    actions.parseAddress = { JID(userInput: $0) }
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    await shell.finish()
    return shell
  }

  private func sent() async -> [String] {
    await ports.calls.filter { $0.hasPrefix("send ") }
  }

  @Test func `a wide slash begins a command, with a wide blank behind it`() async {
    let shell = await shell()
    shell.type("／chat　zhang")
    shell.submit()
    await shell.finish()
    #expect(shell.activeConversation == .zhang)
    #expect(await sent() == [])
  }

  @Test(arguments: ["／nonsense", "／kick bob", "／ help"])
  func `an unknown or unfitting command is never sent, whatever its slash`(line: String) async {
    let shell = await shell()
    shell.type(line)
    shell.submit()
    await shell.finish()
    #expect(await sent() == [] && shell.input.text == line)
    #expect(!shell.status.message.text.isEmpty)
  }

  @Test func `two of them mean the letter, and what begins with one can be corrected`() async {
    let shell = await shell()
    shell.type("／／usr")
    shell.submit()
    await shell.finish()
    #expect(await sent() == ["send bob@example.net ／usr"])
    let message = await ports.messages.last
    if let message { shell.input.beginEdit(of: message) }
    #expect(shell.input.text == "／／usr")
  }

  @Test(arguments: ["/chat zhang＠example.net", "/chat xmpp:ZHANG＠example.net"])
  func `an address may have the wide at sign`(line: String) async {
    let shell = await shell()
    shell.type(line)
    shell.submit()
    await shell.finish()
    #expect(shell.activeConversation == .zhang)
  }

  @Test func `Tab completes a command that begins so, and no one sees it being typed`() async {
    let shell = await shell()
    shell.type("／redr")
    shell.input.complete()
    #expect(shell.input.text.hasPrefix("/redraw"))
    #expect("／me waves".isOwnAction && !"／menu".isOwnAction && !"//me x".isOwnAction)
  }
}
