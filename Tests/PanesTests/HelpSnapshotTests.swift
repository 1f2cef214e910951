import NatterCore
import Testing
import ViewModels

@testable import Panes

@Suite struct HelpSnapshotTests {
  @Test func `the help at 120x40`() {
    #expect(
      picture(helpPane(), 120, 40) == """
        +- Help: Input line   (1/4) -----------------------------------------------------------------------+
        |                                                                                                  |
        |  THIS PANE                                       EVERYWHERE                                      |
        |  Enter       send                                F1           help                               |
        |  ^J          new line                            ^O, Alt+X    go to anything, do anything        |
        |  Tab         complete a name, #room, /command,   F2..F6       the tabs: Chats, Contacts ... Me   |
        |              path or :emoji                      ^X Tab       the next tab                       |
        |  Shift+Tab   previous suggestion                 Alt+N        next account                       |
        |  Up          previous input                      Alt+A        next unread conversation           |
        |  Down        next input                          ^N, Alt+Down next conversation                  |
        |  ^R          search input history                ^P, Alt+Up   previous conversation              |
        |  ^X ^E       edit the text in your editor        Alt+Z        back to the last conversation      |
        |                                                  Tab, F7      next pane (with an empty input)    |
        |                                                  Shift+Tab    previous pane                      |
        |                                                  Esc, ^G      close, or back to the input        |
        |                                                  Alt+S        list of conversations on or off    |
        |                                                  Alt+M        contact details, or occupants      |
        |                                                  Alt+L        plain view, to select text with    |
        |                                                               the mouse                          |
        |                                                  Alt+T        day or night theme                 |
        |                                                  Alt+W        hide this conversation             |
        |                                                  Alt+Y        undo a list change                 |
        |                                                  ^F           search this conversation           |
        |                                                  Alt+R        reply to a message                 |
        |                                                  Alt+E        edit a message                     |
        |                                                  ^X o         links and files here               |
        |                                                  Alt+U        choose files to send               |
        |                                                  Alt+I        insert an emoji                    |
        |                                                  ^X |         split side by side, or unsplit     |
        |                                                  ^X -         split top and bottom, or unsplit   |
        |                                                  F9           to the other half of the split     |
        |                                                  ^X }         enlarge this half of the split     |
        |                                                                                                  |
        |  No Alt key? Press ^X and then the letter: ^X a = Alt+A.                                         |
        |  Esc close   PgDn more   / search   g guide   m manual                                           |
        +------------------------------------------------------------------------------------------------v-+
        """)
  }

  @Test func `the help at 80x24`() {
    #expect(
      picture(helpPane(), 80, 24) == """
        +- Help: Input line   (1/4) -----------------------------------------------+
        |                                                                          |
        |  THIS PANE                           EVERYWHERE                          |
        |  Enter       send                    F1           help                   |
        |  ^J          new line                ^O, Alt+X    go to anything, do     |
        |  Tab         complete a name,                     anything               |
        |              #room, /command, path   F2..F6       the tabs: Chats,       |
        |              or :emoji                            Contacts ... Me        |
        |  Shift+Tab   previous suggestion     ^X Tab       the next tab           |
        |  Up          previous input          Alt+N        next account           |
        |  Down        next input              Alt+A        next unread            |
        |  ^R          search input history                 conversation           |
        |  ^X ^E       edit the text in your   ^N, Alt+Down next conversation      |
        |              editor                  ^P, Alt+Up   previous               |
        |                                                   conversation           |
        |                                      Alt+Z        back to the last       |
        |                                                                          |
        |  No Alt key? Press ^X and then the letter: ^X a = Alt+A.                 |
        |  Esc close   PgDn more   / search   g guide   m manual                   |
        +------------------------------------------------------------------------v-+
        """)
  }

  @Test func `the help at 40x15`() {
    #expect(
      picture(helpPane(), 40, 15) == """
        +- Help: Input line   (1/4) -----------+
        | THIS PANE                            |
        | Enter       send                     |
        | ^J          new line                 |
        | Tab         complete a name, #room,  |
        |             /command, path or :emoji |
        | Shift+Tab   previous suggestion      |
        | Up          previous input           |
        | Down        next input               |
        | ^R          search input history     |
        | ^X ^E       edit the text in your    |
        |             editor                   |
        | Esc close  PgDn more  / search       |
        +------------------------------------v-+
        """)
  }

  @Test func `the help at 20x5`() {
    #expect(
      picture(helpPane(), 20, 5) == """
         THIS PANE
         Enter     send
         ^J        new line
         Esc close
        """)
  }

  @Test func `the commands at 80x24`() {
    #expect(
      picture(helpPane(topic: "commands"), 80, 24) == """
        +- Help: Commands   (2/4) -------------------------------------------------+
        |                                                                          |
        |  COMMANDS, typed into the input line                                     |
        |  /chat ADDRESS  opens a conversation                                     |
        |  /quit          quits Natter                                             |
        |                                                                          |
        |                                                                          |
        |                                                                          |
        |                                                                          |
        |                                                                          |
        |                                                                          |
        |                                                                          |
        |                                                                          |
        |                                                                          |
        |                                                                          |
        |                                                                          |
        |  Tab completes them. A line that begins with // is sent, without the     |
        |  first slash.                                                            |
        |  Esc close   PgDn more   / search   g guide   m manual                   |
        +--------------------------------------------------------------------------+
        """)
  }

  @Test func `a search in the help at 80x24`() {
    #expect(
      picture(helpPane(topic: "next"), 80, 24) == """
        +- Help: search -----------------------------------------------------------+
        |                                                                          |
        |  Search: next                                                            |
        |  THIS PANE                                                               |
        |  Down        next input                                                  |
        |                                                                          |
        |  EVERYWHERE                                                              |
        |  ^X Tab       the next tab                                               |
        |  Alt+N        next account                                               |
        |  Alt+A        next unread conversation                                   |
        |  ^N, Alt+Down next conversation                                          |
        |  Tab, F7      next pane (with an empty input)                            |
        |                                                                          |
        |  Lists                                                                   |
        |  Down, j     next                                                        |
        |  Right, l    next value; open                                            |
        |                                                                          |
        |                                                                          |
        |  Esc close   PgDn more   / search   g guide   m manual                   |
        +--------------------------------------------------------------------------+
        """)
  }

  @Test func `a search in the help at 40x15`() {
    #expect(
      picture(helpPane(topic: "next"), 40, 15) == """
        +- Help: search -----------------------+
        | Search: next                         |
        | THIS PANE                            |
        | Down        next input               |
        |                                      |
        | EVERYWHERE                           |
        | ^X Tab       the next tab            |
        | Alt+N        next account            |
        | Alt+A        next unread             |
        |              conversation            |
        | ^N, Alt+Down next conversation       |
        | Tab, F7      next pane (with an      |
        | Esc close  PgDn more  / search       |
        +------------------------------------v-+
        """)
  }
}
