import ChatsFixtures
import NatterCore
import Terminal
import TestSupport
import Testing
import Text
import ViewModels

@testable import Panes

/// Choosing files to send, on screens of three widths.
@Suite struct FilePickerSnapshotTests {
  private func harness(_ rows: Int, _ columns: Int, _ files: FakeFiles = FakeFiles()) async
    -> ShellHarness
  {
    let harness = await ShellHarness(
      Size(rows: rows, columns: columns), files: files, disk: .home())
    harness.press(.alt("u"))
    await harness.settle()
    return harness
  }

  @Test func `at 120x24, a text selected`() async {
    let harness = await harness(24, 120)
    harness.press(Key(.down), Key(.down), .character(" "))
    await harness.settle()
    #expect(
      harness.picture == """
        [Chats 3]                                                                             alice@example.org  * online  14:02
         DIRECT                    | Bob Martin * online  bob@example.net  "Back at 3"                    | DETAILS  Alt+M
        >1 * +- Send files to Bob Martin ---------------------------------------------------------------------------------+
         2 o | /home/alice                                                                                       1 marked |
           * | >                                                                                                          |
           . |                                                                                                            |
             |    ../                                                         | Things to bring:                          |
             |    Pictures/                                                   |                                           |
             |    secret/                                                     | - a rope                                  |
             |  * keymap-v2.pdf                                        310 kB | - ^[[31mtea^[[0m and    bread             |
             | >  notes.txt                                            4.2 kB | - a very long line that does not end whe~ |
             |    祝你生日快乐的照片.png                                999 B |                                           |
             |                                                                |                                           |
             |                                                                |                                           |
             |                                                                |                                           |
             |                                                                |                                           |
             |                                                                |                                           |
             |                                                                |                                           |
             |                                                                |                                           |
             |                                                                                                            |
             | Enter send   Esc close   Space mark   Backspace up   Alt+. hidden files                                    |
             +------------------------------------------------------------------------------------------------------------+
                                   | > Write a message                                                    |
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line  Alt+U Send file  ^Q Quit
        """)
  }

  @Test func `at 80x24, a picture selected`() async {
    let harness = await harness(24, 80)
    harness.press(.enter)
    await harness.settle()
    #expect(
      harness.picture == """
        [Chats 3]                                     alice@example.org  * online  14:02
         DIRECT              | Bob Martin * online  bob@example.net  "Back at 3"
        >1 *+- Send files to Bob Martin -------------------------------------------+----
         2 o| /home/alice/Pictures                                                 |
           *| >                                                                    |
           .|                                                                      |
            |    ../                                  | PNG, 320 x 240             |
            | >  logo.png                       12 kB |                            |
            |    summit.jpg                    1.2 MB |                            |
            |                                         |                            |
            |                                         |                            |
            |                                         |                            |---
            |                                         |                            |
            |                                         |                            |
            |                                         |                            |
            |                                         |                            | vv
            |                                         |                            |
            |                                         |                            |===
            |                                         |                            |
            |                                                                      |
            | Enter send   Esc close   Space mark   Backspace up                   |
            +----------------------------------------------------------------------+
                             | > Write a message
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line ^Q Quit
        """)
  }

  @Test func `at 40x15 it has the screen to itself`() async {
    let harness = await harness(15, 40)
    harness.type("t")
    await harness.settle()
    #expect(
      harness.picture == """
        +- Send files to Bob Martin -----------+
        | /home/alice                          |
        | > t                                  |
        |                                      |
        | >  Pictures/                         |
        |    secret/                           |
        |    notes.txt                  4.2 kB |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        | Enter open  Esc close  Space mark    |
        +--------------------------------------+

        """)
  }

  @Test func `at 40x30 the beginning of a file is shown below the list`() async {
    let harness = await harness(30, 40)
    harness.type("notes")
    await harness.settle()
    #expect(
      harness.picture == """
        +- Send files to Bob Martin -----------+
        | /home/alice                          |
        | > notes                              |
        |                                      |
        | >  notes.txt                  4.2 kB |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        |                                      |
        | ------------------------------------ |
        | Things to bring:                     |
        |                                      |
        | - a rope                             |
        | - ^[[31mtea^[[0m and    bread        |
        | - a very long line that does not en~ |
        |                                      |
        |                                      |
        |                                      |
        | Enter send  Esc close  Space mark    |
        +--------------------------------------+
        F1 Help  Enter Open  Up/Down Select
        """)
  }

  @Test func `what is chosen is sent, and the command without a path does the same`() async {
    let files = FakeFiles()
    let harness = await harness(24, 80, files)
    harness.press(Key(.down), Key(.down), .character(" "), .character(" "), .enter)
    await harness.settle()
    #expect(
      await files.calls == [
        "share /home/alice/keymap-v2.pdf bob@example.net",
        "share /home/alice/notes.txt bob@example.net",
      ])
    #expect(harness.coordinator.openOverlays.isEmpty)
    harness.type("/upload")
    harness.press(.enter)
    await harness.settle()
    #expect(harness.picture.contains("Send files to Bob Martin"))
    harness.press(.escape)
    #expect(harness.coordinator.openOverlays.isEmpty)
    #expect(await harness.ports.preferences["files.folder"] == "/home/alice")
  }

  @Test func `the mouse selects, opens, and moves in the list`() async {
    let harness = await harness(24, 80)
    let row = harness.rows.firstIndex { $0.contains("Pictures/") } ?? 0
    harness.coordinator.handle(
      .mouse(MouseEvent(.press, button: 1, at: Point(row: row, column: 12))))
    await harness.settle()
    #expect(harness.picture.contains("summit.jpg"))
    harness.coordinator.handle(
      .mouse(MouseEvent(.wheelDown, button: 0, at: Point(row: row, column: 12))))
    await harness.settle()
    #expect(harness.picture.contains("JPEG, 4000 x 3000"))
  }

  @Test func `in another sub-app the key goes to the chats first`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), factories: [FilesFactory()], files: FakeFiles(),
      disk: .home())
    harness.press(Key(.function(5)))
    await harness.settle()
    harness.press(.control("x"), .character("u"))
    await harness.settle()
    #expect(harness.rows[0].contains("[F2 Chats"))
    #expect(harness.picture.contains("Send files to"))
  }

  @Test func `names and texts from the disk cannot write on the screen`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), files: FakeFiles(),
      disk: FakeDisk(
        [
          "/home/alice": [
            FolderFile(
              name: "a\u{1B}[2J\u{202E}gpj\n.exe" + String(repeating: "x", count: 300),
              isFolder: false, byteCount: 1)
          ]
        ],
        previews: [:]))
    harness.press(.alt("u"))
    await harness.settle()
    harness.press(Key(.down))
    await harness.settle()
    #expect(!harness.picture.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(!harness.picture.contains("\u{202E}"))
    #expect(harness.rows.allSatisfy { $0.columns <= 80 })
  }

  @Test func `a QR code is white and black whatever the theme`() async {
    let code = QRCode("xmpp:alice@example.org")
    let form = FormViewModel(
      title: "Invitation",
      fields: [
        FormField(.code, "qr", label: code?.lines.joined(separator: "\n") ?? ""),
        FormField(.button, "close", label: "Close"),
      ], keyHints: [], defaultButton: "close")
    let pane = FormPane(glyphs: .unicode, localizer: english()) { form }
    var surface = Surface(size: Size(rows: 24, columns: 60))
    pane.draw(into: &surface)
    var painted: [String] = []
    for row in 0..<24 {
      let columns = (0..<60).filter { surface[row, $0].paint == .whiteOnBlack }
      if !columns.isEmpty {
        painted.append(String(columns.map { surface[row, $0].glyph }))
        #expect(columns == Array(columns[0]..<columns[0] + columns.count))
      }
    }
    #expect(painted == code?.lines)
  }
}
