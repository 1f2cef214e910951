import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels
import XMPP

@testable import Panes

@Suite struct ShellSnapshotTests {
  @Test func `the wireframe at 80x24`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    #expect(
      harness.picture == """
        [Chats 3]                                     alice@example.org  * online  14:02
         DIRECT              | Bob Martin * online  bob@example.net  "Back at 3"
        >1 * Bob Martin      |----------------------------------------------------------
         2 o Chloe Dupont  3 |
           * Mum             |
           . Zhang Wei       |
                             |
                             |
                             |
                             |
                             |
                             | ------------------ Friday 20 November ------------------
                             | 13:58 Bob    Morning! Did you get the draft of the
                             |              keymap?
                             |              It is in the shared folder, second page.
                             | 14:01 you    Yes, reading it *now*. Looks good so     vv
                             |              far.
                             | ======================== 1 new =========================
                             | 14:02 Bob    Great :) here is the photo from the
                             |              summit, with the whole team standing in
                             |              front of the old observatory.
                             |
                             | > Write a message
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line ^Q Quit
        """)
    #expect(harness.screen.cursor == Point(row: 22, column: 25))
    #expect(harness.screen.title == "Natter (3) Bob Martin")
  }

  @Test func `the wireframe at 120x40, in Unicode`() async {
    let harness = await ShellHarness(Size(rows: 40, columns: 120), glyphs: .unicode)
    harness.type("See you at the summit")
    #expect(
      harness.picture == """
        [Chats 3]                                                                             alice@example.org  ● online  14:02
         DIRECT                    │ Bob Martin ● online  bob@example.net  "Back at 3"                    │ DETAILS  Alt+M
        >1 ● Bob Martin            │──────────────────────────────────────────────────────────────────────│
         2 ◐ Chloe Dupont        3 │                                                                      │ Bob Martin
           ● Mum                   │                                                                      │ bob@example.net
           ○ Zhang Wei             │                                                                      │ ● online
                                   │                                                                      │ "Back at 3"
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │                                                                      │
                                   │ ──────────────────────── Friday 20 November ──────────────────────── │
                                   │ 13:58 Bob    Morning! Did you get the draft of the keymap?           │
                                   │              It is in the shared folder, second page.                │
                                   │ 14:01 you    Yes, reading it *now*. Looks good so far.            ✓✓ │
                                   │ ══════════════════════════════ 1 new ═══════════════════════════════ │
                                   │ 14:02 Bob    Great :) here is the photo from the summit, with the    │
                                   │              whole team standing in front of the old observatory.    │
                                   │                                                                      │
                                   │ > See you at the summit                                              │
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line  Alt+U Send file  ^Q Quit
        """)
    #expect(harness.screen.cursor == Point(row: 38, column: 52))
  }

  @Test func `the list at 40x15`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    #expect(
      harness.picture == """
        [Chats 4]                 * online 14:02
         DIRECT
        >1 * Bob Martin                       1
         2 o Chloe Dupont                     3
           * Mum
           . Zhang Wei









        """)
    #expect(harness.screen.cursor == Point(row: 2, column: 0))
  }

  @Test func `the conversation at 40x15`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    harness.press(.enter)
    await harness.settle()
    #expect(
      harness.picture == """
        [Chats 3]                 * online 14:02
        < Bob Martin * online  bob@example.net
              the keymap?
              It is in the shared folder, second
              page.
        14:01 you
              Yes, reading it *now*. Looks   vv
              good so far.
         =============== 1 new ================
        14:02 Bob
              Great :) here is the photo from
              the summit, with the whole team
              standing in front of the old
              observatory.
        > Write a message
        """)
  }

  @Test func `scrolled up at 40x15, with news below`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    harness.press(.enter)
    await harness.settle()
    harness.press(Key(.pageUp))
    await harness.settle()
    harness.handle(.messagesStored([message(9, "News!", at: 3)]))
    #expect(
      harness.picture == """
        [Chats 3]                 * online 14:02
        < Bob Martin * online  bob@example.net
                 This is the beginning.
         --------- Friday 20 November ---------
        13:58 Bob
              Morning! Did you get the draft of
              the keymap?
              It is in the shared folder, second
              page.
        14:01 you
              Yes, reading it *now*. Looks   vv
              good so far.
         =============== 1 new ================
                               1 new below: End
        > Write a message
        """)
    harness.press(Key(.end))
    #expect(harness.rows[13] == "      News!")
  }

  @Test func `at 64x18 hint bar and rule are gone`() async {
    let harness = await ShellHarness(Size(rows: 18, columns: 64))
    #expect(
      harness.picture == """
        [Chats 3]                     alice@example.org  * online  14:02
         DIRECT              | Bob Martin * online  bob@example.net
        >1 * Bob Martin      |
         2 o Chloe Dupont  3 | ---------- Friday 20 November ----------
           * Mum             | 13:58 Bob    Morning! Did you get the
           . Zhang Wei       |              draft of the keymap?
                             |              It is in the shared
                             |              folder, second page.
                             | 14:01 you    Yes, reading it *now*.   vv
                             |              Looks good so far.
                             | ================ 1 new =================
                             | 14:02 Bob    Great :) here is the
                             |              photo from the summit,
                             |              with the whole team
                             |              standing in front of the
                             |              old observatory.
                             |
                             | > Write a message
        """)
  }

  @Test func `at 30x8 there is still a conversation`() async {
    let harness = await ShellHarness(Size(rows: 8, columns: 30))
    harness.press(.enter)
    await harness.settle()
    #expect(
      harness.picture == """
        < Bob Martin * online      3 *
        14:02 Bob
              Great :) here is the
              photo from the summit,
              with the whole team
              standing in front of the
              old observatory.
        > Write a message
        """)
  }

  @Test func `smaller, it says so and counts on`() async {
    let harness = await ShellHarness(Size(rows: 5, columns: 20))
    #expect(
      harness.picture == """
         Natter needs 30x8,
           this is 20x5.
        Enlarge the window,
          or ^Q to quit. 4
              unread.
        """)
    for size in [(1, 1), (2, 5), (1, 200), (200, 1), (7, 29)] {
      harness.screen.resize(to: Size(rows: size.0, columns: size.1))
      harness.coordinator.screenDidResize()
      harness.press(.character("x"), .enter, Key(.tab), Key(.pageUp))
    }
    await harness.settle()
    #expect(await !harness.ports.calls.contains { $0.hasPrefix("send") })
  }

  @Test func `with no contact there it says what to type`() async {
    let harness = await ShellHarness(Size(rows: 20, columns: 80), ports: FakePorts())
    #expect(
      harness.picture == """
        [Chats]                                       alice@example.org  * online  14:02
         DIRECT              | No conversation open
         No chats yet        |----------------------------------------------------------
                             |
                             |
                             |
                             |
                             |
                             |
                             |         Type /chat name@server to start a chat.
                             |
                             |
                             |
                             |
                             |
                             |
                             |
                             |
                             | > /chat name@server
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line ^Q Quit
        """)
  }

  @Test func `plain view is nothing but text`() async {
    let harness = await ShellHarness(Size(rows: 20, columns: 80))
    harness.press(.alt("l"))
    #expect(
      harness.picture == """
        [Chats 3]                                     alice@example.org  * online  14:02
         Bob Martin * online  bob@example.net  "Back at 3"









         ----------------------------- Friday 20 November -----------------------------
        13:58 Bob: Morning! Did you get the draft of the keymap?
        Bob: It is in the shared folder, second page.
        14:01 you: Yes, reading it *now*. Looks good so far. vv
         =================================== 1 new ====================================
        14:02 Bob: Great :) here is the photo from the summit, with the whole team
        standing in front of the old observatory.
         Plain view: select with the mouse. Alt+L or ^X l goes back.
         > Write a message
        """)
    #expect(harness.done == ["mouse false"])
    harness.press(.control("x"), .character("l"))
    #expect(harness.done == ["mouse false", "mouse true"])
    #expect(harness.rows[1].hasPrefix(" DIRECT              | Bob Martin"))
  }

  @Test func `candidates are shown in a box above the input`() async {
    let harness = await ShellHarness(Size(rows: 20, columns: 80))
    harness.type("/re")
    harness.press(Key(.tab), Key(.tab))
    #expect(
      harness.picture == """
        [Chats 3]                                     alice@example.org  * online  14:02
         DIRECT              | Bob Martin * online  bob@example.net  "Back at 3"
        >1 * Bob Martin      |----------------------------------------------------------
         2 o Chloe Dupont  3 |
           * Mum             |
           . Zhang Wei       |
                             |
                             | ------------------ Friday 20 November ------------------
                             | 13:58 Bob    Morning! Did you get the draft of the
                             |+---------------------------------------------------+
                             ||  /remove  removes a contact                       |.
                             ||> /retry   sends failed messages and files again   |  vv
                             ||  /reply   replies to the newest message here      |
                             ||  /react   reacts to a message with an emoji       |====
                             ||  /read    marks this conversation as read, or all |
                             ||  /redraw  redraws the screen                      |
                             ||  /reload  reads settings, keys and themes again   |
                             |+---------------------------------------------------+
                             | > /retry
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line ^Q Quit
        """)
    harness.press(.escape)
    #expect(!harness.picture.contains("removes a contact"))
    #expect(harness.rows[18].hasSuffix("| > /retry"))
  }

  @Test func `what can follow ctrl-x is shown after a pause`() async {
    let harness = await ShellHarness(Size(rows: 20, columns: 80))
    harness.press(.control("x"))
    #expect(!harness.picture.contains("conversation 1 to 10"))
    harness.timers.fire()
    #expect(
      harness.picture == """
        [Chats 3]                                     alice@example.org  * online  14:02
        +- ^X   1/2  PgDn -------------------------------------------------------------+
        | ^E edit the text in your editor       o links and files here                 |
        | ? help                                u choose files to send                 |
        | x go to anything, do anything         i insert an emoji                      |
        | Tab the next tab                      | split side by side, or unsplit       |
        | n next account                        - split top and bottom, or unsplit     |
        | a next unread conversation            Space to the other half of the split   |
        | z back to the last conversation       } enlarge this half of the split       |
        | s list of conversations on or off     { shrink this half of the split        |
        | m contact details, or occupants       > newest message                       |
        | l plain view, to select text with t~  < oldest message                       |
        | t day or night theme                  k connect now                          |
        | w hide this conversation              g answer a script that asks            |
        | y undo a list change                  1..0 conversation 1 to 10              |
        | f search this conversation            b a word back                          |
        | r reply to a message                  Backspace cut the previous word        |
        | e edit a message                      d cut the next word                    |
        +------------------------------------------------------------------------------+
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line ^Q Quit
        """)
    harness.press(.character("s"))
    #expect(!harness.picture.contains("conversation 1 to 10"))
    #expect(!harness.picture.contains("DIRECT"))
  }

  @Test func `the sidebar narrowed by a filter`() async {
    let harness = await ShellHarness(Size(rows: 16, columns: 60))
    harness.press(Key(.function(7)), .character("/"))
    harness.type("o")
    harness.press(Key(.down))
    #expect(
      harness.picture == """
        [Chats 3]                 alice@example.org  * online  14:02
         /o                  | Bob Martin * online  bob@example.net
         DIRECT              |      of the keymap?
         1 * Bob Martin      |      It is in the shared folder,
        >2 o Chloe Dupont  3 |      second page.
           * Mum             |14:01 you
                             |      Yes, reading it *now*. Looks vv
                             |      good so far.
                             | ============== 1 new ===============
                             |14:02 Bob
                             |      Great :) here is the photo from
                             |      the summit, with the whole team
                             |      standing in front of the old
                             |      observatory.
                             |
                             | > Write a message
        """)
    #expect(harness.screen.cursor == Point(row: 1, column: 3))
  }
}
