import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// The contacts without a connection, and the page about the program.
@Suite struct OfflineSnapshotTests {
  private func contacts(_ size: Size) async -> ShellHarness {
    let ports = FakePorts.wireframe()
    await ports.confirmRoster(at: .minutes(-60))
    await ports.setConnection(.offline)
    let harness = await ShellHarness(size, ports: ports, factories: [ContactsFactory()])
    var bob = Contact(jid: .bob, name: "Bob Martin", subscription: .both)
    bob.changes = [ContactChange(id: 1, jid: .bob, operation: .rename("Bob Martin"))]
    var zhang = Contact(jid: .zhang, name: "Zhang Wei")
    zhang.changes = [
      ContactChange(
        id: 2, jid: .zhang, operation: .add(name: nil, invitation: nil),
        refusal: StatusNotice(.error, "stanza.not-allowed", ["text": "Not on this server."]))
    ]
    harness.handle(.contactsChanged([bob, zhang]))
    harness.press(Key(.function(3)))
    await harness.settle()
    return harness
  }

  @Test func `contacts without a connection at 80x24`() async {
    let harness = await contacts(Size(rows: 24, columns: 80))
    #expect(
      harness.picture == """
         F2 Chats 3 [F3 Contacts]                    alice@example.org  . offline  14:02
         / filters                    4 people |  Bob Martin
         As of 13:00; changes are pending.     |
         v CONTACTS (0/4)                      |  Address       bob@example.net
        >  . Bob Martin      change pending    |  Presence      . offline
           . Chloe Dupont    offline           |  Pending       will be renamed Bob
           . Mum             offline           |                Martin
           - Zhang Wei       change refused    |  Sharing       mutual: each sees when
                                               |                the other is online
                                               |  Last message  Friday 20 November
                                               |                14:02
                                               |
                                               |  In the list: Enter opens a chat, the
                                               |  key a adds a contact, Space closes a
                                               |  group. Right goes to this page, where
                                               |  Enter lists the actions.
                                               |
                                               |
                                               |
                                               |
                                               |
                                               |
         Offline. Alt+K connects.
        F1 Help  Enter Open  Up/Down Select  / Filter  a Add  Del Remove  ^O Go to
        """)
  }

  @Test func `contacts without a connection at 40x15`() async {
    let harness = await contacts(Size(rows: 15, columns: 40))
    #expect(
      harness.picture == """
         F2 4 [Contacts]         . offline 14:02
         / filters                     4 people
         As of 13:00; changes are pending.
         v CONTACTS (0/4)
        >  . Bob Martin       change pending
           . Chloe Dupont     offline
           . Mum              offline
           - Zhang Wei        change refused






         Offline. Alt+K connects.
        """)
  }

  @Test func `contacts without a connection at 120x30`() async {
    let harness = await contacts(Size(rows: 30, columns: 120))
    #expect(
      harness.picture == """
         F2 Chats 3 [F3 Contacts]                                                            alice@example.org  . offline  14:02
         / filters                                4 people |  Bob Martin
         As of 13:00; changes are pending.                 |
         v CONTACTS (0/4)                                  |  Address       bob@example.net
        >  . Bob Martin          change pending            |  Presence      . offline
           . Chloe Dupont        offline                   |  Pending       will be renamed Bob Martin
           . Mum                 offline                   |  Sharing       mutual: each sees when the other is online
           - Zhang Wei           change refused            |  Last message  Friday 20 November 14:02
                                                           |
                                                           |  In the list: Enter opens a chat, the key a adds a contact, Space
                                                           |  closes a group. Right goes to this page, where Enter lists the
                                                           |  actions.
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
                                                           |
         Offline. Alt+K connects.
        F1 Help  Enter Open  Up/Down Select  / Filter  a Add  Del Remove  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes
        """)
  }

  private func about(_ size: Size) async -> ShellHarness {
    let harness = await ShellHarness(
      size,
      factories: [
        MeFactory(pages: [.about { AboutViewModel(shell: $0, sources: .forTests) }])
      ])
    harness.press(Key(.function(6)), .enter)
    await harness.settle()
    return harness
  }

  @Test func `about at 80x24`() async {
    let harness = await about(Size(rows: 24, columns: 80))
    #expect(
      harness.picture == """
         F2 Chats 3 [F6 Me]                           alice@example.org  * online  14:02
                             |  > About
         > About             |
                             |  Version     Natter 1
                             |  Licence     MIT: use it as you like; it comes without
                             |              warranty.
                             |  Account     alice@example.org
                             |  CHECKS
                             |  terminal    [ok] TERM=xterm COLORTERM=
                             |  DNS         [ok] chat.example.org port 5223, direct
                             |              TLS, from SRV records
                             |  connection  [BAD] The server does not answer.
                             |  COMPONENTS
                             |  SQLite      blessing (public domain),
                             |              https://www.sqlite.org
                             |
                             |  These are the checks of natter doctor. Enter runs them
                             |  again; nothing secret is in them.
                             |
                             |
                             |
                             |

        F1 Help  Enter Open  Up/Down Select  ^O Go to  Alt+A Next unread  ^N/^P Chat
        """)
  }

  @Test func `about at 40x15 is a page that scrolls`() async {
    let harness = await about(Size(rows: 15, columns: 40))
    for _ in 0..<6 { harness.press(Key(.down)) }
    #expect(
      harness.picture == """
         F2 Chats 4 [F6 Me]       * online 14:02
         > About

         DNS         [ok] chat.example.org port
                     5223, direct TLS, from SRV
                     records
         connection  [BAD] The server does not
                     answer.
         COMPONENTS
         SQLite      blessing (public domain),
                     https://www.sqlite.org

         These are the checks of natter doctor.
         Enter runs them again; nothing secret
         is in them.
        """)
  }

  @Test func `about at 120x30`() async {
    let harness = await about(Size(rows: 30, columns: 120))
    #expect(
      harness.picture == """
         F2 Chats 3 [F6 Me]                                                                   alice@example.org  * online  14:02
                                   |  > About
         > About                   |
                                   |  Version     Natter 1
                                   |  Licence     MIT: use it as you like; it comes without warranty.
                                   |  Account     alice@example.org
                                   |  CHECKS
                                   |  terminal    [ok] TERM=xterm COLORTERM=
                                   |  DNS         [ok] chat.example.org port 5223, direct TLS, from SRV records
                                   |  connection  [BAD] The server does not answer.
                                   |  COMPONENTS
                                   |  SQLite      blessing (public domain), https://www.sqlite.org
                                   |
                                   |  These are the checks of natter doctor. Enter runs them again; nothing secret is in them.
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |

        F1 Help  Enter Open  Up/Down Select  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^Q Quit
        """)
  }

  @Test func `Enter looks at everything once more, and twice at once does no harm`() async {
    let harness = await about(Size(rows: 24, columns: 80))
    harness.press(.enter, .enter)
    await harness.settle()
    #expect(harness.picture.components(separatedBy: "TERM=xterm").count == 2)
  }
}
