import Keys
import NatterCore
import Testing
import ViewModels

@testable import Panes

@Suite struct GuideSnapshotTests {
  @Test func `the first page of the guide at 120x40`() {
    #expect(
      picture(guidePane(page: 0), 120, 40) == """
        +- Welcome to Natter   1/4 --------------------------------------------+
        |                                                                      |
        |  Natter is a chat client for your terminal. It speaks XMPP: pick any |
        |  server, or run your own.                                            |
        |                                                                      |
        |    F2 Chats     one line per person or room, unread first            |
        |    F3 Contacts  add people, accept requests, see who is online       |
        |    F4 Discover  find public rooms and feeds                          |
        |    F5 Files     what you sent and received, with progress            |
        |    F6 Me        profile, theme, language, notifications              |
        |                                                                      |
        |  You only need three keys today:                                     |
        |  F1 help      ^O go to anything      ^Q quit                         |
        |                                                                      |
        | Language    < English >                                              |
        | Theme       < Automatic >                                            |
        | Screen      < full screen >                                          |
        |                                                                      |
        | [>Next<]   [ Skip the guide ]                                * o o o |
        |                                                                      |
        | Enter next   Left/Right page   Esc skip   (F1, g: guide again)       |
        +----------------------------------------------------------------------+
        """)
  }

  @Test func `the first page of the guide at 80x24`() {
    #expect(
      picture(guidePane(page: 0), 80, 24) == """
        +- Welcome to Natter   1/4 --------------------------------------------+
        |                                                                      |
        |  Natter is a chat client for your terminal. It speaks XMPP: pick any |
        |  server, or run your own.                                            |
        |                                                                      |
        |    F2 Chats     one line per person or room, unread first            |
        |    F3 Contacts  add people, accept requests, see who is online       |
        |    F4 Discover  find public rooms and feeds                          |
        |    F5 Files     what you sent and received, with progress            |
        |    F6 Me        profile, theme, language, notifications              |
        |                                                                      |
        |  You only need three keys today:                                     |
        |  F1 help      ^O go to anything      ^Q quit                         |
        |                                                                      |
        | Language    < English >                                              |
        | Theme       < Automatic >                                            |
        | Screen      < full screen >                                          |
        |                                                                      |
        | [>Next<]   [ Skip the guide ]                                * o o o |
        |                                                                      |
        | Enter next   Left/Right page   Esc skip   (F1, g: guide again)       |
        +----------------------------------------------------------------------+
        """)
  }

  @Test func `the first page of the guide at 40x15`() {
    #expect(
      picture(guidePane(page: 0), 40, 15) == """
        +- Welcome to Natter   1/4 ------------+
        | A chat client for your terminal.     |
        | F2 Chats     people and rooms        |
        | F3 Contacts  add people              |
        | F4 Discover  public rooms            |
        | F5 Files     transfers               |
        | F6 Me        profile, theme          |
        | You only need three keys:            |
        | F1 help  ^O go to  ^Q quit           |
        | Language < English >                 |
        | Theme    < Automatic >               |
        | Screen   < full screen >             |
        | [>Next<] [ Skip ]            * o o o |
        +--------------------------------------+
        Enter next  Esc skip  Left/Right page
        """)
  }

  @Test func `the first page of the guide at 20x5`() {
    #expect(
      picture(guidePane(page: 0), 20, 5) == """
         A chat client for
         your terminal.
         F2 Chats  people
         [>Next<] [ Skip ]
        PgDn more  Esc skip
        """)
  }

  @Test func `the keys to practise at 80x24`() {
    #expect(
      picture(guidePane(page: 1), 80, 24) == """
        +- Welcome to Natter   2/4 --------------------------------------------+
        |                                                                      |
        |  Try them here, nothing can break. Press each of these keys now:     |
        |                                                                      |
        |    [ ] F1  help                                                      |
        |    [ ] ^O  go to anything, do anything                               |
        |    [ ] ^Q  quit                                                      |
        |                                                                      |
        |  3 keys left. Enter skips them.                                      |
        |  No Alt key? Press ^X and then the letter: ^X a = Alt+A.             |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        |                                                                      |
        | [>Next<]   [ Skip the guide ]                                o * o o |
        |                                                                      |
        | Enter next   Left/Right page   Esc skip   (F1, g: guide again)       |
        +----------------------------------------------------------------------+
        """)
  }

  @Test func `the keys to practise at 40x15`() {
    #expect(
      picture(guidePane(page: 1), 40, 15) == """
        +- Welcome to Natter   2/4 ------------+
        | Try them here, nothing can break.    |
        | Press each of these keys now:        |
        |                                      |
        | [ ] F1  help                         |
        | [ ] ^O  go to anything, do anything  |
        | [ ] ^Q  quit                         |
        |                                      |
        | 3 keys left. Enter skips them.       |
        | No Alt key? Press ^X and then the    |
        | letter: ^X a = Alt+A.                |
        |                                      |
        | [>Next<] [ Skip ]            o * o o |
        +--------------------------------------+
        Enter next  Esc skip  Left/Right page
        """)
  }

  @Test func `what is stored where at 80x24`() {
    #expect(
      picture(guidePane(page: 2), 80, 24) == """
        +- Welcome to Natter   3/4 --------------------------------------------+
        |                                                                      |
        |  What is stored where                                                |
        |                                                                      |
        | [x] Let contacts see what I have read                                |
        | [x] Let contacts see when I am typing                                |
        |                                                                      |
        |    Messages       /home/alice/.local/share/natter                    |
        |    Password       in a file that only you can read, and only if you  |
        |                   say so                                             |
        |    Log            never holds a message or a password                |
        |    Network        only your own server is contacted, once you give   |
        |                   an address                                         |
        |    Server         can read and keep your messages: Natter cannot     |
        |                   encrypt them end to end yet                        |
        |    Notifications  show the sender; the text only if you say so (F6)  |
        |                                                                      |
        |                                                                      |
        | [>Next<]   [ Skip the guide ]                                o o * o |
        |                                                                      |
        | Enter next   Left/Right page   Esc skip   (F1, g: guide again)       |
        +----------------------------------------------------------------------+
        """)
  }

  @Test func `the last page of the guide at 80x24`() {
    #expect(
      picture(guidePane(page: 3), 80, 24) == """
        +- Welcome to Natter   4/4 --------------------------------------------+
        |                                                                      |
        |  That is all. How do you want to begin?                              |
        |                                                                      |
        |    Sign in      if you have an address, like alice@example.org       |
        |    New account  free on many servers: pick a name and a password     |
        |    Try it here  a server of your own on this computer: no network,   |
        |                 no account                                           |
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
        | [>Sign in<]   [ New account ]   [ Try it here ]              o o o * |
        |                                                                      |
        | Enter choose   Left/Right page   Esc skip   (F1, g: guide again)     |
        +----------------------------------------------------------------------+
        """)
  }

  @Test func `the last page of the guide at 40x15`() {
    #expect(
      picture(guidePane(page: 3), 40, 15) == """
        +- Welcome to Natter   4/4 ------------+
        | That is all. How do you want to      |
        | begin?                               |
        | Sign in      if you have an address, |
        |              like alice@example.org  |
        | New account  free on many servers:   |
        |              pick a name and a       |
        |              password                |
        | Try it here  a server of your own on |
        |              this computer: no       |
        |              network, no account     |
        | [>Sign in<] [ New account ]          |
        | [ Try it here ]              o o o * |
        +--------------------------------------+
        Enter choose  Esc skip  Left/Right page
        """)
  }

  @Test func `its first page shows the keys that are bound`() {
    let slack = picture(pane(welcome(.guide, bindings: .slack)), 80, 24)
    #expect(slack.contains("F1 help      ^K go to anything      ^Q quit"))
    let (own, _, _) = KeyBindingTable.natter.applying(
      "[everywhere]\n\"^O\" = \"\"\n\"Alt+X\" = \"\"\n\"^X x\" = \"\"\n\"F3\" = \"\"\n"
        + "\"^Y\" = \"tab2\"\n", file: "keys.toml")
    let mine = picture(pane(welcome(.guide, bindings: own)), 80, 24)
    #expect(mine.contains("F1 help      ^Q quit") && mine.contains("^Y Contacts"))
  }
}
