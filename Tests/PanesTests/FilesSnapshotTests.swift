import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// The sub-app Files on screens of three widths.
@Suite struct FilesSnapshotTests {
  private static func transfer(
    _ id: Int64, _ name: String, to jid: JID, _ state: FileTransfer.TransferStatus,
    _ direction: FileTransfer.Direction = .upload, size: Int, progress: Int = 0, rate: Int = 0
  ) -> FileTransfer {
    var transfer = FileTransfer(
      id: .init(id), direction: direction, conversation: jid, path: "/home/alice/\(name)",
      name: name, byteCount: size, state: state, begun: .afternoon)
    (transfer.progress, transfer.rate) = (progress, rate)
    return transfer
  }

  static func files() -> FakeFiles {
    FakeFiles(
      [
        file(
          1, "summit.jpg", type: "image/jpeg", size: 1_200_000, at: 2,
          path: "/home/alice/Downloads/summit.jpg"),
        file(2, "keymap-v2.pdf", type: "application/pdf", size: 310_000, at: -20),
        file(3, "logo.svg", from: .chloe, in: .chloe, size: 12_000, at: -1440),
        file(
          4, "CV with a name that is much too long for any column of this list.odt", from: .alice,
          size: 44_000, at: -9000),
        file(5, "祝你生日快乐的照片.png", type: "image/png", size: 999, at: -600_000),
      ].compactMap { $0 },
      moving: [
        Self.transfer(
          1, "photos.zip", to: .bob, .running, size: 15_000_000, progress: 9_300_000,
          rate: 1_200_000),
        Self.transfer(2, "notes.pdf", to: .chloe, .waiting, size: 4000),
        Self.transfer(
          3, "big.iso", to: .bob,
          .failed(
            NatterError(
              .refused, "error.files.tooLarge", ["size": "700000000", "limit": "100000000"])),
          size: 700_000_000),
      ])
  }

  private func harness(_ rows: Int, _ columns: Int, _ files: FakeFiles? = nil) async -> ShellHarness
  {
    let harness = await ShellHarness(
      Size(rows: rows, columns: columns), factories: [ContactsFactory(), FilesFactory()],
      files: files ?? Self.files())
    harness.press(Key(.function(5)))
    for _ in 0..<3 { await harness.settle() }
    return harness
  }

  @Test func `at 120x24`() async {
    let harness = await harness(24, 120)
    #expect(
      harness.picture == """
         F2 Chats 3  F3 Contacts [F5 Files 2]                                                 alice@example.org  * online  14:02
                                   | / filters                                                                  5 files, 1.6 MB
         > All files               | ON THEIR WAY
           On their way            |> ^ photos.zip                     [======    ] 62 %  1.2 MB/s  0:04
           Last seven days         |  ^ notes.pdf                      waiting
           Last thirty days        |  ! big.iso                        The file is 700 MB; the server accepts up to 100 MB.
           Sent                    | FILES
           Received                |  v summit.jpg                         Bob Martin         14:02         1.2 MB  saved
           Pictures                |  v keymap-v2.pdf                      Bob Martin         13:40         310 kB  on server
           Audio and video         |  v logo.svg                           Chloe Dupont       19 November    12 kB  on server
           Documents               |  ^ CV with a name that is much too l~ Bob Martin         14 November    44 kB  sent
           Bob Martin              |  v 祝你生日快乐的照片.png             Bob Martin         2025-09-29     999 B  on server
           Chloe Dupont            |
                                   |
                                   |
                                   |
                                   |
                                   |
                                   |--------------------------------------------------------------------------------------------
                                   | photos.zip, 15 MB
                                   | goes to Bob Martin
                                   | /home/alice/photos.zip

        F1 Help  / Filter  c To chat  p Pause  Del Stop  u Send  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^Q Quit
        """)
  }

  @Test func `at 80x24, a file selected`() async {
    let harness = await harness(24, 80)
    harness.press(Key(.down), Key(.down), Key(.down))
    #expect(
      harness.picture == """
         F2 Chats 3  F3 Contacts [F5 Files 2]         alice@example.org  * online  14:02
                             | / filters                                5 files, 1.6 MB
         > All files         | ON THEIR WAY
           On their way      |  ^ photos.zip           [======    ] 62 %  1.2 MB/s  0:~
           Last seven days   |  ^ notes.pdf            waiting
           Last thirty days  |  ! big.iso              The file is 700 MB; the server ~
           Sent              | FILES
           Received          |> v summit.jpg           14:02         1.2 MB  saved
           Pictures          |  v keymap-v2.pdf        13:40         310 kB  on server
           Audio and video   |  v logo.svg             19 November    12 kB  on server
           Documents         |  ^ CV with a name tha~  14 November    44 kB  sent
           Bob Martin        |  v 祝你生日快乐的照片~  2025-09-29     999 B  on server
           Chloe Dupont      |
                             |
                             |
                             |
                             |
                             |
                             |----------------------------------------------------------
                             | summit.jpg, picture, 1.2 MB
                             | from Bob Martin, Friday 20 November 14:02
                             | /home/alice/Downloads/summit.jpg

        F1 Help  Enter Open  / Filter  w Save as  f Forward  c To chat  v View  u Send
        """)
  }

  @Test func `at 40x15 the list is a page, and what it is narrowed to another`() async {
    let harness = await harness(15, 40)
    harness.press(Key(.end))
    #expect(
      harness.picture == """
         F2 4  F3 [Files 2]       * online 14:02
         / filters              5 files, 1.6 MB
          ^ photos.zip           62 %
          ^ notes.pdf            waiting
          ! big.iso              failed
         FILES
          v summit.jpg         Bob Mar~  1.2 MB
          v keymap-v2.pdf      Bob Mar~  310 kB
          v logo.svg           Chloe D~   12 kB
          ^ CV with a name th~ Bob Mar~   44 kB
        > v 祝你生日快乐的照~  Bob Mar~   999 B
        ----------------------------------------
         祝你生日快乐的照片.png, picture, 999 B
         from Bob Martin, Monday 29 September ~
         https://files.example.net/5
        """)
    harness.press(Key(.left))
    #expect(
      harness.picture == """
         F2 4  F3 [Files 2]       * online 14:02

         > All files
           On their way
           Last seven days
           Last thirty days
           Sent
           Received
           Pictures
           Audio and video
           Documents
           Bob Martin
           Chloe Dupont


        """)
    for _ in 0..<4 { harness.press(Key(.down)) }
    harness.press(.enter)
    for _ in 0..<3 { await harness.settle() }
    #expect(harness.rows.contains { $0.contains("CV with") })
    #expect(!harness.picture.contains("summit"))
  }

  @Test func `the hints are those of what is selected`() async {
    let files = Self.files()
    await files.move(
      await files.moving + [
        Self.transfer(4, "film.mp4", to: .bob, .paused, size: 9000),
        Self.transfer(5, "talk.mp4", to: .bob, .running, .download, size: 9000),
      ])
    let harness = await harness(24, 120, files)
    func hints(at name: String) -> String {
      harness.press(.character("g"))
      for _ in 0..<12
      where !harness.rows.contains(where: { $0.contains("|>") && $0.contains(name) }) {
        harness.press(Key(.down))
      }
      return harness.rows.last?.replacing("F1 Help  ", with: "").components(separatedBy: "  ^O")[0]
        ?? ""
    }
    #expect(hints(at: "photos.zip") == "/ Filter  c To chat  p Pause  Del Stop  u Send")
    #expect(
      hints(at: "talk.mp4")
        == "Enter Open when done  / Filter  c To chat  p Pause  Del Stop  u Send")
    #expect(hints(at: "film.mp4") == "/ Filter  c To chat  p Resume  Del Stop  u Send")
    #expect(hints(at: "big.iso") == "Enter Retry  / Filter  c To chat  Del Discard  u Send")
    #expect(
      hints(at: "keymap")
        == "Enter Download  / Filter  w Save as  f Forward  c To chat  u Send")
    #expect(
      hints(at: "summit.jpg")
        == "Enter Open  / Filter  w Save as  f Forward  c To chat  v View  u Send")
    let empty = await self.harness(24, 80, FakeFiles())
    #expect(empty.rows.last?.contains("F1 Help  / Filter  u Send  ^O") == true)
  }

  @Test func `without files there is a sentence`() async {
    let harness = await harness(15, 40, FakeFiles())
    #expect(harness.picture.contains("No files yet. In a chat: /upload"))
  }

  @Test func `its keys do what they say, and a search takes letters`() async {
    let files = Self.files()
    let harness = await harness(24, 80, files)
    harness.press(Key(.down), Key(.down), Key(.down), .enter)
    await harness.settle()
    #expect(harness.done.last == "open /home/alice/Downloads/summit.jpg")
    harness.press(.character("f"))
    #expect(harness.done.last == "choose Chloe Dupont, Mum, Zhang Wei")
    harness.press(.character("c"))
    #expect(harness.done.last == "go chats/reveal 1")
    harness.press(.character("/"))
    harness.type("logo")
    for _ in 0..<3 { await harness.settle() }
    #expect(harness.rows[1].contains("Filter: logo"))
    #expect(harness.picture.contains("logo.svg") && !harness.picture.contains("summit"))
    harness.press(.escape, .character("g"), .character("p"))
    await harness.settle()
    #expect(await files.calls.last == "pause 1")
    harness.press(Key(.down), Key(.down), .enter)
    await harness.settle()
    #expect(await files.calls.last == "retry 3")
  }

  @Test func `the mouse selects, and opens what is selected`() async {
    let harness = await harness(24, 80)
    let row = harness.rows.firstIndex { $0.contains("summit.jpg") } ?? 0
    let click = InputEvent.mouse(
      MouseEvent(.press, button: 1, at: Point(row: row, column: 40)))
    harness.coordinator.handle(click)
    harness.coordinator.handle(click)
    await harness.settle()
    #expect(harness.done.last == "open /home/alice/Downloads/summit.jpg")
  }

  @Test func `names from outside cannot write on the screen`() async {
    let harness = await harness(
      15, 80,
      FakeFiles(
        [
          file(1, "a\u{1B}[2J\u{202E}gpj.exe", type: "\u{1B}]0;x\u{7}", at: 1),
          file(2, String(repeating: "x", count: 5000), at: 2),
        ].compactMap { $0 }))
    #expect(!harness.picture.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    #expect(!harness.picture.contains("\u{202E}"))
    #expect(harness.rows.allSatisfy { $0.columns <= 80 })
  }

  @Test func `the palette finds files, and goes to the one that is chosen`() async {
    let harness = await ShellHarness(
      Size(rows: 24, columns: 80), factories: [ContactsFactory(), FilesFactory()],
      files: Self.files())
    harness.press(.control("o"))
    await harness.settle()
    harness.type("~keym")
    #expect(harness.picture.contains("~ keymap-v2.pdf  Bob Martin, 13:40, 310 kB"))
    harness.press(.enter)
    #expect(harness.done == ["go files/show "])
    harness.press(.control("o"))
    harness.type("natter://files")
    harness.press(.enter)
    #expect(harness.done.last == "address natter://files")
  }
}
