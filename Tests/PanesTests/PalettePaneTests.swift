import ChatsFixtures
import Keys
import Terminal
import TestSupport
import Testing
import ViewModels

@testable import Panes

@Suite struct PalettePaneTests {
  @Test func `the palette at 80x24 finds, shows keys, and goes there`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.press(.control("o"))
    #expect(harness.picture.contains("Go to or run"))
    harness.type("chl")
    #expect(
      harness.rows.contains {
        $0.contains("> @ Chloe Dupont  chloe@example.net") && $0.contains("Alt+2")
      })
    harness.press(.enter)
    await harness.settle()
    #expect(harness.shell.activeConversation == .chloe)
    #expect(!harness.picture.contains("Go to or run"))
  }

  @Test func `an action is done and a command that needs more is begun`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.press(.alt("x"))
    harness.type("day or n")
    harness.press(.enter)
    #expect(harness.done == ["theme"])
    harness.press(.control("o"))
    harness.type("/msg")
    harness.press(.enter)
    #expect(harness.shell.input.text == "/msg ")
  }

  @Test func `at 40x15 it has the screen, and esc gives it back`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    let before = harness.picture
    harness.press(.control("x"), .character("x"))
    #expect(harness.rows[0].contains("Go to or run"))
    harness.press(.escape)
    #expect(harness.picture == before)
  }

  /// The actions that the palette offers now, by their names.
  private func offered(_ harness: ShellHarness) -> Set<String> {
    let entries = harness.coordinator.desktop?.paletteActions(bindings: .natter) { _ in } ?? []
    return Set(
      entries.filter { $0.kind == .action }.map { String($0.id.dropFirst("action ".count)) })
  }

  @Test func `every action is in the palette while something takes it that has the keys`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 100),
      factories: [
        ContactsFactory(), FilesFactory(),
        MeFactory(pages: [
          .themes(FakeThemes().actions), .settings("ui", SettingsLog().actions),
        ]),
      ], files: FilesSnapshotTests.files())
    var seen = offered(harness)
    #expect(seen.isSuperset(of: ["send", "undo", "cutToBlank", "transposeWords", "quit", "pin"]))
    #expect(seen.isDisjoint(with: ["sort", "selectNext", "lineUp", "dayOrNight", "palette"]))
    harness.press(Key(.tab, .shift))
    #expect(offered(harness).contains("lineUp") && !offered(harness).contains("undo"))
    seen.formUnion(offered(harness))
    for key in [3, 5, 6] {
      harness.press(Key(.function(key)))
      await harness.settle()
      for _ in 0..<2 {
        seen.formUnion(offered(harness))
        harness.press(Key(.tab))
      }
    }
    let here = KeyAction.allCases.filter {
      $0 != .palette && !KeyAction.conversationNumbers.contains($0) && !KeyAction.tabs.contains($0)
    }
    #expect(here.filter { !seen.contains($0.rawValue) } == [])
  }

  @Test func `in each tab the palette offers nothing that there is nothing for`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 100),
      factories: [
        ContactsFactory(), FilesFactory(),
        MeFactory(pages: [.settings("ui", SettingsLog().actions)]),
      ], files: FilesSnapshotTests.files())
    for id in [SubAppID.contacts, .files, .me] {
      for steps in 0..<2 {
        harness.coordinator.desktop?.open(id)
        if steps > 0 { harness.press(Key(.tab)) }
        await harness.settle()
        let pane = harness.coordinator.desktop?.focusedPane
        let names = offered(harness)
        #expect(names.isSuperset(of: ["quit", "selectNext", "pageDown", "newest", "pickFiles"]))
        #expect(
          names.isDisjoint(with: ["find", "hideConversation", "copyMessage", "plainView", "links"]))
        for name in names.sorted() {
          #expect(harness.coordinator.perform(named: name))
          let reported = harness.shell.status.message.text
          #expect(!reported.contains("Not available here"), "\(id) \(name): \(reported)")
          for overlay in harness.coordinator.openOverlays { harness.coordinator.remove(overlay) }
          harness.coordinator.desktop?.open(id)
          if harness.coordinator.desktop?.focusedPane !== pane { harness.press(Key(.tab)) }
          #expect(harness.coordinator.desktop?.focusedPane === pane, "\(id) \(name)")
        }
      }
    }
  }

  @Test func `without a conversation there is none to hide in the palette`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 100))
    #expect(offered(harness).contains("hideConversation"))
    for _ in 0..<99 where harness.shell.activeConversation != nil {
      _ = harness.coordinator.perform(named: "hideConversation")
      await harness.settle()
    }
    #expect(harness.shell.activeConversation == nil)
    #expect(!offered(harness).contains("hideConversation"))
  }

  @Test func `what belongs to Chats says so in the other tabs`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 100), factories: [ContactsFactory(), FilesFactory()])
    for (name, tabs) in [
      ("hideConversation", "Chats"), ("find", "Chats"), ("toggleDetails", "Chats"),
      ("links", "Chats"), ("copyMessage", "Chats"), ("send", "Chats"), ("pin", "Chats"),
      ("viewPicture", "Chats, Files"), ("saveAs", "Files"),
    ] {
      harness.press(Key(.function(2)), Key(.function(3)))
      #expect(harness.coordinator.perform(named: name))
      #expect(
        harness.shell.status.message.text.hasSuffix(" It works in: \(tabs)."), "\(name)")
    }
  }

  @Test func `what changes text is done by name, and by what is chosen in the palette`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    harness.type("some words")
    #expect(harness.coordinator.perform(named: "cutToBlank"))
    #expect(harness.shell.input.text == "some ")
    harness.press(.control("o"))
    harness.type("undo a text change")
    harness.press(.enter)
    #expect(harness.shell.input.text == "some words")
    harness.press(.control("u"))
    #expect(harness.coordinator.perform(named: "yank"))
    #expect(harness.shell.input.text == "some words")
  }

  @Test func `that there is no text to change is reported for a name and not for a key`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    for (name, key) in [("undo", Key.control("_")), ("cutToBlank", .control("w"))] {
      // A line that was sent, or run, leaves nothing to undo.
      harness.type("/redraw")
      harness.press(.enter, key)
      #expect(!harness.shell.status.message.text.contains("Not available here"))
      #expect(harness.coordinator.perform(named: name))
      #expect(harness.shell.status.message.text.contains("Not available here"), "\(name)")
    }
  }

  @Test func `an action that has nothing to act on is reported, and where it belongs`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 100), factories: [ContactsFactory(), MeFactory(pages: [])])
    for (name, key) in [
      ("sort", "Contacts"), ("refresh", "Lists"), ("toggle", "Contacts, Me"), ("saveAs", "Lists"),
      ("dayOrNight", "Me"),
    ] {
      harness.type("/redraw")
      harness.press(.enter)
      #expect(!harness.picture.contains("Not available here"))
      #expect(harness.coordinator.perform(named: name))
      #expect(harness.picture.contains("Not available here"), "\(name)")
      #expect(harness.shell.status.message.text.hasSuffix("It works in: \(key)."))
    }
    // In the contacts there is no conversation to hide, and an order to change.
    harness.press(Key(.function(3)))
    #expect(harness.coordinator.perform(named: "hideConversation"))
    #expect(
      harness.picture.contains(
        "Not available here: hide this conversation. It works in: Chats."))
    harness.press(Key(.function(2)), Key(.function(3)))
    #expect(harness.coordinator.perform(named: "sort"))
    #expect(!harness.picture.contains("Not available here"))
  }

  @Test func `a hidden conversation is restored by a key that is shown, whatever is in the input`()
    async
  {
    let harness = await ShellHarness(Size(rows: 24, columns: 120))
    harness.press(.alt("2"))
    harness.type("half a tho")
    harness.press(.alt("1"), .alt("w"))
    await harness.settle()
    #expect(harness.shell.activeConversation == .chloe && harness.shell.input.text == "half a tho")
    #expect(
      harness.picture.contains("Bob Martin is hidden. Alt+Y brings the conversation back."))
    harness.press(.alt("y"))
    await harness.settle()
    #expect(
      harness.shell.activeConversation == .bob && harness.picture.contains("is in the list again."))
    // Who looks for it in the palette has it before that of the text.
    harness.press(.alt("w"))
    await harness.settle()
    harness.press(.control("o"))
    harness.type("undo")
    #expect(
      harness.rows.contains {
        $0.contains(">   Undo a list change") && $0.contains("Alt+Y")
      })
    harness.press(.enter)
    await harness.settle()
    #expect(harness.shell.activeConversation == .bob)
  }

  @Test(arguments: [Size(rows: 24, columns: 100), Size(rows: 15, columns: 40)])
  func `a filter that is asked for by name is typed into, and Esc ends it`(_ size: Size) async {
    let harness = await ShellHarness(size)
    #expect(harness.coordinator.perform(named: "filter"))
    harness.type("chl")
    #expect(harness.shell.sidebar.filter == "chl" && harness.shell.input.text == "")
    harness.press(.escape)
    #expect(harness.shell.sidebar.filter == nil)
    #expect(harness.coordinator.perform(named: "selectLast"))
    #expect(harness.coordinator.desktop?.context == .list)
  }

  @Test func `an address shows something, and neither sends nor ends anything`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    #expect(harness.coordinator.perform(named: "toggleTheme"))
    #expect(!harness.coordinator.perform(named: "nonsense"))
    // Anybody may have written it.
    for name in ["send", "sendAndNext", "quit", "interrupt", "remove", "nonsense"] {
      #expect(!Desktop.shows(actionNamed: name))
    }
    for name in ["help", "tab2", "conversation3"] { #expect(Desktop.shows(actionNamed: name)) }
  }
}
