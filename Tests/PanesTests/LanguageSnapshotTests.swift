import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// The screens of interface.md, "Screens", in the other languages: French is longer, Chinese half
/// as many letters of two columns.
@Suite struct LanguageSnapshotTests {
  @Test func `the chats in French at 80x24`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), language: "fr")
    #expect(
      harness.picture == """
        [Discussions 3]                             alice@example.org  * en ligne  14:02
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
                             |              summit, with the whole team standing in
                             |              front of the old observatory.
                             |
                             | > Écrivez un message
        F1 Aide  ^O Aller  Alt+A Non lu  ^N/^P Discussion Tab Partie ^J Ligne ^Q Quitter
        """)
  }

  @Test func `the chats in Chinese at 80x24`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), language: "zh-Hans")
    #expect(
      harness.picture == """
        [聊天 3]                                        alice@example.org  * 在线  14:02
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
                             |              summit, with the whole team standing in
                             |              front of the old observatory.
                             |
                             | > 写消息
        F1 帮助  ^O 前往  Alt+A 下一未读  ^N/^P 会话  Tab 区域  ^J 换行  ^Q 退出
        """)
  }

  @Test func `the list in French at 40x15`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40), language: "fr")
    #expect(
      harness.picture == """
        [Discussions 4]         * en ligne 14:02
         DIRECT
        >1 * Bob Martin                       1
         2 o Chloe Dupont                     3
           * Mum
           . Zhang Wei









        """)
  }

  @Test func `the list in Chinese at 40x15`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40), language: "zh-Hans")
    #expect(
      harness.picture == """
        [聊天 4]                    * 在线 14:02
         私聊
        >1 * Bob Martin                       1
         2 o Chloe Dupont                     3
           * Mum
           . Zhang Wei









        """)
  }

  @Test func `the conversation in French at 40x15`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40), language: "fr")
    harness.press(.enter)
    await harness.settle()
    #expect(
      harness.picture == """
        [Discussions 3]         * en ligne 14:02
        < Bob Martin * en ligne  bob@example.n~
              the keymap?
              It is in the shared folder, second
              page.
        14:01 vous
              Yes, reading it *now*. Looks   vv
              good so far.
         ============= 1 nouveau ==============
        14:02 Bob
              Great :) here is the photo from
              the summit, with the whole team
              standing in front of the old
              observatory.
        > Écrivez un message
        """)
  }

  @Test func `the conversation in Chinese at 40x15`() async {
    let harness = await ShellHarness(Size(rows: 15, columns: 40), language: "zh-Hans")
    harness.press(.enter)
    await harness.settle()
    #expect(
      harness.picture == """
        [聊天 3]                    * 在线 14:02
        < Bob Martin * 在线  bob@example.net
              the keymap?
              It is in the shared folder, second
              page.
        14:01 你
              Yes, reading it *now*. Looks   vv
              good so far.
         ============= 1 条新消息 =============
        14:02 Bob
              Great :) here is the photo from
              the summit, with the whole team
              standing in front of the old
              observatory.
        > 写消息
        """)
  }

  @Test func `the palette in French at 80x24`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), language: "fr")
    harness.press(.control("o"))
    harness.type("conv")
    #expect(
      harness.picture == """
        [Discussions 3]                             alice@example.org  * en ligne  14:02
         DIRECT              | Bob Martin * en ligne  bob@example.net  « Back at 3 »
        >1 * Bob+- Aller ou faire ---------------------------------------------+--------
         2 o Chl| > conv                                                       |
           * Mum|                                                              |
           . Zha| >   Monter une conversation                                K |
                |     Deux conversations côte à côte, ou de nouveau une ~ ^X | |
                |     Descendre une conversation                             J |
                |     Deux conversations l'une au-dessus de l'autre, ou ~ ^X - |
                |     Épingler une conversation en haut, ou la libérer       * |
                |     À l'autre des deux conversations                      F9 |
                |     /pin [message]  garde cette conversation en haut de la ~ |-------
                |     /number N  donne à cette conversation un numéro, et sa ~ |e
                |     /split [beside|stacked|off]  montre deux conversations ~ |
                |     /export [text|html|jsonl|cancel] [FICHIER]  écrit cette~ |age.
                |     /history [fetch|cancel]  récupère tous les anciens mess~ |     vv
                |     /chat ADRESSE|NOM  ouvre la discussion avec quelqu'un    |
                |                                                              |=======
                |                                                              |
                |                                                              | in
                | Entrée exécuter   Échap fermer   @gens #salons               |
                +--------------------------------------------------------------+
                             | > Écrivez un message
        F1 Aide  ^O Aller  Alt+A Non lu  ^N/^P Discussion Tab Partie ^J Ligne ^Q Quitter
        """)
  }

  @Test func `the palette in Chinese at 80x24`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80), language: "zh-Hans")
    harness.press(.control("o"))
    #expect(
      harness.picture == """
        [聊天 3]                                        alice@example.org  * 在线  14:02
         私聊                | Bob Martin * 在线  bob@example.net  “Back at 3”
        >1 * Bob+- 前往或执行 -------------------------------------------------+--------
         2 o Chl| >                                                            |
           * Mum|                                                              |
           . Zha| > @ Bob Martin  bob@example.net                        Alt+1 |
                |   @ Chloe Dupont  chloe@example.net                    Alt+2 |
                |   @ Mum  mum@example.org                                     |
                |   @ Zhang Wei  zhang@example.net                             |
                |     帮助                                                  F1 |
                |     前往聊天                                              F2 |
                |     下一个标签页                                      ^X Tab |-------
                |     下一个账号                                         Alt+N |e
                |     下一个未读会话                                     Alt+A |
                |     下一个会话                                            ^N |age.
                |     上一个会话                                            ^P |     vv
                |     回到刚才的会话                                     Alt+Z |
                |     下一个区域（输入为空时）                             Tab |=======
                |     上一个区域                                     Shift+Tab |
                |     关闭，或回到输入                                     Esc | in
                | 回车 执行   Esc 关闭   @人 #聊天室   /命令 ~文件   ?操作     |
                +--------------------------------------------------------------+
                             | > 写消息
        F1 帮助  ^O 前往  Alt+A 下一未读  ^N/^P 会话  Tab 区域  ^J 换行  ^Q 退出
        """)
  }

  @Test func `the contacts in French at 80x24`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), factories: [ContactsFactory()], language: "fr")
    harness.press(Key(.function(3)))
    #expect(
      harness.picture == """
         F2 Discussions 3 [F3 Contacts]             alice@example.org  * en ligne  14:02
         / filtre                  4 personnes |  Bob Martin
         v CONTACTS (3/4)                      |
        >  * Bob Martin      Back at 3         |  Adresse     bob@example.net
           * Mum             en ligne          |  Présence    * en ligne
           o Chloe Dupont    absent            |  Statut      « Back at 3 »
           . Zhang Wei       hors ligne        |  Partage     réciproque : vous voyez
                                               |              quand l'autre est en
                                               |              ligne
                                               |  Message du  vendredi 20 novembre
                                               |              14:02
                                               |
                                               |  Dans la liste, Entrée ouvre une
                                               |  discussion, la touche a ajoute un
                                               |  contact, Espace ferme un groupe.
                                               |  Droite va à cette page, où Entrée
                                               |  montre les actions.
                                               |
                                               |
                                               |
                                               |
                                               |

        F1 Aide  Entrée Ouvrir  Haut/Bas Choisir  / Filtre  a Ajouter  Suppr Enlever
        """)
  }

  @Test func `the contacts in Chinese at 80x24`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), factories: [ContactsFactory()], language: "zh-Hans")
    harness.press(Key(.function(3)))
    #expect(
      harness.picture == """
         F2 聊天 3 [F3 联系人]                          alice@example.org  * 在线  14:02
         / 筛选                           4 人 |  Bob Martin
         v 联系人 (3/4)                        |
        >  * Bob Martin      Back at 3         |  地址      bob@example.net
           * Mum             在线              |  状态      * 在线
           o Chloe Dupont    离开              |  签名      “Back at 3”
           . Zhang Wei       离线              |  在线可见  双向：互相看得到何时在线
                                               |  最近消息  11月20日 星期五 14:02
                                               |
                                               |  在列表中按回车打开会话，a 添加联系
                                               |  人，空格折叠分组。按右键到此页：在这
                                               |  里按回车列出可做的事。
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

        F1 帮助  回车 打开  上/下 选择  / 筛选  a 添加  Del 删除  ^O 前往
        """)
  }

  @Test(arguments: ["en", "fr", "zh-Hans"])
  func `all five tabs have their names at 80 columns, whatever the connection and the badges say`(
    language: String
  ) async {
    let ports = FakePorts.wireframe()
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), ports: ports,
      factories: [
        ContactsFactory(),
        DiscoverFactory(
          ports: DiscoverPorts(
            rooms: FakeRoomFinder(.wireframe(readAt: .minutes(0))),
            parts: FakeComponentDirectory(.wireframe(readAt: .minutes(0))),
            invitations: FakeComponentDirectory(invitations: []),
            feeds: FakeFeedReader(.wireframe(now: .minutes(0))), events: FakeEventPlanner())),
        FilesFactory(),
        MeFactory(pages: []),
      ], language: language)
    let names = ["chats", "contacts", "discover", "files", "me"].map {
      harness.shell.format.localizer("tab.\($0)")
    }
    let problem = ConnectionProblem(.refused, host: "example.org", port: 5222)
    for state in [
      ConnectionState.offline, .connecting(host: "example.org"), .online,
      .waiting(until: .minutes(3), reason: problem), .refused(problem),
    ] {
      harness.handle(.connectionChanged(state))
      harness.handle(
        .conversationsChanged([Conversation(jid: .bob, unread: 97)]))
      let row = harness.rows[0]
      #expect(row.columns <= 80)
      for name in names { #expect(row.contains(name), "\(name) in \(row)") }
      let glyph = harness.shell.tabBar.glyph
      #expect(row.hasSuffix(glyph) || row.contains(glyph + " "), "\(row)")
    }
  }

  @Test(arguments: ["fr", "zh-Hans"])
  func `two conversations at 120 columns, and no row is longer than the screen at any size`(
    language: String
  ) async {
    for (rows, columns) in [(40, 120), (20, 100), (16, 60), (10, 45), (8, 30)] {
      let harness = await ShellHarness(Size(rows: rows, columns: columns), language: language)
      harness.press(.enter, .control("x"), .character("|"))
      await harness.settle()
      #expect(harness.rows.allSatisfy { $0.columns <= columns })
      #expect((harness.shell.split != nil) == (columns >= 120))
      harness.press(.control("x"), .character("|"))
    }
  }
}
