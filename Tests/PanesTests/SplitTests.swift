import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

@Suite struct SplitTests {
  /// Bob at the left or above, Chloe beside or below.
  func split(_ size: Size = Size(rows: 24, columns: 120), _ keys: Key...) async -> ShellHarness {
    let ports = FakePorts.wireframe()
    await ports.add([
      message(10, "Are you coming, too?", from: .chloe, in: .chloe, at: 2)
    ])
    let harness = await ShellHarness(size, ports: ports)
    harness.press(.control("x"))
    for key in keys.isEmpty ? [.character("|")] : keys { harness.press(key) }
    await harness.settle()
    return harness
  }

  @Test func `two conversations beside each other at 120x24`() async {
    let harness = await split()
    #expect(
      harness.picture == """
        [Chats]                                                                               alice@example.org  * online  14:02
         DIRECT                    |>Bob Martin * online  bob@example.net         | Chloe Dupont o away  chloe@example.net
        >1 * Bob Martin            |----------------------------------------------|---------------------------------------------
         2 o Chloe Dupont          |                                              |
           * Mum                   |                                              |
           . Zhang Wei             |                                              |
                                   |                                              |
                                   |                                              |
                                   | ------------ Friday 20 November ------------ |
                                   | 13:58 Bob    Morning! Did you get the        |
                                   |              draft of the keymap?            |
                                   |              It is in the shared folder,     |
                                   |              second page.                    |
                                   | 14:01 you    Yes, reading it *now*. Looks vv |
                                   |              good so far.                    |
                                   | ================== 1 new =================== |
                                   | 14:02 Bob    Great :) here is the photo      |
                                   |              from the summit, with the       |
                                   |              whole team standing in front    | ----------- Friday 20 November ------------
                                   |              of the old observatory.         | 14:02 Chloe  Are you coming, too?
                                   | Two conversations: F9 or a click goes to the |
                                   | other one, /split off ends it.               |
                                   | > Write a message                            | > Write a message
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line  Alt+U Send file  ^Q Quit
        """)
  }

  @Test func `one conversation above the other at 120x30`() async {
    let harness = await split(Size(rows: 30, columns: 120), .character("-"))
    #expect(
      harness.picture == """
        [Chats]                                                                               alice@example.org  * online  14:02
         DIRECT                    |>Bob Martin * online  bob@example.net  "Back at 3"
        >1 * Bob Martin            |--------------------------------------------------------------------------------------------
         2 o Chloe Dupont          |
           * Mum                   |
           . Zhang Wei             |
                                   | ----------------------------------- Friday 20 November -----------------------------------
                                   | 13:58 Bob    Morning! Did you get the draft of the keymap?
                                   |              It is in the shared folder, second page.
                                   | 14:01 you    Yes, reading it *now*. Looks good so far.                                  vv
                                   | ========================================= 1 new ==========================================
                                   | 14:02 Bob    Great :) here is the photo from the summit, with the whole team standing
                                   |              in front of the old observatory.
                                   | > Write a message
                                   |--------------------------------------------------------------------------------------------
                                   | Chloe Dupont o away  chloe@example.net
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   | ----------------------------------- Friday 20 November -----------------------------------
                                   | 14:02 Chloe  Are you coming, too?
                                   | Two conversations: F9 or a click goes to the other one, /split off ends it.
                                   | > Write a message
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line  Alt+U Send file  ^Q Quit
        """)
  }

  @Test func `each half has its own input, and what is typed stays in its half`() async {
    let harness = await split()
    harness.type("to bob")
    harness.press(Key(.function(9)))
    #expect(harness.shell.activeConversation == .chloe)
    harness.type("to chloe")
    #expect(harness.rows[22].contains("> to bob") && harness.rows[22].contains("> to chloe"))
    #expect(harness.screen.cursor?.row == 22 && (harness.screen.cursor?.column ?? 0) > 80)
    harness.press(.enter)
    await harness.settle()
    #expect(await harness.ports.calls.contains("send chloe@example.net to chloe"))
    harness.press(.control("x"), .character(" "))
    #expect(harness.shell.activeConversation == .bob && harness.shell.input.text == "to bob")
    // A conversation that is on the screen already is gone to, not shown twice.
    harness.press(.alt("2"))
    #expect(harness.shell.activeConversation == .chloe && harness.shell.slots.count == 2)
    #expect(harness.shell.otherSlot?.conversation == .bob)
  }

  @Test func `each half scrolls by itself, and a click goes to the half it is in`() async {
    let ports = FakePorts.wireframe()
    await ports.add(
      (100..<160).map { message($0, "line \($0)", from: .chloe, in: .chloe, at: 3) }
        + (200..<260).map { message($0, "words \($0)", at: 3) })
    let harness = await ShellHarness(Size(rows: 24, columns: 120), ports: ports)
    harness.press(.control("x"), .character("|"))
    await harness.settle()
    #expect(harness.picture.contains("words 259") && harness.picture.contains("line 159"))
    harness.press(Key(.pageUp))
    #expect(!harness.picture.contains("words 259") && harness.picture.contains("line 159"))
    harness.coordinator.handle(
      .mouse(MouseEvent(.wheelUp, button: 0, at: Point(row: 8, column: 100))))
    #expect(!harness.picture.contains("line 159"))
    #expect(harness.shell.activeConversation == .bob)
    harness.coordinator.handle(
      .mouse(MouseEvent(.press, button: 1, at: Point(row: 8, column: 100))))
    #expect(harness.shell.activeConversation == .chloe)
    harness.press(Key(.end))
    #expect(!harness.picture.contains("words 259") && harness.picture.contains("line 159"))
  }

  @Test func `both halves take what comes, and both count as read`() async {
    let harness = await split()
    let (toBob, toChloe) = (
      message(300, "news of bob", at: 3),
      message(301, "news of chloe", from: .chloe, in: .chloe, at: 3)
    )
    harness.handle(.messagesStored([toBob, toChloe]))
    harness.handle(
      .conversationsChanged([
        Conversation(jid: .bob, unread: 1), Conversation(jid: .chloe, unread: 1),
      ]))
    await harness.settle()
    #expect(harness.picture.contains("news of bob") && harness.picture.contains("news of chloe"))
    #expect(await harness.ports.calls.filter { $0 == "markRead chloe@example.net" }.count >= 1)
    #expect(harness.screen.bellCount == 0)
    // Seen by nobody while the window has not the focus.
    harness.coordinator.handle(.focus(false))
    harness.handle(.messagesStored([message(302, "more", from: .chloe, in: .chloe, at: 4)]))
    #expect(harness.screen.bellCount == 1)
  }

  @Test func `a narrow screen shows one of them, and both are back with the room`() async {
    let harness = await split()
    harness.press(Key(.function(9)))
    harness.type("half")
    let before = harness.picture
    harness.screen.resize(to: Size(rows: 24, columns: 80))
    harness.coordinator.screenDidResize()
    #expect(harness.picture.contains("Are you coming, too?"))
    #expect(!harness.picture.contains("Morning!"))
    harness.press(Key(.function(9)))
    #expect(harness.shell.activeConversation == .chloe)
    // The required size is shown until it is there.
    #expect(harness.shell.status.message.text.contains("120x20; this one is 80x24"))
    harness.screen.resize(to: Size(rows: 24, columns: 100))
    harness.coordinator.screenDidResize()
    #expect(harness.shell.status.message.text.contains("120x20; this one is 100x24"))
    harness.screen.resize(to: Size(rows: 15, columns: 40))
    harness.coordinator.screenDidResize()
    #expect(harness.picture.contains("Are you coming, too?") && !harness.picture.contains("|"))
    harness.screen.resize(to: Size(rows: 24, columns: 120))
    harness.coordinator.screenDidResize()
    #expect(!harness.picture.contains("need a screen of"))
    #expect(harness.picture.contains("Morning!"))
    #expect(
      harness.rows[3...20]
        == before.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[3...20])
  }

  @Test func `the notice of two conversations goes with them, or with the next key`() async {
    let harness = await split()
    #expect(harness.picture.contains("Two conversations: F9"))
    harness.screen.resize(to: Size(rows: 24, columns: 119))
    harness.coordinator.screenDidResize()
    #expect(!harness.picture.contains("Two conversations"))
    harness.press(Key(.function(9)))
    #expect(harness.picture.contains("this one is 119x24"))
    harness.type("x")
    #expect(!harness.picture.contains("Two conversations"))
    // Nor is it back with another size.
    harness.screen.resize(to: Size(rows: 24, columns: 80))
    harness.coordinator.screenDidResize()
    #expect(!harness.picture.contains("Two conversations"))
  }

  @Test func `it needs 120 columns, and is ended as it was begun or by the command`() async {
    let narrow = await split(Size(rows: 24, columns: 119))
    #expect(narrow.shell.split == nil && narrow.shell.slots.count == 1)
    #expect(
      narrow.picture.contains("Two conversations need a screen of 120x20; this one is 119x24."))
    let harness = await split()
    harness.press(Key(.function(9)))
    harness.type("draft")
    harness.press(.control("x"), .character("|"))
    #expect(harness.shell.split == nil && harness.shell.activeConversation == .chloe)
    #expect(harness.shell.input.text == "draft")
    harness.press(.control("u"))
    harness.type("/split stacked")
    harness.press(.enter)
    #expect(harness.shell.split == .stacked && harness.shell.otherSlot?.conversation == .bob)
    harness.type("/split sideways")
    harness.press(.enter)
    #expect(harness.shell.status.message.text == "\"sideways\" is not one of beside, stacked, off.")
    harness.press(.control("u"))
    harness.type("/split off")
    harness.press(.enter)
    #expect(harness.shell.split == nil && harness.shell.slots.count == 1)
  }

  @Test(arguments: ["|", "-"])
  func `the split is there again at the next start, each conversation where it was`(key: String)
    async
  {
    let first = await split(Size(rows: 30, columns: 120), .character(Character(key)))
    first.press(Key(.function(9)))
    await first.settle()
    let again = await ShellHarness(Size(rows: 30, columns: 120), ports: first.ports)
    #expect(again.shell.split == (key == "|" ? .beside : .stacked))
    #expect(again.shell.slots.map(\.conversation) == [.bob, .chloe])
    #expect(again.shell.activeConversation == .chloe)
    for text in ["Morning!", "Are you coming, too?", ">Chloe Dupont", " Bob Martin"] {
      #expect(again.picture.contains(text))
    }
    // A narrow screen has room for one; the next wide one has both.
    let narrow = await ShellHarness(Size(rows: 24, columns: 80), ports: first.ports)
    #expect(narrow.picture.contains("Are you coming, too?") && !narrow.picture.contains("Morning!"))
    let wide = await ShellHarness(Size(rows: 30, columns: 120), ports: first.ports)
    #expect(wide.picture == again.picture)
    wide.type("/split off")
    wide.press(.enter)
    await wide.settle()
    let last = await ShellHarness(Size(rows: 30, columns: 120), ports: first.ports)
    #expect(last.shell.split == nil)
  }

  @Test func `a start goes on with the conversation that was shown last, read or not`() async {
    let first = await ShellHarness(Size(rows: 24, columns: 80))
    #expect(first.shell.activeConversation == .bob)
    first.shell.open(.chloe)
    await first.settle()
    let again = await ShellHarness(Size(rows: 24, columns: 80), ports: first.ports)
    #expect(again.shell.activeConversation == .chloe)
    try? await first.ports.setValue("nobody@example.net", for: PreferenceKey.shown)
    let other = await ShellHarness(Size(rows: 24, columns: 80), ports: first.ports)
    #expect(other.shell.activeConversation == .bob)
  }

  @Test func `of a split only what is still there comes back`() async {
    let ports = FakePorts.wireframe()
    for kept in ["beside\n1\nnobody@example.net\nchloe@example.net", "beside\n0\n\n"] {
      try? await ports.setValue(kept, for: PreferenceKey.split)
      let harness = await ShellHarness(Size(rows: 24, columns: 120), ports: ports)
      #expect(harness.shell.split == .beside && harness.shell.slots.count == 2)
      #expect(harness.shell.slots[0].conversation == .bob)
    }
    for broken in ["", "beside", "sideways\n0\n\n", "beside\n2\n\n", "stacked\n-1\na@b\nc@d"] {
      try? await ports.setValue(broken, for: PreferenceKey.split)
      let harness = await ShellHarness(Size(rows: 24, columns: 120), ports: ports)
      #expect(harness.shell.split == nil)
    }
  }

  @Test(arguments: [JID.chloe, .bob])
  func `where nothing is left for a half, the other conversation has the whole screen`(
    hidden: JID
  ) async {
    let harness = await split(Size(rows: 30, columns: 120), .character("-"))
    harness.type("to bob")
    if hidden == .chloe { harness.shell.close(hidden) } else { harness.press(.alt("w")) }
    await harness.settle()
    let left: JID = hidden == .bob ? .chloe : .bob
    #expect(harness.shell.split == nil && harness.shell.activeConversation == left)
    #expect(!harness.picture.contains("No conversation open"))
    #expect(harness.shell.input.text == (left == .bob ? "to bob" : ""))
    harness.press(.alt("y"))
    await harness.settle()
    #expect(harness.shell.sidebar.conversation(hidden) != nil)
    guard hidden == .bob else { return }
    #expect(harness.shell.activeConversation == .bob && harness.shell.input.text == "to bob")
  }

  @Test(arguments: [JID.chloe, .bob])
  func `the next one of the list comes into the half of one that is hidden`(hidden: JID) async {
    let harness = await split()
    let mum = JID(local: "mum", domain: "example.org")
    harness.shell.handle(.conversationsChanged([Conversation(jid: mum)]))
    harness.shell.close(hidden)
    await harness.settle()
    #expect(harness.shell.split == .beside)
    let slots = harness.shell.slots.map(\.conversation)
    #expect(slots == (hidden == .bob ? [mum, .chloe] : [.bob, mum]))
    #expect(harness.shell.activeConversation == slots[0])
  }

  @Test(arguments: [
    Size(rows: 20, columns: 120), Size(rows: 24, columns: 121), Size(rows: 60, columns: 200),
    Size(rows: 19, columns: 120), Size(rows: 8, columns: 30),
  ])
  func `nothing overlaps and every cell belongs to a part, however large`(size: Size) {
    for form in [ConversationSplit.beside, .stacked] {
      for half in [0, 1] {
        var preferences = ScreenLayout.Preferences()
        (preferences.split, preferences.currentHalf, preferences.inputRows) = (form, half, 9)
        let layout = ScreenLayout(size: size, preferences: preferences)
        guard ScreenLayout.canSplit(size) else {
          #expect(layout.other == nil && layout.divider == nil)
          continue
        }
        let other = layout.other
        let all = [
          layout.tabBar, layout.sidebar, layout.header, layout.timeline, layout.status,
          layout.input, layout.hintBar, layout.divider, other?.header, other?.timeline,
          other?.input,
        ].compactMap { $0 }
        #expect(all.count == 11)
        for (index, one) in all.enumerated() {
          #expect(one.size.rows > 0 && one.size.columns > 0)
          #expect(one.origin.row + one.size.rows <= size.rows)
          #expect(one.origin.column + one.size.columns <= size.columns)
          #expect(all[(index + 1)...].allSatisfy { !$0.overlaps(one) }, "\(form) \(half) \(index)")
        }
        #expect((layout.timeline?.size.rows ?? 0) >= 3 && (other?.timeline.size.rows ?? 0) >= 3)
      }
    }
  }
}
