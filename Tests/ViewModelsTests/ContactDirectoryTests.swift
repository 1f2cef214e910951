import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ViewModels

/// Contacts in the palette: few are ready at once, many as soon as they are made ready aside.
@Suite struct ContactDirectoryTests {
  private static let many = ContactIndexBuilder.atOnce + 100
  private let memory = RecentChoices()

  private static func person(_ number: Int) -> Contact {
    Contact(
      jid: JID(local: "p\(number)", domain: "example.net"), name: "Person \(number + 1000)")
  }

  private func shell(_ contacts: [Contact], timers: ManualTimers = ManualTimers()) async
    -> ShellViewModel
  {
    let shell = ShellViewModel(
      FakePorts(
        conversations: [Conversation(jid: .bob), Conversation(jid: Self.person(3).jid)],
        contacts: contacts),
      timers: timers)
    await shell.load()
    await shell.finish()
    return shell
  }

  private func palette(of shell: ShellViewModel) -> PaletteViewModel {
    let palette = PaletteViewModel(
      entries: shell.paletteConversations { "\($0)" }, lazy: shell.paletteContacts,
      more: [PaletteEntry(id: "a", kind: .action, title: "Personal things") {}],
      memory: memory, localizer: english())
    palette.onRun = { $0.run() }
    return palette
  }

  private func titles(_ query: String, in palette: PaletteViewModel) -> [String] {
    palette.edit(query, cursor: query.count)
    return palette.items.map(\.title)
  }

  @Test func `conversations come before contacts, those before what can be done, no one twice`()
    async
  {
    let shell = await shell((0..<5).map(Self.person))
    let palette = palette(of: shell)
    #expect(titles("", in: palette).count == 7)
    #expect(
      titles("", in: palette).suffix(5) == [
        "Person 1000", "Person 1001", "Person 1002", "Person 1004", "Personal things",
      ])
    #expect(titles("person", in: palette).first == "Person 1003")
    #expect(titles("@person 1003", in: palette) == ["Person 1003"])
    #expect(titles("#person", in: palette) == [])
    // Added letters search the matches, among the lazy entries and the others.
    #expect(titles("person", in: palette).count == 6)
    #expect(titles("person 100", in: palette).count == 5)
    #expect(titles("persona", in: palette) == ["Personal things"])
  }

  @Test func `who was gone to lately comes first, from among the contacts, too`() async {
    let shell = await shell((0..<5).map(Self.person))
    let first = palette(of: shell)
    #expect(titles("1004", in: first) == ["Person 1004"])
    #expect(first.run())
    await shell.finish()
    let second = palette(of: shell)
    #expect(titles("", in: second).first == "Person 1004")
    #expect(titles("person", in: second).first == "Person 1004")
    #expect(titles("person", in: second).count { $0 == "Person 1004" } == 1)
  }

  @Test func `many contacts join in when they are ready, and what is selected stays`() async {
    let shell = await shell((0..<Self.many).map(Self.person))
    let palette = palette(of: shell)
    #expect(titles("", in: palette).count == 3)
    palette.moveSelection(1)
    shell.findMore(for: palette)
    await shell.finish()
    #expect(palette.items.count == 100)
    #expect(palette.items.first { $0.isSelected }?.title == "Person 1003")
    #expect(titles("person 1599", in: palette) == ["Person 1599"])
    #expect(titles("@person 1003", in: palette) == ["Person 1003"])
    // The next one has them from the start.
    #expect(titles("person 1599", in: self.palette(of: shell)) == ["Person 1599"])
  }

  @Test func `many contacts are made ready before anybody asks, and again when they have changed`()
    async
  {
    let timers = ManualTimers()
    let shell = await shell((0..<Self.many).map(Self.person), timers: timers)
    #expect(shell.paletteContacts == nil)
    timers.fire()
    await shell.finish()
    #expect(titles("person 1599", in: palette(of: shell)) == ["Person 1599"])

    let leaving = Self.person(7).jid
    shell.handle(.contactsChanged([Contact(jid: .chloe, name: "Chloe")]))
    shell.handle(.contactsRemoved([leaving]))
    // Who has gone is not shown, though the others are not put in order anew yet.
    #expect(titles("person 1007", in: palette(of: shell)) == [])
    #expect(titles("chloe", in: palette(of: shell)) == [])
    timers.fire()
    await shell.finish()
    #expect(titles("chloe", in: palette(of: shell)) == ["Chloe"])
  }

  @Test func `news that changes no name makes nothing anew`() async {
    var people = People()
    _ = people.apply(.contactsChanged([Self.person(1)]))
    let edition = people.edition
    _ = people.apply(.contactsChanged([Self.person(1)]))
    _ = people.apply(
      .presenceChanged([ContactPresence(jid: Self.person(1).jid, availability: .online)]))
    _ = people.apply(.conversationsChanged([Conversation(jid: .bob, name: "Bob")]))
    _ = people.apply(.contactsRemoved([.bob]))
    #expect(people.edition == edition)
    _ = people.apply(.conversationsChanged([Conversation(jid: Self.person(1).jid, name: "One")]))
    #expect(people.edition == edition + 1)
    _ = people.apply(.contactsRemoved([Self.person(1).jid]))
    #expect(people.edition == edition + 2)
  }

  @Test func `a contact that is a room is found among rooms`() async {
    let shell = await shell((0..<5).map(Self.person))
    shell.handle(.roomsChanged([Room(jid: Self.person(2).jid, nick: "alice")]))
    let palette = palette(of: shell)
    #expect(titles("#p2", in: palette).count == 1 && titles("@p2", in: palette).isEmpty)
  }
}
