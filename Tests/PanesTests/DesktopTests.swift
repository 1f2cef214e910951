import ChatsFixtures
import Keys
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// A sub-app as somebody would add one: its panes and its factory, and nothing else.
private struct NotesFactory: SubAppFactory {
  static let tab = SubAppTab(
    SubAppID(rawValue: "notes"), position: 6, names: ["en": "Notebooks", "fr": "Carnets"],
    texts: ["en": "what is to be kept", "fr": "ce qui est à garder"])
  let accent = StyleRole.nick5

  func makeSubApp(in frame: ShellFrame) -> any SubApp {
    PanedSubApp(
      frame: frame,
      parts: PanedSubApp.Parts {
        DetailPane(frame: frame, accent: accent, invalidation: Invalidation()) {
          ("Notes", [DetailItem("Milk", "two litres")], "")
        }
      })
  }
}

@Suite struct DesktopTests {
  private func harness(
    _ size: Size = Size(rows: 24, columns: 80), _ changes: SettingsLog = SettingsLog()
  ) async
    -> ShellHarness
  {
    await ShellHarness(
      size,
      factories: [
        MeFactory(pages: [
          .settings("ui", changes.actions),
          .about { AboutViewModel(shell: $0, sources: .forTests) },
        ]),
        ContactsFactory(), NotesFactory(),
      ])
  }

  @Test
  func `a further sub-app takes one factory, and is reached by key, by mouse and by ctrl-x tab`()
    async
  {
    let harness = await harness(Size(rows: 20, columns: 100))
    #expect(
      harness.rows[0].hasPrefix("[F2 Chats 3] F3 Contacts  F6 Me  F8 Notebooks "),
      "\(harness.rows[0])")
    harness.press(Key(.function(8)))
    #expect(harness.rows[0].hasPrefix(" F2 Chats 3  F3 Contacts  F6 Me [F8 Notebooks]"))
    #expect(harness.picture.contains("Milk  two litres"))
    harness.press(.control("x"), Key(.tab))
    #expect(harness.rows[0].hasPrefix("[F2 Chats 3]"))
    // Its key is shown where it works, and nowhere else.
    #expect(KeyBindingTable.natter.match([Key(.function(8))], in: .everywhere) == .none)
    #expect(!KeyBindingTable.natter.commentedFile(english()).contains("tab6"))
    harness.coordinator.use(.emacs)
    let bindings = harness.coordinator.desktop?.frame.bindings
    #expect(bindings?.match([Key(.function(8))], in: .everywhere) == .action(.tab6))
    #expect(bindings?.match([.control("f")], in: .input) == .action(.forwardCharacter))
    harness.coordinator.handle(
      .mouse(MouseEvent(.press, button: 1, at: Point(row: 0, column: 35))))
    #expect(harness.picture.contains("Milk  two litres"))
  }

  @Test(arguments: [
    ("en", "Notebooks", "what is to be kept"), ("fr", "Carnets", "ce qui est à garder"),
  ])
  func `help and the guide list a further sub-app by themselves`(
    language: String, name: String, text: String
  ) {
    let tabs = builtInTabs + [SubAppRegistration<Void> { NotesFactory() }.tab]
    let help = HelpPages.pages(
      bindings: .natter, tabs: tabs, context: .list, commands: [], localizer: localizer(language))
    let entry = help[0].sections.flatMap(\.entries).first { $0.text.hasSuffix("... " + name) }
    #expect(entry?.term == "F2..F6, F8")
    let guide = pane(welcome(.guide, in: language, tabs: tabs), in: language)
    let page = picture(guide, 100, 30)
    #expect(page.contains("F6 ") && page.contains("F8 " + name) && page.contains(text), "\(page)")
    #expect(!picture(pane(welcome(.guide, in: language), in: language), 100, 30).contains("F8"))
  }

  @Test func `what has come while the finder is open is found at once, and once`() async {
    let harness = await harness()
    var themes = ["night"]
    harness.coordinator.desktop?.moreEntries = {
      themes.map {
        PaletteEntry(id: "theme \($0)", kind: .setting, title: "Theme \($0)") {}
      }
    }
    harness.press(.control("o"))
    harness.type("theme mine")
    #expect(!harness.picture.contains("Theme mine"))
    themes.append("mine")
    for _ in 0..<2 { harness.coordinator.offerMore() }
    #expect(harness.rows.count { $0.contains("Theme mine") } == 1)
    // Nothing is kept of a finder that is closed.
    harness.press(.escape)
    harness.coordinator.offerMore()
    #expect(!harness.picture.contains("Theme mine"))
  }

  @Test(arguments: [
    ("en", "part", "/leave"), ("fr", "/aide", "/help"), ("fr", "rejoindre", "/join"),
    ("fr", "discuter", "/chat"), ("zh-Hans", "加入", "/join"), ("zh-Hans", "/帮助", "/help"),
  ])
  func `the finder knows commands by all their names`(
    language: String, typed: String, command: String
  ) async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), language: language)
    harness.press(.control("o"))
    harness.type(typed)
    #expect(harness.rows.prefix(8).contains { $0.contains(command) }, "\(harness.picture)")
  }

  @Test func `a line that the finder begins is among the chats, wherever that was opened`() async {
    let harness = await harness()
    harness.press(Key(.function(6)))
    #expect(harness.coordinator.desktop?.openID == .me)
    harness.press(.control("o"))
    harness.type("/me waves")
    harness.press(.enter)
    #expect(harness.coordinator.desktop?.openID == .chats)
    #expect(harness.picture.contains("> /me waves"))
  }

  @Test func `a tab that is not there is reported, and the others keep their keys`() async {
    let harness = await harness()
    harness.press(Key(.function(4)))
    #expect(harness.picture.contains("There is no such tab."))
    #expect(harness.coordinator.desktop?.openID == .chats)
    harness.press(Key(.function(6)))
    #expect(harness.coordinator.desktop?.openID == .me)
  }

  @Test func `going to another sub-app and back keeps position and draft`() async {
    let harness = await harness()
    harness.type("half a thou")
    let before = harness.picture
    harness.press(Key(.function(3)), Key(.down), Key(.function(6)), Key(.down), Key(.function(2)))
    #expect(harness.picture == before)
    harness.press(Key(.function(6)))
    #expect(harness.picture.contains("> About"))
  }

  @Test func `keys for conversations lead back to the chats`() async {
    let harness = await harness()
    harness.press(Key(.function(3)), .alt("2"))
    #expect(harness.coordinator.desktop?.openID == .chats)
    #expect(harness.rows[1].contains("Chloe"))
  }

  @Test func `messages are not read behind another sub-app`() async {
    let harness = await harness()
    #expect(harness.shell.timeline.isAttended)
    harness.press(Key(.function(3)))
    #expect(!harness.shell.timeline.isAttended)
    harness.press(Key(.function(2)))
    #expect(harness.shell.timeline.isAttended)
  }

  @Test func `the tab bar gives up names, then tabs, but never the open one`() async {
    #expect(await harness(Size(rows: 24, columns: 60)).rows[0].hasPrefix("[Chats 3] F3  F6  F8 "))
    let narrow = await harness(Size(rows: 15, columns: 40))
    #expect(narrow.rows[0].hasPrefix("[Chats 4] F3  F6  F8 "))
    #expect(narrow.rows[0].hasSuffix("* online 14:02"))
    let least = await harness(Size(rows: 12, columns: 30))
    #expect(least.rows[0].hasPrefix("[Chats 4]"))
  }

  @Test func `requests are counted on the tab of the contacts`() async {
    let harness = await harness()
    harness.handle(.subscriptionRequested(.zhang))
    #expect(harness.rows[0].contains(" F3 Contacts 1 "))
  }

  @Test func `a screen too small for a sub-app is reported as for the chats`() async {
    let harness = await harness(Size(rows: 6, columns: 50))
    harness.press(Key(.function(6)))
    #expect(harness.picture.contains("Natter needs 30x8"))
  }

  // MARK: Contacts

  @Test func `contacts at 80x24`() async {
    let harness = await harness()
    harness.handle(
      .contactsChanged([
        Contact(jid: .bob, name: "Bob Martin", subscription: .both, groups: ["Friends"]),
        Contact(jid: .chloe, name: "Chloe Dupont", subscription: .to, groups: ["Friends", "Work"]),
      ]))
    harness.handle(.subscriptionRequested(JID(local: "dave", domain: "example.com")))
    harness.press(Key(.function(3)), Key(.down), Key(.down))
    #expect(
      harness.picture == """
         F2 Chats 3 [F3 Contacts 1] F6 Me  F8 Notebooks                   * online 14:02
         / filters                    4 people |  Bob Martin
         v REQUESTS (1)                        |
           ? dave@example.com  wants to add y~ |  Address       bob@example.net
         v FRIENDS (2/2)                       |  Presence      * online
        >  * Bob Martin      Back at 3         |  Status        "Back at 3"
           o Chloe Dupont    away              |  Sharing       mutual: each sees when
         v WORK (1/1)                          |                the other is online
           o Chloe Dupont    away              |  Groups        Friends
         v CONTACTS (1/2)                      |  Last message  Friday 20 November
           * Mum             online            |                14:02
           . Zhang Wei       offline           |
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

        F1 Help  Enter Open  Up/Down Select  / Filter  a Add  Del Remove  ^O Go to
        """)
  }

  @Test func `contacts at 40x15 are a page, and enter opens the conversation`() async {
    let harness = await harness(Size(rows: 15, columns: 40))
    harness.press(Key(.function(3)))
    #expect(
      harness.picture == """
         F2 4 [Contacts] F6  F8   * online 14:02
         / filters                     4 people
         v CONTACTS (3/4)
        >  * Bob Martin       Back at 3
           * Mum              online
           o Chloe Dupont     away
           . Zhang Wei        offline








        """)
    harness.press(.enter)
    await harness.settle()
    #expect(harness.coordinator.desktop?.openID == .chats)
    #expect(harness.rows[1].hasPrefix("< Bob Martin"))
  }

  @Test func `a filter finds people by name and address and enter opens what was found`() async {
    let harness = await harness()
    harness.press(Key(.function(3)))
    harness.press(.character("/"))
    harness.type("chlo")
    #expect(harness.picture.contains("Filter: chlo"))
    #expect(!harness.picture.contains("Bob Martin  "))
    harness.press(.enter)
    await harness.settle()
    #expect(harness.shell.activeConversation == .chloe)
    #expect(harness.coordinator.desktop?.openID == .chats)
  }

  @Test func `groups are closed and opened, and a search looks into closed ones`() async {
    let harness = await harness()
    harness.press(Key(.function(3)))
    #expect(harness.picture.contains("Mum"))
    harness.press(.character(" "))
    #expect(harness.picture.contains("> CONTACTS (3/4)"))
    #expect(!harness.rows.dropFirst(3).contains { $0.contains("Mum") })
    harness.press(.character("/"))
    harness.type("mum")
    #expect(harness.rows.contains { $0.contains("* Mum") })
    harness.press(.escape, .character(" "))
    #expect(harness.picture.contains("v CONTACTS (3/4)"))
  }

  @Test func `no contacts is a sentence that says what to do`() async {
    let harness = await ShellHarness(
      Size(rows: 20, columns: 80), ports: FakePorts(now: .minutes(3)),
      factories: [ContactsFactory()])
    harness.press(Key(.function(3)))
    #expect(harness.picture.contains("Press a to add"))
  }

  // MARK: Me

  @Test func `settings at 80x24`() async {
    let harness = await harness()
    harness.press(Key(.function(6)), .enter, Key(.down))
    #expect(
      harness.picture == """
         F2 Chats 3  F3 Contacts [F6 Me] F8 Notebooks                     * online 14:02
                             | > Appearance
         > Appearance        |
           About             |   Theme  night
                             | > Clock  on
                             |
                             | Show the time of day.
                             | By default: on
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

        F1 Help  Enter Open  Up/Down Select  Left/Right Change  ^O Go to
        """)
  }

  @Test func `settings at 40x15 are a page behind the list`() async {
    let harness = await harness(Size(rows: 15, columns: 40))
    harness.press(Key(.function(6)))
    #expect(harness.rows[2].hasPrefix(" > Appearance"))
    harness.press(.enter)
    #expect(harness.rows[1].hasPrefix(" > Appearance"))
    #expect(harness.rows[3].contains("Theme"))
    harness.press(.escape)
    #expect(harness.rows[2].hasPrefix(" > Appearance"))
  }

  @Test func `a switch is toggled, a change is reported, and del brings the default back`() async {
    let log = SettingsLog()
    let harness = await harness(Size(rows: 24, columns: 80), log)
    harness.press(Key(.function(6)), .enter, Key(.down), .character(" "))
    #expect(log.changes == ["ui.clock=false"])
    #expect(harness.picture.contains("Saved."))
    harness.press(Key(.right))
    #expect(log.changes.last == "ui.clock=true")
    harness.press(Key(.left), Key(.delete))
    #expect(log.changes.last == "ui.clock=-")
    #expect(harness.picture.contains("Clock  on"))
  }

  @Test func `a value that is refused is reported and nothing changes`() async {
    let log = SettingsLog()
    log.refuses = true
    let harness = await harness(Size(rows: 24, columns: 80), log)
    harness.press(Key(.function(6)), .enter, Key(.down), .enter)
    #expect(harness.picture.contains("Invalid value ") && harness.picture.contains("for clock."))
    #expect(harness.picture.contains("Clock  on"))
  }
}

/// Settings in memory.
final class SettingsLog {
  var changes: [String] = []
  var refuses = false
  private var values = ["theme": "night", "clock": "true"]
  private let standard = ["theme": "auto", "clock": "true"]

  var actions: SettingsActions {
    SettingsActions(
      read: { [self] in
        [
          SettingState(
            id: .init("ui", "theme"), kind: .choice(["auto", "day", "night"]),
            value: values["theme"] ?? "", standard: "auto"),
          SettingState(
            id: .init("ui", "clock"), kind: .boolean, value: values["clock"] ?? "",
            standard: "true"),
        ]
      },
      change: { [self] id, value in
        if refuses {
          throw NatterError(
            .invalidInput, "error.badSetting", ["key": id.key, "value": value ?? ""])
        }
        changes.append("\(id.section).\(id.key)=\(value ?? "-")")
        values[id.key] = value ?? standard[id.key]
        return true
      })
  }
}
