import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// A conversation with the details of its peer beside it.
func personHarness(_ size: Size, in language: String = "en", glyphs: Glyphs = .ascii) async
  -> ShellHarness
{
  let ports = FakePorts.wireframe()
  var details = ContactDetails()
  details.card = StoredCard(
    card: PersonCard([.birthday: "--05-04", .city: "Lyon", .country: "France"]),
    readAt: .minutes(-60))
  var phone = ContactClient(
    presence: ResourcePresence(resource: "phone", availability: .online))
  (phone.name, phone.version) = ("Conversations", "2.12")
  details.clients = [phone]
  await ports.describe(.bob, as: details)
  let harness = await ShellHarness(
    size, ports: ports, glyphs: glyphs, files: FilesSnapshotTests.files(), language: language)
  // Where there is room it is there.
  if size.columns < ScreenLayout.detailsWidth { harness.press(.alt("m")) }
  harness.timers.fire()
  await harness.settle()
  return harness
}

@Suite struct PersonPaneTests {
  @Test func `where there is room the contact's details are beside the conversation, until Alt+M`()
    async
  {
    let harness = await personHarness(Size(rows: 40, columns: 120))
    for text in [" DETAILS  Alt+M", "Bob Martin", "bob@example.net", "* online", "\"Back at 3\""] {
      #expect(harness.rows.contains { $0.dropFirst(97).contains(text) }, "\(text)")
    }
    #expect(harness.rows.contains { $0.dropFirst(97).contains("Lyon") })
    #expect(harness.rows.contains { $0.dropFirst(97).contains("summit.jpg") })
    // What is typed goes on to the input.
    harness.type("hello")
    #expect(harness.shell.input.text == "hello")
    harness.press(.alt("m"))
    #expect(!harness.picture.contains("DETAILS"))
  }

  @Test func `before the input come the messages, behind it the details of the contact`() async {
    let harness = await personHarness(Size(rows: 40, columns: 120))
    var order: [FocusTarget?] = []
    for key in [Key(.tab, .shift), Key(.tab), Key(.tab), Key(.tab), Key(.tab)] {
      harness.press(key)
      order.append(harness.coordinator.desktop?.chats.focus.current)
    }
    #expect(order == [.messages, .input, .details, .sidebar, .messages])
    // A pane that is no longer on the screen leaves the keys to the input, whatever is behind it.
    var ring = FocusRing([.sidebar, .messages, .input, .details], current: .messages)
    ring.update([.sidebar, .input, .details])
    #expect(ring.current == .input)
  }

  @Test func `where there is none, or the line is slow, it waits for Alt+M`() async {
    for (columns, isSlow) in [(115, false), (120, true)] {
      let harness = await ShellHarness(Size(rows: 40, columns: columns))
      harness.coordinator.desktop?.chats.isSlow = isSlow
      harness.coordinator.screenDidResize()
      #expect(!harness.picture.contains("DETAILS"), "\(columns)")
      harness.press(.alt("m"))
      #expect(harness.picture.contains("DETAILS"), "\(columns)")
    }
  }

  @Test func `going past conversations reads nothing of their people and asks none of them`() async
  {
    let harness = await personHarness(Size(rows: 40, columns: 120))
    let looks = { await harness.ports.calls.filter { $0.hasPrefix("look") } }
    #expect(harness.picture.contains("Conversations 2.12"))
    for key in ["2", "3", "1"] as [Character] {
      harness.press(.alt(key))
      await harness.settle()
    }
    // The name needs no reading.
    #expect(harness.rows.contains { $0.dropFirst(97).contains("Bob Martin") })
    #expect(!harness.picture.contains("Conversations 2.12"))
    harness.timers.fire()
    await harness.settle()
    #expect(harness.picture.contains("Conversations 2.12"))
    #expect(await looks() == [])
    // Who hides it and wants it back asks.
    harness.press(.alt("m"), .alt("m"))
    await harness.settle()
    #expect(await looks() == ["look bob@example.net"])
    // The details are queried once the conversation has been open for a while; not while the user
    // passes by.
    harness.press(.alt("2"), Key(.tab), Key(.tab), Key(.tab, .shift), Key(.tab, .shift))
    harness.timers.fire()
    await harness.settle()
    #expect(await looks() == ["look bob@example.net"])
    harness.press(Key(.tab))
    await harness.settle()
    #expect(await looks() == ["look bob@example.net"])
    harness.timers.fire()
    await harness.settle()
    #expect(await looks() == ["look bob@example.net", "look chloe@example.net"])
  }

  @Test
  func
    `a contact whose details came a moment ago is not asked in passing; one who could not be asked is`()
    async
  {
    let harness = await personHarness(Size(rows: 40, columns: 120))
    let looks = { await harness.ports.calls.count { $0 == "look chloe@example.net" } }
    func passes() async {
      harness.press(Key(.tab, .shift), Key(.tab))
      harness.timers.fire()
      await harness.settle()
    }
    await harness.ports.answer(at: .minutes(0))
    harness.press(.alt("2"), Key(.tab))
    await harness.ports.fail("look", with: NatterError(.offline, "error.offline"))
    harness.timers.fire()
    await harness.settle()
    #expect(await looks() == 1)
    await harness.ports.fail("look", with: nil)
    await passes()
    #expect(await looks() == 2)
    await passes()
    #expect(await looks() == 2)
  }

  @Test func `over the conversation it has the keys: it scrolls, and Esc goes back`() async {
    let harness = await personHarness(Size(rows: 15, columns: 40))
    #expect(harness.rows[2].contains("DETAILS"))
    #expect(harness.picture.contains("Bob Martin") && !harness.picture.contains("Card"))
    harness.press(.character("G"))
    #expect(harness.picture.contains("Card") && !harness.rows[5].contains("bob@example.net"))
    harness.press(.character("g"), .character("j"), .character("k"))
    #expect(harness.rows[5].contains("bob@example.net"))
    harness.press(.escape)
    #expect(!harness.picture.contains("DETAILS"))
    #expect(harness.rows[14].hasPrefix("> "))
  }

  @Test func `the details change with the conversation, and a file that comes is there`()
    async throws
  {
    let harness = await personHarness(Size(rows: 40, columns: 120))
    harness.press(.alt("2"))
    harness.timers.fire()
    await harness.settle()
    #expect(harness.rows.contains { $0.dropFirst(97).contains("Chloe Dupont") })
    #expect(!harness.rows.contains { $0.dropFirst(97).contains("Bob Martin") })
    let offered = try #require(file(90, "new.txt", from: .chloe, in: .chloe, at: 3))
    await harness.files?.add(offered)
    harness.handle(.messagesStored([offered.message]))
    await harness.settle()
    #expect(harness.rows.contains { $0.dropFirst(97).contains("new.txt") })
  }

  @Test func `with no conversation open there are no details to show`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), ports: FakePorts())
    harness.press(.alt("m"))
    #expect(harness.picture.contains("No conversation is open. /chat name@server"))
  }
}
