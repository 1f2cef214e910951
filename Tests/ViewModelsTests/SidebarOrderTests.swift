import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct SidebarOrderTests {
  static let room = JID(local: "natter-dev", domain: "rooms.example.org")

  func sidebar(_ arrangement: SidebarArrangement = .init()) -> SidebarViewModel {
    let viewModel = SidebarViewModel(format: testFormat())
    viewModel.load(
      conversations: [
        Conversation(jid: .bob), Conversation(jid: .chloe), Conversation(jid: .zhang),
        Conversation(jid: Self.room, kind: .room),
      ], contacts: [], presence: [], requests: [], arrangement: arrangement)
    return viewModel
  }

  func outline(_ viewModel: SidebarViewModel) -> [String] {
    viewModel.items.map { [$0.number, $0.name].filter { !$0.isEmpty }.joined(separator: " ") }
  }

  @Test func `what is pinned stands first and keeps its number`() {
    let viewModel = sidebar()
    #expect(viewModel.togglePin(.chloe) == true)
    #expect(
      outline(viewModel) == [
        "PINNED", "2 chloe@example.net", "DIRECT", "1 bob@example.net", "4 zhang@example.net",
        "ROOMS", "3 natter-dev",
      ])
    #expect(viewModel.order == [.chloe, .bob, Self.room, .zhang])
    #expect(viewModel.togglePin(Self.room) == true)
    #expect(
      outline(viewModel) == [
        "PINNED", "2 chloe@example.net", "3 natter-dev", "DIRECT", "1 bob@example.net",
        "4 zhang@example.net",
      ])
    #expect(viewModel.togglePin(.chloe) == false)
    #expect(viewModel.togglePin(JID(local: "no", domain: "x.org")) == nil)
    #expect(outline(viewModel).prefix(2) == ["PINNED", "3 natter-dev"])
  }

  @Test func `moving swaps numbers with the neighbour in the same part, and stops at its ends`() {
    let viewModel = sidebar()
    #expect(viewModel.move(.zhang, by: -1))
    #expect(viewModel.conversation(number: 2) == .zhang)
    #expect(viewModel.conversation(number: 4) == .chloe)
    #expect(!viewModel.move(.bob, by: -1) && !viewModel.move(.chloe, by: 1))
    #expect(!viewModel.move(Self.room, by: 1))
    viewModel.togglePin(.bob)
    #expect(!viewModel.move(.bob, by: 1))
  }

  @Test func `a number can be asked for; whoever had it gets the other`() {
    let viewModel = sidebar()
    viewModel.give(.zhang, number: 1)
    #expect(viewModel.conversation(number: 1) == .zhang)
    #expect(viewModel.conversation(number: 4) == .bob)
    viewModel.give(.bob, number: 9)
    #expect(viewModel.conversation(number: 9) == .bob && viewModel.conversation(number: 4) == nil)
    viewModel.give(.bob, number: 0)
    #expect(viewModel.conversation(number: 9) == .bob)
  }

  @Test func `the order is kept from the first wish on, and comes back`() {
    let viewModel = sidebar()
    var kept: [SidebarArrangement] = []
    viewModel.onArrange = { kept.append($0) }
    viewModel.handle(.conversationsChanged([Conversation(jid: .alice)]))
    #expect(kept.isEmpty)
    viewModel.togglePin(.zhang)
    viewModel.give(.zhang, number: 8)
    // What comes later is kept too, so that it keeps its number.
    let late = JID(local: "late", domain: "x.org")
    viewModel.handle(.conversationsChanged([Conversation(jid: late)]))
    viewModel.handle(.conversationsChanged([Conversation(jid: late, unread: 1)]))
    #expect(kept.count == 3 && kept.last?.numbers[late] == 4)
    let text = kept.last?.text ?? ""
    #expect(text.contains("8 * zhang@example.net") && text.contains("1 - bob@example.net"))
    let again = sidebar(SidebarArrangement(text: text))
    #expect(outline(again).prefix(2) == ["PINNED", "8 zhang@example.net"])
    #expect(again.conversation(number: 1) == .bob)
    #expect(again.conversation(number: 4) == nil)
  }

  @Test func `lines that make no sense are passed over`() {
    let read = SidebarArrangement(
      text: "x\n1 *\n0 - a@b\n-3 - a@b\n2 - not an address@@\n3 * a@b\n3 - c@d\n\n4 - d@e")
    #expect(read.numbers == [JID(local: "a", domain: "b"): 3, JID(local: "d", domain: "e"): 4])
    #expect(read.pinned == [JID(local: "a", domain: "b")])
  }

  @Test func `pins, numbers and what is meant by them, from the shell`() async {
    let ports = FakePorts(conversations: [Conversation(jid: .bob), Conversation(jid: .chloe)])
    let shell = ShellViewModel(ports)
    await shell.load()
    shell.open(.chloe)
    shell.type("/pin")
    shell.submit()
    #expect(shell.sidebar.isPinned(.chloe))
    #expect(shell.status.message.text == "chloe@example.net stays at the top of the list.")
    shell.type("/number 5")
    shell.submit()
    shell.type("/number none")
    shell.submit()
    #expect(shell.status.message.text == "\"none\" is no number for a conversation: 1 to 999.")
    // With the keys in the list, it is the selected row that counts.
    shell.sidebar.isFocused = true
    shell.sidebar.select(.conversation(.bob))
    shell.togglePin()
    #expect(shell.sidebar.isPinned(.bob))
    await shell.finish()
    #expect(
      await ports.preferences["sidebar.order"] == "1 * bob@example.net\n5 * chloe@example.net")
  }
}
