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

  @Test func `what is pinned comes first and keeps its number`() {
    let viewModel = sidebar()
    #expect(viewModel.togglePin(.chloe) == true)
    #expect(
      outline(viewModel) == [
        "PINNED", "2 chloe@example.net", "DIRECT", "1 bob@example.net", "3 zhang@example.net",
        "ROOMS", "4 natter-dev",
      ])
    #expect(viewModel.order == [.chloe, .bob, .zhang, Self.room])
    #expect(viewModel.togglePin(Self.room) == true)
    #expect(
      outline(viewModel) == [
        "PINNED", "2 chloe@example.net", "4 natter-dev", "DIRECT", "1 bob@example.net",
        "3 zhang@example.net",
      ])
    #expect(viewModel.togglePin(.chloe) == false)
    #expect(viewModel.togglePin(JID(local: "no", domain: "x.org")) == nil)
    #expect(outline(viewModel).prefix(2) == ["PINNED", "4 natter-dev"])
  }

  @Test func `moving swaps numbers with the neighbour in the same part, and stops at its ends`() {
    let viewModel = sidebar()
    #expect(viewModel.move(.zhang, by: -1))
    #expect(viewModel.conversation(number: 2) == .zhang)
    #expect(viewModel.conversation(number: 3) == .chloe)
    #expect(!viewModel.move(.bob, by: -1) && !viewModel.move(.chloe, by: 1))
    #expect(!viewModel.move(Self.room, by: 1))
    viewModel.togglePin(.bob)
    #expect(!viewModel.move(.bob, by: 1))
  }

  @Test func `conversations that come together get their numbers at once, and are kept once`() {
    let viewModel = sidebar()
    var kept: [SidebarArrangement] = []
    viewModel.onArrange = { kept.append($0) }
    let new = (0..<200).map {
      Conversation(jid: JID(local: "s\($0)", domain: "evil.test"), unread: 1)
    }
    viewModel.handle(.conversationsChanged(new + [new[0]]))
    #expect(kept.count == 1)
    #expect(Set(new.compactMap { kept.first?.numbers[$0.jid] }) == Set(5..<205))
  }

  @Test func `a number can be asked for; the conversation that had it gets the other`() {
    let viewModel = sidebar()
    viewModel.give(.zhang, number: 1)
    #expect(viewModel.conversation(number: 1) == .zhang)
    #expect(viewModel.conversation(number: 3) == .bob)
    viewModel.give(.bob, number: 9)
    #expect(viewModel.conversation(number: 9) == .bob && viewModel.conversation(number: 3) == nil)
    viewModel.give(.bob, number: 0)
    #expect(viewModel.conversation(number: 9) == .bob)
  }

  @Test func `numbers are the same after the next start, the list goes by name all the same`() {
    let viewModel = SidebarViewModel(format: testFormat())
    var kept: [SidebarArrangement] = []
    viewModel.onArrange = { kept.append($0) }
    viewModel.load(
      conversations: [Conversation(jid: .zhang)], contacts: [], presence: [], requests: [])
    viewModel.handle(.conversationsChanged([Conversation(jid: .chloe), Conversation(jid: .bob)]))
    #expect(kept.count == 2)
    let before = ["DIRECT", "3 bob@example.net", "2 chloe@example.net", "1 zhang@example.net"]
    #expect(outline(viewModel) == before)
    func next(_ conversations: [Conversation]) -> SidebarViewModel {
      let next = SidebarViewModel(format: testFormat())
      next.onArrange = { kept.append($0) }
      next.load(
        conversations: conversations, contacts: [], presence: [], requests: [],
        arrangement: SidebarArrangement(text: kept.last?.text ?? ""))
      return next
    }
    let again = next(
      [.bob, .chloe, .zhang].map { Conversation(jid: $0, unread: $0 == .chloe ? 1 : 0) })
    #expect(Set(outline(again)) == Set(before))
    #expect(again.order.first == .chloe)
    // Nothing is written where nothing has changed.
    #expect(kept.count == 2)
    // What is closed leaves its number to whatever comes.
    again.handle(.conversationsRemoved([.chloe]))
    #expect(kept.last?.numbers == [.bob: 3, .zhang: 1])
    again.handle(.conversationsChanged([Conversation(jid: .alice)]))
    #expect(again.conversation(number: 2) == .alice)
  }

  @Test func `the order is kept from the first change on, and comes back`() {
    let viewModel = sidebar()
    var kept: [SidebarArrangement] = []
    viewModel.handle(.conversationsChanged([Conversation(jid: .alice)]))
    viewModel.onArrange = { kept.append($0) }
    viewModel.togglePin(.zhang)
    viewModel.give(.zhang, number: 8)
    // What comes later is kept too, so that it keeps its number.
    let late = JID(local: "late", domain: "x.org")
    viewModel.handle(.conversationsChanged([Conversation(jid: late)]))
    viewModel.handle(.conversationsChanged([Conversation(jid: late, unread: 1)]))
    #expect(kept.count == 3 && kept.last?.numbers[late] == 3)
    let text = kept.last?.text ?? ""
    #expect(text.contains("8 * zhang@example.net") && text.contains("1 - bob@example.net"))
    let again = sidebar(SidebarArrangement(text: text))
    #expect(outline(again).prefix(2) == ["PINNED", "8 zhang@example.net"])
    #expect(again.conversation(number: 1) == .bob)
    #expect(again.conversation(number: 3) == nil)
  }

  @Test func `what mentions the user is first, then what is unread, then the others`() {
    let viewModel = sidebar()
    let other = JID(local: "alpha", domain: "rooms.example.org")
    viewModel.handle(.conversationsChanged([Conversation(jid: other, kind: .room)]))
    func change(
      _ jid: JID, unread: Int, mentions: Int = 0, _ kind: Conversation.ConversationKind = .direct
    ) {
      viewModel.handle(
        .conversationsChanged([
          Conversation(jid: jid, kind: kind, unread: unread, mentions: mentions)
        ]))
    }
    #expect(viewModel.order == [.bob, .chloe, .zhang, other, Self.room])
    change(.zhang, unread: 2)
    change(Self.room, unread: 9, .room)
    #expect(viewModel.order == [.zhang, .bob, .chloe, Self.room, other])
    change(.chloe, unread: 1, mentions: 1)
    #expect(viewModel.order == [.chloe, .zhang, .bob, Self.room, other])
    // The numbers are those of the start.
    #expect(
      viewModel.conversation(number: 1) == .bob && viewModel.conversation(number: 3) == .zhang)
    // An opened conversation stays in its row while it is read, and moves back when the user goes
    // on.
    viewModel.active = .chloe
    change(.chloe, unread: 0)
    #expect(viewModel.order.prefix(3) == [.chloe, .zhang, .bob])
    #expect(viewModel.neighbour(1) == .zhang && viewModel.nextUnread == .zhang)
    viewModel.active = .zhang
    change(.zhang, unread: 0)
    #expect(viewModel.order.prefix(3) == [.zhang, .bob, .chloe])
    viewModel.active = Self.room
    #expect(viewModel.order.prefix(3) == [.bob, .chloe, .zhang])
  }

  @Test func `no row moves while the user is in the list`() {
    let viewModel = sidebar()
    viewModel.isFocused = true
    viewModel.moveSelection(.max)
    viewModel.handle(.conversationsChanged([Conversation(jid: .zhang, unread: 3, mentions: 1)]))
    #expect(viewModel.order == [.bob, .chloe, .zhang, Self.room])
    // A new conversation is at the end of its section.
    viewModel.handle(.conversationsChanged([Conversation(jid: .alice, unread: 1)]))
    #expect(viewModel.order == [.bob, .chloe, .zhang, .alice, Self.room])
    // The user's own choices apply at once.
    viewModel.togglePin(Self.room)
    #expect(viewModel.order.first == Self.room)
    viewModel.isFocused = false
    #expect(viewModel.order.prefix(3) == [Self.room, .zhang, .alice])
    // With a screen reader nothing moves before the user acts.
    viewModel.holdsStill = true
    viewModel.handle(
      .conversationsChanged([Conversation(jid: .zhang), Conversation(jid: .bob, unread: 1)]))
    #expect(viewModel.order.prefix(3) == [Self.room, .zhang, .alice])
    viewModel.settleOrder()
    // What is pinned has an order of its own, and the others stay in theirs: by name here.
    #expect(viewModel.order.prefix(3) == [Self.room, .alice, .bob])
  }

  @Test func `what is moved the first time goes by what is seen`() {
    let viewModel = sidebar()
    viewModel.handle(.conversationsChanged([Conversation(jid: .alice)]))
    #expect(viewModel.order.prefix(4) == [.alice, .bob, .chloe, .zhang])
    #expect(viewModel.conversation(number: 5) == .alice)
    #expect(viewModel.move(.chloe, by: -1))
    #expect(viewModel.order.prefix(4) == [.alice, .chloe, .bob, .zhang])
  }

  @Test func `a feed has a number as others have, and gives it up to one that asks for it`() {
    let viewModel = sidebar()
    let news = Feed.ID(JID(local: nil, domain: "pubsub.example.org"), "news")
    viewModel.feeds = [SidebarFeed(id: news, name: "News", unread: 3)]
    #expect(outline(viewModel).suffix(2) == ["FEEDS", "5 News"])
    #expect(viewModel.feed(number: 5) == news && viewModel.conversation(number: 5) == nil)
    viewModel.handle(.conversationsChanged([Conversation(jid: .alice)]))
    #expect(viewModel.conversation(number: 6) == .alice)
    viewModel.give(.bob, number: 5)
    #expect(viewModel.feed(number: 1) == news && viewModel.conversation(number: 5) == .bob)
    viewModel.feeds = []
    #expect(viewModel.feed(number: 1) == nil)
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
    await shell.finish()
    #expect(shell.status.message.text == "chloe@example.net is pinned.")
    shell.type("/number 5")
    shell.submit()
    shell.type("/number none")
    shell.submit()
    #expect(
      shell.status.message.text
        == "\"none\" is not a conversation number. Use a number from 1 to 999.")
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
