import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

@Suite struct SidebarViewModelTests {
  func sidebar(
    _ conversations: [Conversation] = [], contacts: [Contact] = [],
    presence: [ContactPresence] = [], requests: [JID] = []
  ) -> SidebarViewModel {
    let viewModel = SidebarViewModel(format: testFormat())
    viewModel.load(
      conversations: conversations, contacts: contacts, presence: presence, requests: requests)
    return viewModel
  }

  func outline(_ viewModel: SidebarViewModel) -> [String] {
    viewModel.items.map { item in
      [item.number, item.presence, item.name, item.badge].filter { !$0.isEmpty }
        .joined(separator: " ")
    }
  }

  let contacts = [
    Contact(jid: .bob, name: "Bob Martin", subscription: .both),
    Contact(jid: .chloe, name: "Chloe Dupont", subscription: .both),
    Contact(jid: .zhang, name: "Zhang Wei", subscription: .both),
  ]

  @Test
  func `what could not be sent is shown in the list until it is sent, dropped or looked at`()
    async
  {
    let failed = message(7, "lost", from: .alice, delivery: .failed(reason: "no"))
    let other = message(
      8, "lost, too", from: .alice, in: .chloe, delivery: .failed(reason: "no"))
    let third = message(
      10, "lost as well", from: .alice, in: .zhang, delivery: .failed(reason: "no"))
    // One failed before this start, seen or not.
    let ports = FakePorts(
      messages: [failed],
      conversations: [
        Conversation(jid: .bob, unread: 2, lastActivity: .afternoon), Conversation(jid: .chloe),
        Conversation(jid: .zhang),
      ])
    let shell = ShellViewModel(ports, actions: .forTests())
    func badges() -> [JID: String] {
      shell.sidebar.items.reduce(into: [:]) { badges, item in
        if case .conversation(let jid) = item.id, !item.badge.isEmpty { badges[jid] = item.badge }
      }
    }
    func report(_ messages: [Message], _ event: DomainEvent) async {
      await ports.add(messages)
      shell.handle(event)
      await shell.finish()
    }
    shell.timeline.isAttended = false
    await shell.load()
    await shell.finish()
    // It is before the unread ones.
    #expect(badges() == [.bob: "!2"])
    let fine = message(9, "fine", from: .alice, in: .chloe, delivery: .sent)
    await report([other, fine], .messagesStored([other, fine]))
    await report([third], .messagesChanged([third]))
    #expect(badges() == [.bob: "!2", .chloe: "!", .zhang: "!"])
    // One is sent after all, another dropped.
    let sent = message(7, "lost", from: .alice, delivery: .sent)
    await report([sent], .messagesChanged([sent]))
    await ports.remove(other.id)
    shell.handle(.messagesRemoved(conversation: .chloe, [other.id]))
    await shell.finish()
    #expect(badges() == [.bob: "2", .zhang: "!"])
    // The last is drawn where nobody looks, then looked at.
    shell.open(.zhang)
    await shell.finish()
    shell.timeline.drew(shell.timeline.items[...])
    await shell.finish()
    #expect(badges() == [.bob: "2", .zhang: "!"])
    shell.timeline.isAttended = true
    await shell.finish()
    #expect(badges() == [.bob: "2"])
    #expect(await ports.calls.filter { $0.hasPrefix("seeFailures") } == ["seeFailures 10"])
    // A further report for another reason is no news.
    await report([third], .messagesChanged([third]))
    #expect(badges() == [.bob: "2"])
  }

  @Test func `conversations come first with their numbers, then the contacts without one`() {
    let viewModel = sidebar(
      [Conversation(jid: .chloe), Conversation(jid: .zhang, unread: 2)], contacts: contacts,
      presence: [
        ContactPresence(jid: .chloe, availability: .away),
        ContactPresence(jid: .bob, availability: .busy),
      ])
    #expect(
      outline(viewModel) == ["DIRECT", "1 . Zhang Wei 2", "2 o Chloe Dupont", "x Bob Martin"])
  }

  @Test func `a number stays with its conversation whatever happens to the others`() {
    let viewModel = sidebar([Conversation(jid: .bob), Conversation(jid: .chloe)])
    viewModel.handle(.conversationsChanged([Conversation(jid: .chloe, unread: 7)]))
    viewModel.handle(.conversationsRemoved([.bob]))
    #expect(viewModel.conversation(number: 2) == .chloe)
    #expect(viewModel.conversation(number: 1) == nil)
    viewModel.handle(.conversationsChanged([Conversation(jid: .zhang)]))
    #expect(viewModel.conversation(number: 1) == .zhang)
  }

  @Test func `the tenth conversation has the number 0 and the eleventh none`() {
    let viewModel = sidebar(
      (1...11).map { Conversation(jid: JID(local: "u\(100 + $0)", domain: "x.org")) })
    #expect(
      viewModel.items.dropFirst().map(\.number) == [
        "1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "",
      ])
  }

  @Test func `requests stay on top until they are answered`() {
    let viewModel = sidebar([Conversation(jid: .bob)], requests: [.zhang])
    viewModel.handle(.subscriptionRequested(.chloe))
    viewModel.handle(.subscriptionRequested(.chloe))
    #expect(
      outline(viewModel) == [
        "REQUESTS", "? zhang@example.net", "? chloe@example.net", "DIRECT",
        "1 - bob@example.net",
      ])
    viewModel.handle(.contactsChanged([Contact(jid: .zhang, subscription: .from)]))
    viewModel.removeRequest(.chloe)
    #expect(outline(viewModel) == ["DIRECT", "1 - bob@example.net", "- zhang@example.net"])
  }

  @Test func `an answered request is not selected any more`() {
    let viewModel = sidebar([Conversation(jid: .bob)], requests: [.zhang])
    viewModel.handle(.contactsChanged([Contact(jid: .zhang)]))
    viewModel.isFocused = true
    viewModel.select(.request(.zhang))
    #expect(viewModel.items.contains { $0.isSelected })
    // The contact is known already: only its subscription changes.
    viewModel.handle(.contactsChanged([Contact(jid: .zhang, subscription: .from)]))
    #expect(outline(viewModel) == ["DIRECT", "1 - bob@example.net", "- zhang@example.net"])
    #expect(viewModel.items.contains { $0.isSelected })
  }

  @Test func `going offline forgets who is there`() {
    let viewModel = sidebar(
      [Conversation(jid: .bob)], presence: [ContactPresence(jid: .bob, availability: .online)])
    #expect(viewModel.items.last?.presence == "*")
    viewModel.handle(.connectionChanged(.offline))
    #expect(viewModel.items.last?.presence == "-")
  }

  @Test func `neighbours and unread ones are found round the end`() {
    let viewModel = sidebar([
      Conversation(jid: .bob), Conversation(jid: .chloe, unread: 1),
      Conversation(jid: .zhang, unread: 3),
    ])
    // Unread ones got the first numbers.
    #expect(viewModel.order == [.chloe, .zhang, .bob])
    #expect(viewModel.totalUnread == 4)
    #expect(viewModel.neighbour(1) == .chloe)
    viewModel.active = .bob
    #expect(viewModel.neighbour(1) == .chloe)
    #expect(viewModel.neighbour(-1) == .zhang)
    #expect(viewModel.nextUnread == .chloe)
    viewModel.active = .chloe
    #expect(viewModel.nextUnread == .zhang)
    viewModel.handle(.conversationsChanged([Conversation(jid: .zhang)]))
    #expect(viewModel.nextUnread == nil)
  }

  @Test func `the selection moves over people only and stops at the ends`() {
    let viewModel = sidebar(
      [Conversation(jid: .bob)], contacts: contacts, requests: [JID(local: "eve", domain: "x.org")])
    viewModel.isFocused = true
    #expect(viewModel.items.first(where: \.isSelected)?.name == "eve@x.org")
    viewModel.moveSelection(1)
    #expect(viewModel.selection == .conversation(.bob))
    viewModel.moveSelection(.max)
    #expect(viewModel.selection == .contact(.zhang))
    viewModel.moveSelection(1)
    #expect(viewModel.selection == .contact(.zhang))
    viewModel.moveSelection(.min)
    viewModel.moveSelection(-1)
    #expect(viewModel.selection == .request(JID(local: "eve", domain: "x.org")))
  }

  @Test func `the filter narrows the list by name and address`() {
    let viewModel = sidebar([Conversation(jid: .bob)], contacts: contacts)
    viewModel.beginFilter()
    viewModel.typeFilter("DUP")
    #expect(outline(viewModel) == ["DIRECT", ". Chloe Dupont"])
    #expect(viewModel.selection == .contact(.chloe))
    viewModel.shortenFilter()
    viewModel.typeFilter("zz")
    #expect(outline(viewModel) == ["DIRECT", "No match. Esc: all"])
    #expect(viewModel.endFilter())
    #expect(!viewModel.endFilter())
    #expect(viewModel.items.count == 4)
  }

  @Test func `a filter without a match leaves a row selected when it is shortened or ended`() {
    let viewModel = sidebar([Conversation(jid: .bob)], contacts: contacts)
    viewModel.isFocused = true
    viewModel.beginFilter()
    viewModel.typeFilter("dupz")
    #expect(viewModel.selection == nil)
    viewModel.shortenFilter()
    #expect(viewModel.selection == .contact(.chloe))
    viewModel.typeFilter("zz")
    #expect(viewModel.endFilter())
    #expect(viewModel.items.contains { $0.isSelected })
  }

  @Test func `an empty list says so`() {
    #expect(outline(sidebar()) == ["DIRECT", "No chats yet"])
  }
}
