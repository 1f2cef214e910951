import ChatsFixtures
import NatterCore
import TestSupport
import Testing
import Text
import XMPP

@testable import ViewModels

/// Hidden conversations are found by a search, and opened again.
@Suite struct HiddenFindingTests {
  private let coffee = JID(local: "coffee", domain: "rooms.example.net")
  private let erin = JID(local: "erin", domain: "example.net")
  private let ports = FakePorts(
    conversations: [Conversation(jid: .bob), Conversation(jid: .chloe)],
    contacts: [Contact(jid: .bob, name: "Bob Martin")])

  private func shell() async -> ShellViewModel {
    let shell = ShellViewModel(ports)
    await shell.load()
    await shell.finish()
    return shell
  }

  private func found(_ query: String, in shell: ShellViewModel) -> PaletteViewModel {
    let palette = PaletteViewModel(
      entries: shell.paletteConversations { "Alt+\($0)" }, lazy: shell.paletteContacts,
      more: shell.paletteHidden, memory: RecentChoices(), localizer: english(),
      fallback: { shell.paletteFallback($0) })
    palette.onRun = { $0.run() }
    palette.edit(query, cursor: query.count)
    return palette
  }

  @Test(arguments: ["coffee", "#coffee"])
  func `a room that was hidden is found by its name, behind all that is on the list`(query: String)
    async
  {
    await ports.hide([Conversation(jid: coffee, kind: .room, name: "Coffee & tea")])
    let shell = await shell()
    #expect(shell.paletteHidden.last?.title == "Coffee & tea")
    let palette = found(query, in: shell)
    #expect(palette.items.map(\.title) == ["Coffee & tea"] && palette.items[0].glyph == "#")
    #expect(palette.run())
    await shell.finish()
    #expect(shell.activeConversation == coffee)
    #expect(shell.sidebar.conversation(coffee)?.kind == .room)
    #expect(shell.sidebar.hidden.isEmpty)
  }

  @Test func `a room that the user is not in is found by its bookmark, and how to go in is said`()
    async
  {
    await ports.hide([])
    let shell = await shell()
    shell.handle(.roomsChanged([Room(jid: coffee, name: "Coffee & tea", nick: "alice")]))
    #expect(found("coffee", in: shell).items.map(\.title) == ["Coffee & tea"])
    shell.type("/join coff")
    #expect(shell.input.complete() && shell.input.text.hasPrefix("/join \(coffee)"))
    shell.type("")
    #expect(found("coffee", in: shell).run())
    await shell.finish()
    #expect(shell.activeConversation == coffee)
    #expect(shell.timeline.items.last?.body.contains("/join \(coffee) joins it") == true)
  }

  @Test func `a stranger is found once the conversation with them was hidden`() async {
    await ports.hide([])
    let shell = await shell()
    shell.open(erin)
    await shell.finish()
    shell.close(erin)
    await shell.finish()
    #expect(found("@erin", in: shell).items.map(\.title) == [erin.description])
    // A contact that is found is not offered once more as an unknown address.
    #expect(found(erin.description, in: shell).items.count == 1)
    shell.type("/chat eri")
    #expect(shell.input.complete() && shell.input.text == "/chat \(erin) ")
    shell.type("/chat erin")
    shell.submit()
    await shell.finish()
    #expect(shell.activeConversation == erin)
  }

  @Test func `a name leads to what is hidden only where no one else has it`() async throws {
    let other = JID(local: "bob", domain: "elsewhere.example")
    await ports.hide([Conversation(jid: other)])
    let shell = await shell()
    #expect(try shell.person("bob") == .bob)
    #expect(try shell.person("bob@else") != .bob)
  }

  @Test func `a command with its arguments goes into the input, before all that matches its text`()
    async
  {
    let shell = await shell()
    var palette = found("/topic hello  world", in: shell)
    #expect(palette.items.map(\.title) == ["Insert into the input line: /topic hello world"])
    #expect(palette.run() && shell.input.text == "/topic hello  world")
    let status = PaletteEntry(id: "s", kind: .command, title: "/status", keywords: "away") {}
    palette = PaletteViewModel(
      entries: [status], memory: RecentChoices(), localizer: english(),
      fallback: { shell.paletteFallback($0) })
    palette.edit("/status away", cursor: 12)
    #expect(palette.items.map(\.id) == ["line", "s"])
    for none in ["/topic", "/nothing like this", "//topic hello", "topic hello"] {
      #expect(shell.paletteFallback(none).isEmpty, "\(none)")
    }
  }
}

/// Unread messages of another account.
@Suite struct UnreadElsewhereTests {
  private let work = JID(local: "a", domain: "work.example")
  private let club = JID(local: "a", domain: "club.example")

  @Test func `with nothing unread here the next account that has something is gone to`() async {
    var shown: [JID] = []
    var actions = ShellActions.forTests()
    actions.showUnread = { shown.append($0) }
    let shell = ShellViewModel(
      FakePorts(
        conversations: [
          Conversation(jid: .bob, unread: 1), Conversation(jid: .chloe, lastActivity: .afternoon),
        ]), actions: actions)
    await shell.load()
    await shell.finish()
    shell.show([AccountState(work, unread: 2), AccountState(.alice), AccountState(club)])
    shell.openNextUnread()
    #expect(shell.activeConversation == .bob && shown.isEmpty)
    await shell.finish()
    shell.openNextUnread()
    #expect(shown == [work])
    shell.show([AccountState(work, unread: 2), AccountState(.alice), AccountState(club, unread: 1)])
    shell.openNextUnread()
    #expect(shown == [work, club])
    shell.show([AccountState(work), AccountState(.alice), AccountState(club)])
    shell.openNextUnread()
    #expect(shown.count == 2 && shell.status.message.text == "No unread messages.")
  }

  @Test func `going to unread messages stays where they are shown, or goes to them`() async {
    let shell = ShellViewModel(
      FakePorts(
        conversations: [
          Conversation(jid: .bob, lastActivity: .afternoon), Conversation(jid: .chloe, unread: 1),
        ]))
    await shell.load()
    await shell.finish()
    shell.openUnreadHere()
    #expect(shell.activeConversation == .chloe)
    shell.handle(
      .conversationsChanged([
        Conversation(jid: .bob, unread: 1), Conversation(jid: .chloe, unread: 1),
      ]))
    shell.openUnreadHere()
    #expect(shell.activeConversation == .chloe)
  }
}

@Suite struct SearchFormTests {
  @Test(arguments: [
    ("Zoë", "zoe"), ("Zoe\u{308}", "zoe"), ("ÉLAN", "elan"), ("Ťřž", "trz"), ("İzmir", "izmir"),
    ("Ελένη", "ελενη"), ("Việt", "viet"), ("北京 Ab", "北京 ab"), ("한글", "한글"), ("ガ", "ガ"),
    ("plain", "plain"), ("", ""),
  ])
  func `what is looked for has neither case nor marks`(text: String, form: String) {
    #expect(SearchForm.of(text) == form)
    #expect(SearchForm.of(form) == form)
    #expect(SearchForm.of(text).unicodeScalars.elementsEqual(form.unicodeScalars))
  }

  @Test func `names are found without their accents, however either is written`() {
    let index = FuzzyIndex(["Élan Zoë", "Chlo\u{E9}"])
    for query in ["zoe", "ZOË", "elan z", "Zoe\u{308}"] {
      #expect(index.matches(query).map(\.index) == [0], "\(query)")
    }
    #expect(index.matches("Chloe\u{301}").map(\.index) == [1])
    #expect(index.containing("chloe") == [1])
  }

  @Test func `lists and completion find names without their accents`() async {
    let zoe = JID(local: "z", domain: "example.net")
    let ports = FakePorts(
      conversations: [Conversation(jid: .bob)], contacts: [Contact(jid: zoe, name: "Élan Zoë")])
    let shell = ShellViewModel(ports)
    await shell.load()
    await shell.finish()
    shell.sidebar.isFocused = true
    shell.sidebar.beginFilter()
    shell.sidebar.typeFilter("zoe")
    #expect(shell.sidebar.items.filter(\.isSelectable).map(\.name) == ["Élan Zoë"])
    shell.type("/chat elan")
    #expect(shell.input.complete() && shell.input.text == "/chat \(zoe) ")
    shell.type("ela")
    #expect(shell.input.complete() && shell.input.text == "Élan ")
  }
}
