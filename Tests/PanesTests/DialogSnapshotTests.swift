import NatterCore
import Terminal
import Testing
import Text
import ViewModels

@testable import Panes

@Suite struct DialogSnapshotTests {
  @Test func `the alert at 120x40`() {
    #expect(
      picture(alertPane(), 120, 40) == """
        +- ! Not connected --------------------------------------------+
        | Natter cannot reach example.org.                             |
        |                                                              |
        |   What happened   connection refused                         |
        |   Where           example.org, port 5222                     |
        |   Detail          ECONNREFUSED                               |
        |                                                              |
        | Nothing answers at example.org, port 5222: the server is     |
        | down, or listens elsewhere.                                  |
        |                                                              |
        | Your chats stay readable. Messages you write now are kept    |
        | and sent when the connection is back.                        |
        |                                                              |
        | Trying again in 0:23                                         |
        |                                                              |
        | [>Try now<]  [ Work offline ]  [ Sign in... ]                |
        | Tab next   Enter choose   Esc close                          |
        +--------------------------------------------------------------+
        """)
  }

  @Test func `the alert at 80x24`() {
    #expect(
      picture(alertPane(), 80, 24) == """
        +- ! Not connected --------------------------------------------+
        | Natter cannot reach example.org.                             |
        |                                                              |
        |   What happened   connection refused                         |
        |   Where           example.org, port 5222                     |
        |   Detail          ECONNREFUSED                               |
        |                                                              |
        | Nothing answers at example.org, port 5222: the server is     |
        | down, or listens elsewhere.                                  |
        |                                                              |
        | Your chats stay readable. Messages you write now are kept    |
        | and sent when the connection is back.                        |
        |                                                              |
        | Trying again in 0:23                                         |
        |                                                              |
        | [>Try now<]  [ Work offline ]  [ Sign in... ]                |
        | Tab next   Enter choose   Esc close                          |
        +--------------------------------------------------------------+
        """)
  }

  @Test func `the alert at 40x15`() {
    #expect(
      picture(alertPane(), 40, 15) == """
        +- ! Not connected ------------------+
        | Natter cannot reach example.org.   |
        | Connection refused.                |
        | example.org, port 5222             |
        |                                    |
        | Your chats stay readable. Messages |
        | you write now are kept and sent    |
        | when the connection is back.       |
        |                                    |
        | Trying again in 0:23               |
        | [>Try now<] [ Offline ]            |
        | [ Sign in ]                        |
        | Tab next  Enter choose  Esc close  |
        +------------------------------------+
        """)
  }

  @Test func `the alert at 20x5`() {
    #expect(
      picture(alertPane(), 20, 5) == """
         Natter cannot
         [>Try now<]
         [ Offline ]
         [ Sign in ]
        """)
  }

  @Test func `a question at 80x24`() {
    #expect(
      picture(removalPane(), 80, 24) == """
        +- Remove a contact -------------------------------------------+
        | Remove Bob (bob@example.net) from your contacts? The         |
        | messages stay.                                               |
        |                                                              |
        | [ Remove ]  [>Cancel<]                                       |
        | Tab next   Enter choose   Esc close                          |
        +--------------------------------------------------------------+
        """)
  }

  @Test func `a question at 40x15`() {
    #expect(
      picture(removalPane(), 40, 15) == """
        +- Remove a contact -----------------+
        | Remove Bob (bob@example.net) from  |
        | your contacts? The messages stay.  |
        |                                    |
        | [ Remove ] [>Cancel<]              |
        | Tab next  Enter choose  Esc close  |
        +------------------------------------+
        """)
  }

  @Test func `a list of one word has its title, too`() {
    var dialog = Dialog(
      title: "Send it to", lines: [], buttons: [Dialog.Button("0", "Chloe")])
    dialog.isList = true
    var surface = Surface(size: Size(rows: 7, columns: 40))
    var layout = DialogLayout()
    layout.draw(dialog, centredIn: &surface, glyphs: .ascii, hints: [KeyHint("Enter choose")])
    #expect(surface.description.contains("+- Send it to ---"))
    #expect(surface.description.contains("Chloe"))
  }
}
