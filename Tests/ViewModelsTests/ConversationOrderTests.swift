import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// The order of the list as the setting says.
@Suite struct ConversationOrderTests {
  private func sidebar(
    _ order: ConversationOrder, arrangement: SidebarArrangement = SidebarArrangement()
  ) -> SidebarViewModel {
    let sidebar = SidebarViewModel(format: testFormat())
    sidebar.choose(order)
    sidebar.load(
      conversations: [
        Conversation(jid: .bob, lastActivity: .minutes(1)),
        Conversation(jid: .chloe, lastActivity: .minutes(3)), Conversation(jid: .zhang),
      ], contacts: [], presence: [], requests: [], arrangement: arrangement)
    return sidebar
  }

  private let numbers = SidebarArrangement(
    numbers: [.bob: 2, .chloe: 3, .zhang: 1], pinned: [], isOwn: false)

  @Test func `the newest are first, also after another message`() {
    let sidebar = sidebar(.recent)
    #expect(sidebar.order == [.chloe, .bob, .zhang])
    sidebar.handle(.conversationsChanged([Conversation(jid: .zhang, lastActivity: .minutes(4))]))
    #expect(sidebar.order == [.zhang, .chloe, .bob])
    // What is unread is above, whatever its time is.
    sidebar.handle(
      .conversationsChanged([Conversation(jid: .bob, unread: 1, lastActivity: .minutes(2))]))
    #expect(sidebar.order == [.bob, .zhang, .chloe])
  }

  @Test func `by name and by number, the time of messages does not matter`() {
    #expect(sidebar(.alphabet, arrangement: numbers).order == [.bob, .chloe, .zhang])
    let manual = sidebar(.manual, arrangement: numbers)
    #expect(manual.order == [.zhang, .bob, .chloe])
    manual.handle(.conversationsChanged([Conversation(jid: .chloe, lastActivity: .minutes(9))]))
    #expect(manual.order == [.zhang, .bob, .chloe])
  }

  @Test func `moving a conversation keeps the user's order until the setting changes`() {
    let sidebar = sidebar(.recent)
    var kept: SidebarArrangement?
    sidebar.onArrange = { kept = $0 }
    #expect(sidebar.move(.zhang, by: -1))
    #expect(sidebar.order == [.chloe, .zhang, .bob] && kept?.isOwn == true)
    sidebar.handle(.conversationsChanged([Conversation(jid: .bob, lastActivity: .minutes(9))]))
    #expect(sidebar.order == [.chloe, .zhang, .bob])
    // The next start finds it so.
    #expect(self.sidebar(.recent, arrangement: kept ?? numbers).order == [.chloe, .zhang, .bob])
    sidebar.choose(.alphabet)
    #expect(sidebar.order == [.bob, .chloe, .zhang] && kept?.isOwn == false)
  }

  @Test func `pinning a conversation, and moving pinned ones, leaves the others as they are`() {
    let sidebar = sidebar(.recent)
    var kept: SidebarArrangement?
    sidebar.onArrange = { kept = $0 }
    // Numbers are given in the order shown: chloe, bob, zhang.
    #expect(sidebar.togglePin(.zhang) == true)
    #expect(sidebar.order == [.zhang, .chloe, .bob] && kept?.isOwn == false)
    sidebar.handle(.conversationsChanged([Conversation(jid: .bob, lastActivity: .minutes(9))]))
    #expect(sidebar.order == [.zhang, .bob, .chloe])
    sidebar.togglePin(.chloe)
    #expect(sidebar.order == [.chloe, .zhang, .bob])
    #expect(sidebar.move(.zhang, by: -1))
    #expect(sidebar.order == [.zhang, .chloe, .bob] && kept?.isOwn == false)
    sidebar.togglePin(.chloe)
    sidebar.handle(.conversationsChanged([Conversation(jid: .chloe, lastActivity: .minutes(10))]))
    #expect(sidebar.order == [.zhang, .chloe, .bob])
  }

  @Test func `pinned conversations keep the order of their numbers`() {
    let sidebar = sidebar(
      .recent,
      arrangement: SidebarArrangement(
        numbers: [.bob: 1, .chloe: 2, .zhang: 3], pinned: [.bob, .chloe], isOwn: false))
    #expect(sidebar.order == [.bob, .chloe, .zhang])
  }
}
