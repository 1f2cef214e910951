import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Up in an empty input.
@Suite struct EditOnUpTests {
  private func shell(_ messages: [Message], isOn: Bool = true) async -> ShellViewModel {
    let ports = FakePorts(
      messages: messages, conversations: [Conversation(jid: .bob)], now: .afternoon)
    let shell = ShellViewModel(
      ports: ShellViewModel.Ports(
        timeline: ports, conversations: ports, histories: ports, roster: ports,
        rosterChanges: ports, presence: ports, ownPresence: ports, connection: ports,
        sender: ports, relating: ports, preferences: ports),
      format: testFormat(), scheduler: ManualTimers().scheduler, actions: .forTests(),
      now: { .afternoon })
    shell.inputMemory.editsOnUp = { isOn }
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return shell
  }

  private let messages = [
    message(1, "mine", from: .alice, delivery: .sent), message(2, "an answer"),
  ]

  @Test func `it edits the user's last message where the user wants that`() async {
    let shell = await shell(messages)
    #expect(EditOnUp(shell).begins())
    await shell.lifetime.settle()
    #expect(shell.input.text == "mine" && shell.input.aim != nil)
    // Up moves in the text then.
    #expect(!EditOnUp(shell).begins())
  }

  @Test func `it has its usual effect otherwise`() async {
    #expect(await !EditOnUp(shell(messages, isOn: false)).begins())
    #expect(await !EditOnUp(shell([message(2, "an answer")])).begins())
    let typing = await shell(messages)
    typing.type("half a sentence")
    #expect(!EditOnUp(typing).begins())
    let replying = await shell(messages)
    replying.beginReply()
    #expect(replying.input.aim != nil && !EditOnUp(replying).begins())
  }
}
