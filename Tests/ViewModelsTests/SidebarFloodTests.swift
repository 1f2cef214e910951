import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Contacts that come one by one do not have all rows made for each of them.
@Suite struct SidebarFloodTests {
  @Test(arguments: [false, true])
  func `rows are made when they are shown, not for each contact that comes`(isFocused: Bool) {
    let sidebar = SidebarViewModel(format: testFormat())
    sidebar.load(
      conversations: [Conversation(jid: .bob, unread: 1, lastActivity: .afternoon)], contacts: [],
      presence: [], requests: [])
    sidebar.isFocused = isFocused
    // Each time that the rows are made it is asked whether the unread conversation is being read.
    var made = 0
    sidebar.isBeingRead = { _ in
      made += 1
      return false
    }
    for number in 0..<1000 {
      let jid = JID(local: "c\(number)", domain: "example.org")
      sidebar.handle(.contactsChanged([Contact(jid: jid, name: "C", subscription: .both)]))
      sidebar.handle(.presenceChanged([ContactPresence(jid: jid, availability: .away)]))
    }
    #expect(made == 0)
    #expect(sidebar.items.count > 1000)
    #expect(made > 0)
    // Where the selected contact goes, keys have another one to work on.
    if isFocused {
      let gone = JID(local: "c5", domain: "example.org")
      sidebar.select(.contact(gone))
      sidebar.handle(.contactsRemoved([gone]))
      #expect(sidebar.selection != .contact(gone) && sidebar.selection != nil)
    }
  }
}
