import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// Text from right to left and emoji by name, in every pane that shows what people wrote.
@Suite struct TextLookTests {
  /// Shalom.
  static let shalom = "\u{5E9}\u{5DC}\u{5D5}\u{5DD}"
  static let turned = String(shalom.reversed())

  private func harness(
    orders: Bool = true, spells: Bool = false, name: String = "\(shalom) 1",
    language: String = "en"
  ) async -> ShellHarness {
    var glyphs = Glyphs.ascii
    glyphs.ordersText = orders
    let harness = await ShellHarness(
      Size(rows: 24, columns: 100),
      ports: FakePorts(
        messages: [message(1, "hello", at: 0)],
        conversations: [Conversation(jid: .bob, lastActivity: .minutes(0))],
        contacts: [Contact(jid: .bob, name: name, subscription: .both)], now: .minutes(3)),
      glyphs: glyphs, factories: [ContactsFactory(), FilesFactory()],
      files: FakeFiles(
        [file(1, "cat.png", type: "image/png", size: 9000, at: -30)].compactMap { $0 }),
      language: language, spellsEmoji: spells)
    return harness
  }

  private func checkEverywhere(
    _ harness: ShellHarness, name: String = "\(shalom) 1", shows shown: String, not hidden: String
  ) async {
    func check(_ position: String) {
      #expect(harness.picture.contains(shown), "\(position):\n\(harness.picture)")
      #expect(!harness.picture.contains(hidden), "\(position):\n\(harness.picture)")
    }
    check("chats")
    harness.press(.control("o"))
    await harness.settle()
    check("palette")
    harness.press(.escape, Key(.function(3)))
    await harness.settle()
    check("contacts")
    harness.press(.enter)
    await harness.settle()
    check("details of a contact")
    harness.press(Key(.function(5)))
    await harness.settle()
    harness.press(Key(.tab))
    check("files")
    harness.press(Key(.function(2)))
    let dialog = DialogPane(
      viewModel: DialogViewModel(
        Dialog(
          title: "Well", level: .info, lines: [.row("Name", name)],
          buttons: [.init("hide", "Hide")]), onPress: { _ in }, onCancel: {}), glyphs: .ascii,
      localizer: english())
    harness.coordinator.present(dialog)
    check("dialog")
    harness.press(.escape)
    harness.shell.show(
      StatusNotice(.info, "status.pinned", ["name": name]))
    harness.coordinator.display.drawFrame()
    check("status")
  }

  @Test func `names from right to left are in order in every pane`() async {
    await checkEverywhere(await harness(), shows: Self.turned, not: Self.shalom)
  }

  @Test func `where the terminal reorders text itself nothing is reordered`() async {
    await checkEverywhere(await harness(orders: false), shows: Self.shalom, not: Self.turned)
  }

  @Test func `emoji have their names in every pane, and in the title`() async {
    let harness = await harness(orders: false, spells: true, name: "Zo\u{1F600}")
    await checkEverywhere(harness, name: "Zo\u{1F600}", shows: "Zo:grinning", not: "\u{1F600}")
    #expect(harness.screen.title?.contains("\u{1F600}") == false)
    let plain = await self.harness(orders: false, name: "Zo\u{1F600}")
    #expect(plain.picture.contains("\u{1F600}"))
  }

  @Test(arguments: [
    ("fr", "Zo:visage_rieur:", "coeur brise", "cœur brisé"), ("zh-Hans", "Zo:嘿嘿:", "拇指向", "拇指向上"),
  ])
  func `emoji have their names in the language of the interface, and are picked by them`(
    language: String, shown: String, typed: String, picked: String
  ) async {
    let harness = await harness(
      orders: false, spells: true, name: "Zo\u{1F600}", language: language)
    #expect(harness.picture.contains(shown), "\(harness.picture)")
    harness.press(.alt("i"))
    harness.type(typed)
    #expect(harness.picture.contains(picked), "\(harness.picture)")
  }

  @Test func `a text that is spelled in another language is drawn anew`() {
    let spell: @Sendable (String) -> String = { $0 }
    let french = TextLook(spelling: spell, language: "fr")
    #expect(french == TextLook(spelling: spell, language: "fr"))
    #expect(french != TextLook(spelling: spell, language: "en"))
  }

  @Test func `what is typed into a field has its cursor where it is drawn`() async {
    let harness = await harness()
    harness.press(.control("o"))
    harness.type("a" + Self.shalom)
    let row = harness.rows.firstIndex { $0.contains("a" + Self.turned) }
    #expect(row != nil, "\(harness.picture)")
    harness.press(Key(.left))
    let position = harness.screen.cursor
    let line = harness.rows[position?.row ?? 0]
    // Before the last letter written, which is the first one drawn.
    #expect(position?.row == row && line.dropFirst(position?.column ?? 0).first == Self.shalom.last)
    // In an ordinary field nothing is different.
    harness.press(.escape, .control("o"))
    harness.type("abc")
    harness.press(Key(.left))
    let plain = harness.screen.cursor ?? Point(row: 0, column: 0)
    #expect(harness.rows[plain.row].dropFirst(plain.column).first == "c")
  }

  @Test func `columns stay where they are, and what does not fit is cut before it is reordered`() {
    let look = TextLook(ordersText: true)
    var surface = Surface(size: Size(rows: 3, columns: 12), look: look)
    surface.write("  " + Self.shalom + "  ", row: 0, column: 0)
    #expect(surface.text(row: 0) == "  " + Self.turned)
    surface.write(Self.shalom + "!", row: 1, column: 0, limit: 3)
    #expect(surface.text(row: 1) == String(Self.shalom.prefix(3).reversed()))
    surface.write(
      StyledText(runs: [.init("    ", .dim), .init(Self.shalom, .strong)]), row: 2, column: 0)
    #expect(surface.text(row: 2) == "    " + Self.turned)
    #expect(surface.roles(row: 2)[4] == .strong)
  }
}
