import ChatsFixtures
import Keys
import Terminal
import Testing
import Text
import ViewModels

@testable import Panes

@Suite struct HelpPaneTests {
  @Test func `a key that a pane has for itself is not listed as everywhere's`() {
    let english = english()
    func everywhere(_ table: KeyBindingTable, _ context: KeyBinding.Context) -> [HelpEntry] {
      HelpPages.pages(
        bindings: table, tabs: builtInTabs, context: context, commands: [], localizer: english)[0]
        .sections.last?.entries ?? []
    }
    let goTo = english("key.palette")
    func keys(_ entries: [HelpEntry]) -> String? { entries.first { $0.text == goTo }?.term }
    #expect(keys(everywhere(.natter, .input)) == "^O, Alt+X")
    #expect(keys(everywhere(.emacs, .input)) == "Alt+X")
    #expect(keys(everywhere(.emacs, .list)) == "^O, Alt+X")
    #expect(everywhere(.emacs, .input).contains { $0.text == english("key.nextPane") })
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `an action that changes text is listed with all its keys, also at 40 columns`(
    language: String
  ) {
    let localizer = localizer(language)
    let spelling = KeySpelling(localizer: localizer)
    let (table, _, _) = KeyBindingTable.natter.applying(
      "[editing]\n\"Ctrl+Up\" = \"backwardWord\"\n\"Alt+Up\" = \"backwardWord\"\n",
      file: "keys.toml")
    let page = HelpPages.editing(table, localizer: localizer)
    let entry = page.sections[0].entries.first { $0.text == localizer("key.backwardWord") }
    let keys: [[Key]] = [
      [.alt("b")], [Key(.left, .control)], [Key(.left, .alt)], [.control("x"), .character("b")],
      [Key(.up, .control)],
    ]
    #expect(entry?.term == keys.map { spelling($0) }.joined(separator: ", "))
    let pane = HelpPane(
      viewModel: HelpViewModel(pages: [page], localizer: localizer), glyphs: .ascii)
    var seen = ""
    for _ in 0..<8 {
      seen += picture(pane, 40, 15)
      pane.press(Key(.pageDown))
    }
    // Each whole: none is cut at the edge or broken at its blank.
    for entry in page.sections[0].entries {
      for key in entry.term.split(separator: ", ") {
        #expect(seen.contains(key), "\(key)")
      }
    }
    #expect(!seen.contains("…"))
  }

  @Test(arguments: KeyBinding.Context.allCases.filter { $0 != .editing })
  func `help has every binding of the pane and of everywhere`(context: KeyBinding.Context) {
    let localizer = english()
    let pages = HelpPages.pages(
      bindings: .natter, tabs: builtInTabs, context: context, commands: [], localizer: localizer)
    let texts = Set(pages.first?.sections.flatMap(\.entries).map(\.text) ?? [])
    let numbers = (1...10).map { "key.conversation\($0)" }
    for binding in KeyBindingTable.natter.bindings
    where binding.context == context || binding.context == .everywhere {
      if numbers.contains(binding.descriptionKey) { continue }
      if KeyAction.tabs.contains(binding.action) { continue }
      #expect(texts.contains(localizer(binding.descriptionKey)), "\(binding.action)")
    }
    #expect(texts.contains(localizer("help.conversations")))
    #expect(texts.contains("the tabs: Chats, Contacts ... Me"))
    #expect(!texts.contains { $0.hasPrefix("key.") })
  }

  @Test func `a key of another pane is on the page of the other panes`() {
    let pages = HelpPages.pages(
      bindings: .natter, tabs: builtInTabs, context: .input, commands: [], localizer: english())
    let other = pages.first { $0.id == "panes" }
    #expect(other?.sections.count == 2)
    #expect(other?.sections.flatMap(\.entries).contains { $0.term == "G" } == true)
  }

  @Test func `what is bound otherwise is listed otherwise`() {
    let table = KeyBindingTable([KeyBinding(.quit, keys: [Key(.function(9))])])
    let pages = HelpPages.pages(
      bindings: table, tabs: builtInTabs, context: .everywhere, commands: [], localizer: english())
    #expect(pages.first?.sections.flatMap(\.entries) == [HelpEntry("F9", "quit")])
    #expect(pages.first?.footer == [])
  }

  @Test func `page down reaches every key at 40x15`() {
    let pane = helpPane()
    var seen = ""
    for _ in 0..<24 {
      seen += picture(pane, 40, 15)
      pane.press(Key(.pageDown))
    }
    for text in ["new line", "suspend", "/quit", "/home/alice"] { #expect(seen.contains(text)) }
  }

  @Test func `slash searches while typing, enter ends it, esc leaves`() {
    let pane = helpPane()
    _ = picture(pane, 80, 24)
    pane.press(.character("/"))
    pane.type("unread")
    #expect(picture(pane, 80, 24).contains("next unread conversation"))
    #expect(!picture(pane, 80, 24).contains("suspend"))
    pane.press(.control("w"))
    pane.type("suspx")
    pane.press(Key(.backspace))
    #expect(picture(pane, 80, 24).contains("suspend"))
    pane.press(.enter, .escape)
    #expect(!pane.isDismissed)
    #expect(picture(pane, 80, 24).contains("THIS PANE"))
    pane.press(.escape)
    #expect(pane.isDismissed)
  }

  @Test func `g opens the guide`() {
    var guides = 0
    let pane = helpPane(onGuide: { guides += 1 })
    pane.press(.character("g"))
    #expect(guides == 1)
    #expect(pane.isDismissed)
  }

  @Test func `m shows the manual page, and the help is there afterwards`() {
    var manuals = 0
    let pane = helpPane(onManual: { manuals += 1 })
    pane.press(.character("m"))
    #expect(manuals == 1 && !pane.isDismissed)
    // In a search it is a letter.
    pane.press(.character("/"), .character("m"))
    #expect(manuals == 1)
  }

  @Test func `F1 closes what F1 opened`() {
    let pane = helpPane()
    pane.press(Key(.function(1)))
    #expect(pane.isDismissed)
  }

  @Test func `the program's keys go on`() {
    let pane = helpPane()
    #expect(pane.handle(.control("q")) == .ignored)
    #expect(pane.handle(.character("x")) == .handled)
  }

  @Test func `a search text from a hostile topic is drawn harmlessly`() {
    let text = picture(helpPane(topic: "a\u{1b}[2J\u{202E}"), 80, 24)
    #expect(!text.contains("\u{1b}") && !text.contains("\u{202E}"))
  }
}

/// The help of a pane explains the actions of that pane.
@Suite struct PaneHelpTests {
  private func reported(_ accepted: Set<KeyAction>?) -> (here: [String], elsewhere: [String]) {
    let pages = HelpPages.pages(
      bindings: .natter, tabs: builtInTabs, context: .list, accepted: accepted, commands: [],
      localizer: english())
    return (
      pages[0].sections[0].entries.map(\.text),
      pages.first { $0.id == "panes" }?.sections.flatMap(\.entries).map(\.text) ?? []
    )
  }

  @Test func `keys that a pane has no use for are listed on the page of the others`() {
    let localizer = english()
    let (here, elsewhere) = reported([.open, .selectNext])
    #expect(here.contains(localizer("key.open")) && here.contains(localizer("key.help")))
    #expect(!here.contains(localizer("key.dayOrNight")) && here.count == 3)
    #expect(elsewhere.contains(localizer("key.dayOrNight")))
    #expect(reported(nil).here.contains(localizer("key.dayOrNight")))
  }

  @Test(arguments: [1, 2, 5])
  func `a pane ignores what its help does not list`(tab: Int) async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), factories: [ContactsFactory(), FilesFactory()],
      files: FilesSnapshotTests.files())
    let desktop = harness.coordinator.desktop
    if tab > 1 { harness.press(Key(.function(tab))) }
    await harness.settle()
    for _ in 0..<3 where desktop?.context != .list { harness.press(Key(.tab)) }
    guard let accepted = desktop?.acceptedActions, desktop?.context == .list else {
      Issue.record("no list has the keys")
      return
    }
    #expect(accepted.isSuperset(of: [.open, .selectNext]) && !accepted.contains(.dayOrNight))
    guard let pane = desktop?.focusedPane as? any SubAppPane else { return }
    for action in KeyAction.allCases
    where ![.pageUp, .pageDown, .newest, .oldest].contains(action) && !accepted.contains(action) {
      #expect(pane.perform(action) == .ignored, "\(action)")
    }
  }
}
