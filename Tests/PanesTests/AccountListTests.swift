import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// Several accounts as the shell of one of them shows them.
@Suite struct AccountListTests {
  private static let work = JID(local: "a.dupont", domain: "work.example")
  private static let club = JID(local: "al", domain: "chess-club.example.net")

  private func harness(_ size: Size, language: String = "en", unread: Int = 4) async -> ShellHarness
  {
    let harness = await ShellHarness(size, language: language)
    harness.shell.show([
      AccountState(.alice, connection: .online, unread: 3),
      AccountState(Self.work, connection: .online, unread: unread),
      AccountState(
        Self.club,
        connection: .refused(
          ConnectionProblem(.refused, host: "chess-club.example.net", port: 5222))),
    ])
    harness.coordinator.display.drawFrame()
    return harness
  }

  @Test func `three accounts at 120x32`() async {
    let harness = await harness(Size(rows: 32, columns: 120))
    #expect(
      harness.picture == """
        [Chats 3]                                                                        alice@example.org  +4 1 * online  14:02
         DIRECT                    | Bob Martin * online  bob@example.net  "Back at 3"                    | DETAILS  Alt+M
        >1 * Bob Martin            |----------------------------------------------------------------------|
         2 o Chloe Dupont        3 |                                                                      | Bob Martin
           * Mum                   |                                                                      | bob@example.net
           . Zhang Wei             |                                                                      | * online
                                   |                                                                      | "Back at 3"
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   |                                                                      |
                                   | ------------------------ Friday 20 November ------------------------ |
                                   | 13:58 Bob    Morning! Did you get the draft of the keymap?           |
                                   |              It is in the shared folder, second page.                |
                                   | 14:01 you    Yes, reading it *now*. Looks good so far.            vv |
                                   | ============================== 1 new =============================== |
         ACCOUNTS                  | 14:02 Bob    Great :) here is the photo from the summit, with the    |
        >1 * alice@example.org     |              whole team standing in front of the old observatory.    |
         2 * a.dupont@work.exam~ 4 |                                                                      |
         3 ! al@chess-club.exampl~ | > Write a message                                                    |
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line  Alt+U Send file  ^Q Quit
        """)
  }

  @Test func `three accounts at 80x24`() async {
    let harness = await harness(Size(rows: 24, columns: 80))
    #expect(
      harness.picture == """
        [Chats 3]                                alice@example.org  +4 1 * online  14:02
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
         ACCOUNTS            |              summit, with the whole team standing in
        >1 * alice@example.~ |              front of the old observatory.
         2 * a.dupont@wor~ 4 |
         3 ! al@chess-club.~ | > Write a message
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line ^Q Quit
        """)
  }

  @Test func `three accounts at 40x15`() async {
    let harness = await harness(Size(rows: 15, columns: 40))
    #expect(
      harness.picture == """
        [Chats 4]            +4 1 * online 14:02
         DIRECT
        >1 * Bob Martin                       1
         2 o Chloe Dupont                     3
           * Mum
           . Zhang Wei





         ACCOUNTS
        >1 * alice@example.org
         2 * a.dupont@work.example            4
         3 ! al@chess-club.example.net
        """)
  }

  @Test func `three accounts in French at 80x24`() async {
    let harness = await harness(Size(rows: 24, columns: 80), language: "fr")
    #expect(
      harness.picture == """
        [Discussions 3]                        alice@example.org  +4 1 * en ligne  14:02
         DIRECT              | Bob Martin * en ligne  bob@example.net  « Back at 3 »
        >1 * Bob Martin      |----------------------------------------------------------
         2 o Chloe Dupont  3 |
           * Mum             |
           . Zhang Wei       |
                             |
                             |
                             |
                             |
                             |
                             | ----------------- vendredi 20 novembre -----------------
                             | 13:58 Bob    Morning! Did you get the draft of the
                             |              keymap?
                             |              It is in the shared folder, second page.
                             | 14:01 vous   Yes, reading it *now*. Looks good so     vv
                             |              far.
                             | ====================== 1 nouveau =======================
                             | 14:02 Bob    Great :) here is the photo from the
         COMPTES             |              summit, with the whole team standing in
        >1 * alice@example.~ |              front of the old observatory.
         2 * a.dupont@wor~ 4 |
         3 ! al@chess-club.~ | > Écrivez un message
        F1 Aide  ^O Aller  Alt+A Non lu  ^N/^P Discussion Tab Partie ^J Ligne ^Q Quitter
        """)
  }

  @Test func `three accounts in Chinese at 80x24`() async {
    let harness = await harness(Size(rows: 24, columns: 80), language: "zh-Hans")
    #expect(
      harness.picture == """
        [聊天 3]                                   alice@example.org  +4 1 * 在线  14:02
         私聊                | Bob Martin * 在线  bob@example.net  “Back at 3”
        >1 * Bob Martin      |----------------------------------------------------------
         2 o Chloe Dupont  3 |
           * Mum             |
           . Zhang Wei       |
                             |
                             |
                             |
                             |
                             |
                             | ------------------- 11月20日 星期五 --------------------
                             | 13:58 Bob    Morning! Did you get the draft of the
                             |              keymap?
                             |              It is in the shared folder, second page.
                             | 14:01 你     Yes, reading it *now*. Looks good so     vv
                             |              far.
                             | ====================== 1 条新消息 ======================
                             | 14:02 Bob    Great :) here is the photo from the
         账号                |              summit, with the whole team standing in
        >1 * alice@example.~ |              front of the old observatory.
         2 * a.dupont@wor~ 4 |
         3 ! al@chess-club.~ | > 写消息
        F1 帮助  ^O 前往  Alt+A 下一未读  ^N/^P 会话  Tab 区域  ^J 换行  ^Q 退出
        """)
  }

  @Test func `on a narrow screen the accounts are reached though there is no conversation`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 50), ports: FakePorts())
    let alone = harness.picture
    #expect(alone.contains("Type /chat name@server") && !alone.contains("from the list"))
    harness.press(Key(.tab, .shift))
    #expect(harness.picture.contains("Type /chat name@server"))
    harness.shell.show([AccountState(.alice), AccountState(Self.work, unread: 2)])
    harness.coordinator.display.drawFrame()
    // Where one begins there is an input for commands.
    #expect(harness.picture.contains("Type /chat name@server"))
    for key in [Key(.tab, .shift), .alt("s")] {
      harness.press(key)
      #expect(harness.picture.contains("a.dupont@work.example"), "\(key) \(harness.picture)")
      harness.press(Key(.tab))
      #expect(harness.picture.contains("Type /chat name@server"), "\(key) \(harness.picture)")
    }
  }

  @Test(arguments: [(15, 40), (8, 30)])
  func `every account is chosen by keys on a small screen, from the list and from a conversation`(
    rows: Int, columns: Int
  ) async {
    let harness = await harness(Size(rows: rows, columns: columns))
    let list = "choose 1  alice@example.org, 2  a.dupont@work.example, 3  al@chess-club.example.net"
    for part in ["the list", "a conversation"] {
      harness.done = []
      harness.press(.alt("n"), .control("x"), .character("n"))
      #expect(harness.done == ["next account", "next account"], "\(part)")
      harness.press(.control("o"))
      harness.type("/account")
      harness.press(.enter)
      await harness.settle()
      // What was begun is to be seen and has the keys.
      #expect(harness.picture.contains("> /account"), "\(part): \(harness.picture)")
      harness.press(.enter)
      #expect(harness.done.last?.hasPrefix(list) == true, "\(part): \(harness.done)")
      harness.press(.control("u"))
      harness.shell.open(.bob)
      await harness.settle()
    }
  }

  @Test(arguments: [(32, 120), (15, 40)])
  func `the keys that walk through the list walk on to the accounts, and back`(
    rows: Int, columns: Int
  ) async {
    let harness = await harness(Size(rows: rows, columns: columns))
    func marked() -> [String] {
      harness.rows.filter { $0.hasPrefix(">") && !$0.hasPrefix(">DIRECT") }.map {
        String($0.dropFirst().prefix(8))
      }
    }
    if columns > 60 { harness.press(Key(.tab), Key(.tab)) }
    harness.press(Key(.end))
    #expect(marked() == ["  . Zhan", "1 * alic"])
    harness.press(Key(.down))
    #expect(marked() == ["1 * Bob ", "1 * alic"])
    harness.press(Key(.down), Key(.down), Key(.down))
    #expect(marked() == ["1 * Bob ", "3 ! al@c"])
    // What the list does with conversations is not done here.
    harness.press(Key(.delete), Key(.up), Key(.enter))
    await harness.settle()
    #expect(harness.done == ["account \(Self.work)"])
    #expect(await harness.ports.calls.allSatisfy { !$0.hasPrefix("hide") })
    // The keys are with the conversations again, at the row that had them.
    #expect(marked() == ["  . Zhan", "1 * alic"])
    harness.press(Key(.end), Key(.home), Key(.end), Key(.end), Key(.end))
    #expect(marked() == ["1 * Bob ", "3 ! al@c"])
    harness.press(Key(.up), Key(.up), Key(.up))
    #expect(marked() == ["  . Zhan", "1 * alic"])
    // Tab goes on to the conversation from there as well.
    harness.press(Key(.down), Key(.tab))
    #expect(marked().last == "1 * alic" || columns < 60)
    #expect(harness.shell.accounts.selection == nil)
  }

  @Test func `one account needs no list and no mark`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    let before = harness.picture
    harness.shell.show([AccountState(.alice, connection: .online, unread: 3)])
    harness.coordinator.display.drawFrame()
    #expect(harness.picture == before)
  }

  @Test func `what waits elsewhere is in the title, and 0 is no badge`() async {
    let harness = await harness(Size(rows: 24, columns: 80))
    #expect(harness.screen.title?.hasPrefix("Natter (7)") == true)
    harness.shell.show([AccountState(.alice), AccountState(Self.work)])
    harness.coordinator.display.drawFrame()
    #expect(harness.screen.title?.hasPrefix("Natter (3)") == true)
    #expect(!harness.rows[0].contains("+"))
    #expect(harness.shell.accounts.items.map(\.badge) == ["", ""])
    harness.shell.show([
      AccountState(.alice), AccountState(Self.work, unread: 2000, isMentioned: true),
    ])
    harness.coordinator.display.drawFrame()
    #expect(harness.rows[0].contains("+@999+"))
  }

  @Test func `each has a colour of its own, and the shown one's is that of its address above`()
    async
  {
    let harness = await harness(Size(rows: 24, columns: 80))
    let colors = harness.shell.accounts.items.map(\.color)
    #expect(Set(colors).count == 3)
    #expect(harness.shell.tabBar.accountColor == colors[0])
    let many = AccountListViewModel(format: testFormat())
    many.show((0..<8).map { AccountState(JID(local: "a\($0)", domain: "example.org")) })
    #expect(Set(many.items.map(\.color)).count == 8)
  }

  @Test func `a click and a key go to another one`() async {
    let harness = await harness(Size(rows: 24, columns: 80))
    let row = harness.rows.firstIndex { $0.contains("a.dupont") } ?? 0
    harness.coordinator.handle(
      .mouse(MouseEvent(.press, button: 1, at: Point(row: row, column: 8))))
    #expect(harness.done == ["account a.dupont@work.example"])
    harness.press(.alt("n"))
    harness.press(.control("x"), .character("n"))
    #expect(harness.done.suffix(2) == ["next account", "next account"])
    // Not beneath a window that has the keys.
    harness.press(.control("o"), .alt("n"))
    #expect(harness.done.count == 3)
  }

  @Test
  func `the command takes a number, an address or a part of one, and says what it does not know`()
    async
  {
    let harness = await harness(Size(rows: 24, columns: 80))
    for (typed, wanted) in [
      ("2", Self.work), ("AL", Self.club), ("dupont", Self.work), ("alice@example.org", .alice),
      ("chess", Self.club),
    ] {
      harness.type("/account \(typed)")
      harness.press(.enter)
      #expect(harness.done.last == "account \(wanted)", "\(typed)")
    }
    let before = harness.done
    for (typed, reported) in [
      ("4", "No account of yours"), ("zoe", "No account of"), ("example", "is ambiguous"),
    ] {
      harness.type("/account \(typed)")
      harness.press(.enter)
      #expect(harness.shell.status.message.text.contains(reported), "\(typed)")
      #expect(harness.shell.input.text == "/account \(typed)")
      harness.press(.control("u"))
    }
    #expect(harness.done == before)
    harness.type("/account")
    harness.press(.enter)
    #expect(harness.done.last?.hasPrefix("choose 1  alice@example.org, 2  a.dupont") == true)
  }

  @Test(arguments: [
    Size(rows: 40, columns: 120), Size(rows: 24, columns: 80), Size(rows: 15, columns: 40),
    Size(rows: 10, columns: 30), Size(rows: 8, columns: 30),
  ])
  func `the list leaves most rows to the conversations, whatever the number of accounts`(size: Size)
  {
    for rows in [0, 3, 9, 40] {
      for page in [ScreenLayout.Page.list, .conversation] {
        var preferences = ScreenLayout.Preferences()
        (preferences.accountRows, preferences.page) = (rows, page)
        let layout = ScreenLayout(size: size, preferences: preferences)
        guard let sidebar = layout.sidebar else {
          #expect(layout.accounts == nil)
          continue
        }
        guard let accounts = layout.accounts else { continue }
        #expect(rows > 0 && accounts.size.rows <= rows && accounts.size.rows >= 2)
        #expect(sidebar.size.rows >= 6 && sidebar.size.rows >= accounts.size.rows)
        #expect(accounts.origin.row == sidebar.origin.row + sidebar.size.rows)
        #expect(accounts.size.columns == sidebar.size.columns)
      }
    }
  }

  @Test func `of many accounts the shown one is always among those to be seen`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40))
    let others = (0..<9).map { AccountState(JID(local: "other\($0)", domain: "example.org")) }
    harness.shell.show(others + [AccountState(.alice)])
    harness.coordinator.display.drawFrame()
    #expect(harness.picture.contains("alice@example.org"))
  }
}
