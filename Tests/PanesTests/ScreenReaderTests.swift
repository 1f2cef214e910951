import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

/// Every screen as somebody hears it: text alone, one thing below the other, the cursor on what is
/// selected.
@Suite struct ScreenReaderTests {
  private nonisolated static let sizes = [
    Size(rows: 15, columns: 40), Size(rows: 24, columns: 80), Size(rows: 40, columns: 120),
  ]

  /// Fails for each row that has something that is only drawn, or one thing beside another, and
  /// where there is no cursor.
  private func check(
    _ harness: ShellHarness, _ part: String, location: SourceLocation = #_sourceLocation
  ) {
    // The key that splits the screen has that name, and a file can contain anything.
    for row in harness.rows where !row.contains("bread") {
      let words = row.replacing("^X |", with: "").trimmingPrefix("|: ")
      let isDrawn =
        words.unicodeScalars.contains { (0x2500...0x259F).contains($0.value) || $0 == "|" }
        || words.contains(/[-=]{3,}|\+-|[-=]\+/)
      #expect(!isDrawn, "\(part): \(row)", sourceLocation: location)
      #expect(
        !row.contains(/\S {3,}\S/), "\(part) has columns: \(row)", sourceLocation: location)
      #expect(row.columns <= harness.screen.size.columns, sourceLocation: location)
    }
    #expect(harness.screen.cursor != nil, "\(part): no cursor", sourceLocation: location)
  }

  private func cursorRow(_ harness: ShellHarness) -> String {
    harness.screen.cursor.map { harness.rows[$0.row] } ?? ""
  }

  /// Everything with pages in a list.
  private func desktop(_ size: Size, in language: String = "en") async -> ShellHarness {
    let discover = DiscoverFactory(
      ports: DiscoverPorts(
        rooms: FakeRoomFinder(.wireframe(readAt: .minutes(0))),
        parts: FakeComponentDirectory(.wireframe(readAt: .minutes(0))),
        invitations: FakeComponentDirectory(invitations: []),
        feeds: FakeFeedReader(.wireframe(now: .minutes(0))),
        events: FakeEventPlanner(.wireframe(now: .minutes(0)))))
    let mediator = Mediator()
    let me = MeFactory(pages: [
      .profile {
        ProfileViewModel(
          shell: $0, profile: FakeProfile(ProfileSnapshotTests.card), mediator: mediator
        ) { _ in throw NatterError(.invalidInput, "error.unexpected") }
      }, .about { AboutViewModel(shell: $0, sources: .forTests) },
    ])
    return await ShellHarness(
      size, glyphs: .linear, factories: [ContactsFactory(), discover, FilesFactory(), me],
      files: FilesSnapshotTests.files(), disk: .home(), language: language)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"], sizes)
  func `every sub-app is text alone, one thing below the other`(language: String, size: Size)
    async throws
  {
    let harness = await desktop(size, in: language)
    check(harness, "the list of chats")
    harness.press(.enter)
    await harness.settle()
    check(harness, "a conversation")
    harness.type("/")
    harness.press(Key(.tab))
    #expect(harness.shell.input.completion != nil)
    check(harness, "completion")
    harness.press(.escape, .control("u"), .alt("m"))
    await harness.settle()
    check(harness, "the details of a person")
    harness.press(.alt("m"))
    for key in 3...6 {
      harness.press(Key(.function(key)))
      await harness.settle()
      for step in 0..<6 {
        check(harness, "F\(key) \(step)")
        // Discover has pages beside each other, the others a list and what belongs to it.
        harness.press(key == 4 ? Key(.right) : Key(.tab))
        await harness.settle()
        if key != 4 { harness.press(Key(.down)) }
      }
    }
  }

  @Test(arguments: ["en", "fr", "zh-Hans"], sizes)
  func `the pages of Me are text alone: settings, themes, the program`(
    language: String, size: Size
  ) async {
    let settings = await settingsHarness(size, in: language, glyphs: .linear)
    for _ in 0..<7 {
      settings.press(Key(.down))
      check(settings, "settings")
      #expect(cursorRow(settings).contains(">"))
    }
    let themes = await themesHarness(size, FakeThemes(), in: language, glyphs: .linear)
    for _ in 0..<4 {
      check(themes, "themes")
      #expect(cursorRow(themes).contains(">"))
      themes.press(Key(.down))
    }
    let person = await personHarness(size, in: language, glyphs: .linear)
    check(person, "a person")
    let several = await ShellHarness(size, glyphs: .linear, language: language)
    several.shell.show([
      AccountState(.alice, connection: .online, unread: 3),
      AccountState(
        JID(local: "a.dupont", domain: "work.example"), connection: .online, unread: 4),
    ])
    several.coordinator.display.drawFrame()
    check(several, "two accounts")
  }

  @Test(arguments: ["en", "fr", "zh-Hans"], sizes)
  func `what lies over the others has the screen to itself, from its title on`(
    language: String, size: Size
  ) async throws {
    let harness = await desktop(size, in: language)
    harness.press(.enter)
    await harness.settle()
    func shown(_ pane: any OverlayPane, _ part: String, keys: [Key] = []) {
      harness.coordinator.present(pane)
      check(harness, part)
      #expect(!harness.picture.contains("Bob: "), "\(part) lies beside others")
      for key in keys {
        harness.press(key)
        check(harness, "\(part) after \(key)")
      }
      harness.coordinator.remove(pane)
    }
    shown(
      alertPane(in: language, glyphs: .linear), "an alert", keys: [Key(.tab), Key(.down), Key(.up)])
    shown(
      helpPane(in: language, glyphs: .linear), "help",
      keys: Array(repeating: Key(.pageDown), count: 12) + [Key(.down), .character("/")])
    let question = DialogViewModel.confirmation(
      title: "Remove a contact", text: ["Remove Bob?", "The messages stay."], yes: "Remove",
      no: "Cancel", onYes: {}, onNo: {})
    shown(
      DialogPane(viewModel: question, glyphs: .linear, localizer: localizer(language)),
      "a question", keys: [Key(.down)])
    #expect(question.dialog.focusedButton?.id == "yes")
    let list = DialogViewModel.choice(
      ChoiceRequest(title: "Which?", labels: ["one", "two", "three"], selected: 0) { _ in },
      onClose: {})
    shown(
      DialogPane(viewModel: list, glyphs: .linear, localizer: localizer(language)), "a choice",
      keys: [Key(.down), Key(.end)])
    for page in 0..<OnboardingViewModel.pageCount {
      let welcome = welcome(.guide, in: language)
      welcome.guide.turn(by: page)
      shown(
        pane(welcome, glyphs: .linear, in: language), "page \(page) of the guide",
        keys: [Key(.tab), Key(.tab)])
    }
    for step in [WelcomeViewModel.Step.signIn, .register] {
      let welcome = welcome(step, in: language)
      shown(pane(welcome, glyphs: .linear, in: language), "\(step)", keys: [Key(.tab)])
    }
    let advanced = welcome(in: language)
    advanced.form.focus(on: "advanced")
    advanced.form.toggle()
    shown(pane(advanced, glyphs: .linear, in: language), "advanced", keys: [Key(.tab)])
    harness.press(.control("o"))
    await harness.settle()
    check(harness, "the palette")
    harness.type("theme")
    harness.press(Key(.down))
    check(harness, "the palette, narrowed")
    #expect(cursorRow(harness).contains(">"))
    harness.press(.escape, .alt("u"))
    await harness.settle()
    for _ in 0..<5 {
      check(harness, "the file picker")
      harness.press(Key(.down), .character(" "))
      await harness.settle()
    }
    harness.press(.escape, .control("f"))
    harness.type("the")
    await harness.settle()
    check(harness, "finding")
    harness.press(.escape, .control("x"))
    harness.timers.fire()
    check(harness, "the keys after ^X")
    harness.press(Key(.pageDown))
    check(harness, "the keys after ^X, turned")
  }

  @Test
  func
    `what others see as a glyph is heard as a word, who is there as they were when the user looked`()
    async throws
  {
    let harness = await desktop(Size(rows: 24, columns: 80))
    func row(of text: String) -> String { harness.rows.first { $0.contains(text) } ?? "" }
    #expect(row(of: "Bob Martin") == ">1 Bob Martin, online, 1", "\(harness.picture)")
    harness.handle(.presenceChanged([ContactPresence(jid: .bob, availability: .away)]))
    #expect(row(of: "Bob Martin") == ">1 Bob Martin, online, 1")
    harness.press(Key(.down))
    #expect(row(of: "Bob Martin").contains("Bob Martin, away"), "\(harness.picture)")
    harness.press(Key(.function(3)))
    await harness.settle()
    #expect(row(of: "Bob Martin").contains("Bob Martin, away"), "\(harness.picture)")
    #expect(harness.rows.contains { $0.hasSuffix("), open") })
    let themes = FakeThemes()
    themes.kept = "mine"
    let page = await themesHarness(Size(rows: 24, columns: 80), themes, glyphs: .linear)
    let shown = [
      "Natter Day, day, used by day", "Mine, night, kept",
      "Natter Night, night, used at night",
    ]
    for line in shown { #expect(page.picture.contains(line), "\(page.picture)") }
  }

  @Test func `who a conversation is with goes on in the next row, and no word is cut`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 40), glyphs: .linear)
    harness.press(.enter)
    await harness.settle()
    #expect(
      Array(harness.rows[1...2]) == [
        "< Bob Martin, online, bob@example.net,", "  \"Back at 3\"",
      ], "\(harness.picture)")
  }

  @Test func `where a list is empty, the cursor is on what says so`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), ports: FakePorts(), glyphs: .linear,
      factories: [ContactsFactory(), FilesFactory()], files: FakeFiles())
    for key in [2, 3, 5] {
      harness.press(Key(.function(key)))
      await harness.settle()
      check(harness, "F\(key)")
      #expect(!cursorRow(harness).isEmpty, "F\(key)")
    }
  }

  @Test func `in help the cursor goes from line to line`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), glyphs: .linear)
    harness.coordinator.present(helpPane(glyphs: .linear))
    let first = cursorRow(harness)
    harness.press(Key(.down))
    #expect(cursorRow(harness).contains(": "))
    #expect(cursorRow(harness) != first && harness.rows.contains(first))
    // What is below comes into sight as the cursor gets there.
    for _ in 0..<40 { harness.press(Key(.down)) }
    #expect(!harness.rows.contains(first) && !cursorRow(harness).isEmpty)
    harness.press(Key(.home))
    #expect(cursorRow(harness) == first)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"], sizes)
  func `a room on the list is spelled out: its name, how many are in it, and whether one is`(
    language: String, size: Size
  ) async {
    let service = JID(local: nil, domain: "rooms.example.org")
    let jid = JID(local: "long", domain: "rooms.example.org")
    let room = PublicRoom(
      jid: jid, directory: service,
      name: String(repeating: "a very long name of a room ", count: 6),
      topic: "what is said there", people: 12, language: "en", traits: [], isDescribed: true)
    let harness = await ShellHarness(
      size, glyphs: .linear,
      factories: [
        DiscoverFactory(
          ports: DiscoverPorts(
            rooms: FakeRoomFinder(
              RoomListing(
                directories: [RoomDirectory(jid: service, name: "Rooms", readAt: .minutes(0))],
                rooms: [room])),
            parts: FakeComponentDirectory(.wireframe(readAt: .minutes(0))),
            invitations: FakeComponentDirectory(invitations: []),
            feeds: FakeFeedReader(.wireframe(now: .minutes(0))),
            events: FakeEventPlanner(.wireframe(now: .minutes(0)))))
      ], language: language)
    harness.handle(.roomsChanged([Room(jid: jid, nick: "alice", phase: .inside)]))
    harness.press(Key(.function(4)))
    await harness.settle()
    let texts = harness.shell.format.localizer
    let row = cursorRow(harness)
    #expect(row.contains("a very lo"), "\(harness.picture)")
    #expect(
      row.contains(
        ", \(texts.plural("header.people", 12)), \(texts("discover.rooms.inside"))"), "\(row)")
    #expect(!row.contains("*"), "\(row)")
    check(harness, "a room with a long name")
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `an event spells out how many come, and no symbol of it is spoken`(language: String) async {
    let harness = await desktop(Size(rows: 24, columns: 80), in: language)
    harness.press(Key(.function(4)), Key(.right), Key(.right))
    await harness.settle()
    let texts = harness.shell.format.localizer
    #expect(harness.picture.contains(texts("discover.events.answer.yes")), "\(harness.picture)")
    #expect(!harness.picture.contains(", v,") && !harness.picture.contains(" v, "))
  }
}
