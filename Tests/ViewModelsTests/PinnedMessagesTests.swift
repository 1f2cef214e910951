import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Pinned messages, and texts that go to another conversation.
@Suite struct PinnedMessagesTests {
  private final class Shown { var choices: [ChoiceRequest] = [] }
  private let shown = Shown()
  private static let carol = JID(local: "carol", domain: "example.net")

  private func shell(_ messages: [Message]) async -> (shell: ShellViewModel, ports: FakePorts) {
    let ports = FakePorts(
      messages: messages,
      conversations: [
        Conversation(jid: .bob, lastActivity: .minutes(2)),
        Conversation(jid: Self.carol, lastActivity: .minutes(1)),
      ],
      contacts: [
        Contact(jid: .bob, name: "Bob", subscription: .both),
        Contact(jid: Self.carol, name: "Carol", subscription: .both),
      ])
    var actions = ShellActions.forTests()
    actions.choose = { [shown] in shown.choices.append($0) }
    let shell = ShellViewModel(ports, actions: actions)
    await shell.load()
    shell.open(.bob)
    await shell.lifetime.settle()
    return (shell, ports)
  }

  @Test func `the selected message, or else the newest, is pinned and unpinned`() async throws {
    let (shell, ports) = await shell([message(1, "first"), message(2, "second", at: 1)])
    await shell.enter("/pin message")
    shell.timeline.select(.init(1))
    shell.tools.pins.toggle()
    await shell.lifetime.settle()
    #expect((await ports.preferences)["pins.bob@example.net"] == "2 1")
    await shell.enter("/pin message")
    #expect(shell.status.message.text == "The message is pinned already.")
    await shell.enter("/pins")
    let list = try #require(shown.choices.first)
    #expect(list.labels.count == 2)
    #expect(list.labels[0].hasSuffix(": second") && list.labels[1].hasSuffix(": first"))
    await shell.enter("/unpin")
    #expect((await ports.preferences)["pins.bob@example.net"] == "2")
    await shell.enter("/unpin")
    #expect(shell.status.message.text == "The message is not pinned.")
    shell.timeline.select(.init(2))
    shell.tools.pins.toggle()
    await shell.lifetime.settle()
    #expect((await ports.preferences)["pins.bob@example.net"] == nil)
    await shell.enter("/pins")
    #expect(shell.status.message.text.hasPrefix("No pinned messages here."))
  }

  @Test func `what is gone is not listed, and a value that is damaged loses only its part`()
    async throws
  {
    let (shell, ports) = await shell([message(1, "here")])
    await ports.setPreferences(["pins.bob@example.net": "77 x 1  9999999999999999999999"])
    await shell.enter("/pins")
    let list = try #require(shown.choices.first)
    #expect(list.labels.count == 1 && list.labels[0].hasSuffix(": here"))
  }

  @Test func `more than a hundred are refused`() async {
    let (shell, ports) = await shell((1...101).map { message(Int64($0), "text", at: Double($0)) })
    let full = (1...100).map(String.init).joined(separator: " ")
    await ports.setPreferences(["pins.bob@example.net": full])
    await shell.enter("/pin message")
    #expect(shell.status.message.text.hasPrefix("100 messages are pinned here already."))
    #expect((await ports.preferences)["pins.bob@example.net"] == full)
    await shell.enter("/pin mesage")
    #expect(shell.input.text == "/pin mesage")
  }

  @Test func `deleted messages take no room of others`() async {
    let (shell, ports) = await shell([message(1, "old"), message(1000, "here", at: 1)])
    let full = (1...100).map(String.init).joined(separator: " ")
    await ports.setPreferences(["pins.bob@example.net": full])
    await shell.enter("/pin message")
    #expect(shell.status.message.text.hasPrefix("The message is pinned."))
    #expect((await ports.preferences)["pins.bob@example.net"] == "1 1000")
  }

  @Test func `a text goes into the input of the other conversation, with its author`()
    async throws
  {
    let (shell, ports) = await shell([message(1, "one\n\ntwo")])
    shell.tools.forwarding.begin()
    await shell.lifetime.settle()
    let list = try #require(shown.choices.first)
    #expect(list.labels == ["Carol"])
    list.onEnd(0)
    await shell.lifetime.settle()
    #expect(shell.activeConversation == Self.carol)
    #expect(shell.input.text == "Bob wrote:\n> one\n> \n> two")
    #expect(!(await ports.calls).contains { $0.hasPrefix("send") })
  }

  @Test func `a correction that is under way there does not get the text`() async {
    let own = message(5, "typo", from: .alice, in: Self.carol, at: 1)
    let (shell, _) = await shell([message(1, "one"), own])
    shell.open(Self.carol)
    await shell.lifetime.settle()
    shell.input.beginEdit(of: own)
    #expect(shell.input.text == "typo")
    shell.open(.bob)
    await shell.lifetime.settle()
    shell.tools.forwarding.begin(to: Self.carol)
    await shell.lifetime.settle()
    #expect(shell.activeConversation == Self.carol && shell.input.aim == nil)
    #expect(shell.input.text == "Bob wrote:\n> one")
  }

  @Test(arguments: ["\r\n", "\r", "\u{0B}", "\u{0C}", "\u{85}", "\u{2028}", "\u{2029}"])
  func `each line is quoted, whatever ends it`(end: String) async {
    let (shell, _) = await shell([])
    let quotation = shell.tools.forwarding.quotation(of: message(1, "one\(end)two"))
    #expect(quotation == "Bob wrote:\n> one\n> two")
  }

  @Test func `the command takes the message in hand, and an address`() async {
    let (shell, _) = await shell([message(1, "mine", from: .alice), message(2, "newer", at: 1)])
    shell.timeline.select(.init(1))
    await shell.enter("/forward message \(Self.carol)")
    #expect(shown.choices.isEmpty && shell.activeConversation == Self.carol)
    #expect(shell.input.text == "> mine")
  }
}
