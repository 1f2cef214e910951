import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

@Suite struct ContactCardSnapshotTests {
  private func harness(_ size: Size) async -> ShellHarness {
    let ports = FakePorts.wireframe()
    var details = ContactDetails()
    details.card = StoredCard(
      card: PersonCard([
        .fullName: "Robert Martin", .birthday: "--05-04", .city: "Lyon", .country: "France",
      ]),
      readAt: .minutes(-60))
    var phone = ContactClient(
      presence: ResourcePresence(resource: "phone", availability: .away, idleSince: .minutes(-20)))
    (phone.name, phone.version, phone.system) = ("Conversations", "2.12", "Android")
    phone.features = ["urn:xmpp:receipts", "urn:xmpp:message-correct:0"]
    details.clients = [phone]
    details.avatar = AvatarPicture(
      id: String(repeating: "a", count: 40), path: "/x", mediaType: "image/png", byteCount: 4200)
    await ports.describe(.bob, as: details)
    let harness = await ShellHarness(size, ports: ports, factories: [ContactsFactory()])
    harness.press(Key(.function(3)))
    await harness.settle()
    return harness
  }

  @Test func `a contact's card at 80x24`() async {
    let harness = await harness(Size(rows: 24, columns: 80))
    harness.press(Key(.right))
    await harness.settle()
    #expect(
      harness.picture == """
         F2 Chats 3 [F3 Contacts]                     alice@example.org  * online  14:02
         / filters                    4 people |  > Bob Martin
         v CONTACTS (3/4)                      |
        >  * Bob Martin      Back at 3         |  Address       bob@example.net
           * Mum             online            |  Presence      * online
           o Chloe Dupont    away              |  Status        "Back at 3"
           . Zhang Wei       offline           |  Sharing       mutual: each sees when
                                               |                the other is online
                                               |  Last message  Friday 20 November
                                               |                14:02
                                               |  App           Conversations 2.12,
                                               |                Android, away, idle
                                               |                since Friday 20
                                               |                November 13:40
                                               |  Supports      receipts, corrections
                                               |  Name          Robert Martin
                                               |  Birthday      --05-04
                                               |  City          Lyon
                                               |  Country       France
                                               |  Picture       PNG, 4.2 kB
                                               |  vCard         read Friday 20 November
                                               |                13:00

        F1 Help  Enter Open  Up/Down Select  ^O Go to  Alt+A Next unread  ^N/^P Chat
        """)
    #expect(await harness.ports.calls.contains("look bob@example.net"))
  }

  @Test func `a contact's card at 40x15 is a page that scrolls`() async {
    let harness = await harness(Size(rows: 15, columns: 40))
    harness.press(Key(.right))
    await harness.settle()
    for _ in 0..<8 { harness.press(Key(.down)) }
    #expect(
      harness.picture == """
         F2 Chats 4 [F3 Contacts] * online 14:02
         > Bob Martin

                       since Friday 20 November
                       13:40
         Supports      receipts, corrections
         Name          Robert Martin
         Birthday      --05-04
         City          Lyon
         Country       France
         Picture       PNG, 4.2 kB
         vCard         read Friday 20 November
                       13:00

         In the list: Enter opens a chat, the
        """)
  }

  @Test func `a contact's card at 120x30, with what can be done`() async {
    let harness = await harness(Size(rows: 30, columns: 120))
    #expect(
      harness.picture == """
         F2 Chats 3 [F3 Contacts]                                                             alice@example.org  * online  14:02
         / filters                                4 people |  Bob Martin
         v CONTACTS (3/4)                                  |
        >  * Bob Martin          Back at 3                 |  Address       bob@example.net
           * Mum                 online                    |  Presence      * online
           o Chloe Dupont        away                      |  Status        "Back at 3"
           . Zhang Wei           offline                   |  Sharing       mutual: each sees when the other is online
                                                           |  Last message  Friday 20 November 14:02
                                                           |  App           Conversations 2.12, Android, away, idle since
                                                           |                Friday 20 November 13:40
                                                           |  Supports      receipts, corrections
                                                           |  Name          Robert Martin
                                                           |  Birthday      --05-04
                                                           |  City          Lyon
                                                           |  Country       France
                                                           |  Picture       PNG, 4.2 kB
                                                           |  vCard         read Friday 20 November 13:00
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

        F1 Help  Enter Open  Up/Down Select  / Filter  a Add  Del Remove  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes
        """)
  }

  @Test func `a warning about an address that looks like a contact's comes before everything`()
    async
  {
    let harness = await harness(Size(rows: 24, columns: 80))
    harness.handle(.subscriptionRequested(JID(local: "b\u{43E}b", domain: "example.net")))
    harness.press(Key(.up), Key(.up))
    await harness.settle()
    #expect(harness.picture.contains("Careful"))
    #expect(harness.picture.contains("bob@example.net (Bob"))
    #expect(harness.picture.contains("several alphabets"))
  }
}
