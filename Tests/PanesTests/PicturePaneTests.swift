import ChatsFixtures
import Foundation
import NatterCore
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// One picture over the whole screen.
@Suite struct PicturePaneTests {
  private static func picture(_ name: String, _ width: Int, _ height: Int) -> PictureFile {
    PictureFile(
      path: "/home/alice/\(name)", mediaType: "image/png", width: width, height: height,
      byteCount: 1_200_000)
  }

  private static let files = [
    file(1, "cat.png", type: "image/png", size: 9000, at: -30, path: "/home/alice/cat.png"),
    file(2, "notes.txt", type: "text/plain", size: 10, at: -20, path: "/home/alice/notes.txt"),
    file(
      3, "summit.png", type: "image/png", size: 1_200_000, at: 1, path: "/home/alice/summit.png"),
    file(4, "far.png", type: "image/png", size: 7000, at: 2),
  ].compactMap { $0 }

  private static func board(_ means: PictureMeans) -> PictureBoard {
    PictureBoard(
      means: means,
      makeSymbols: { _, size, _ in
        let row = String(repeating: "O", count: size.columns) + "\n"
        return PictureCells(
          printed: Array(String(repeating: row, count: size.rows).utf8), limit: size)
      },
      makeSixels: { file, size, sixel in
        // Of the cat there are none.
        guard file.width != 320 else { return nil }
        let (rows, columns) = (size.rows * sixel.cell.rows, size.columns * sixel.cell.columns)
        return Sixels(
          printed: Array("\u{1B}Pq\"1;1;\(columns);\(rows)~\u{1B}\\".utf8),
          within: Size(rows: rows, columns: columns))
      }, read: { _ in [1] })
  }

  private static func harness(
    _ size: Size = Size(rows: 24, columns: 80), _ means: PictureMeans = .init(symbols: .blocks),
    in language: String = "en"
  ) async -> (ShellHarness, FakeFiles, PictureBoard) {
    let files = FakeFiles(files)
    let board = board(means)
    let ports = FakePorts(
      messages: [message(9, "look at this")] + Self.files.map(\.message),
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(2))],
      contacts: [Contact(jid: .bob, name: "Bob Martin", subscription: .both)])
    let harness = await ShellHarness(
      size, ports: ports, factories: [ContactsFactory(), FilesFactory()], files: files,
      disk: FakeDisk(
        [:],
        previews: [
          "/home/alice/cat.png": .picture(picture("cat.png", 320, 240)),
          "/home/alice/summit.png": .picture(picture("summit.png", 1600, 1200)),
        ]), pictures: board, language: language)
    harness.shell.open(.bob)
    await settle(harness, board)
    return (harness, files, board)
  }

  private static func settle(_ harness: ShellHarness, _ board: PictureBoard) async {
    for _ in 0..<4 {
      await harness.settle()
      await board.settle()
    }
  }

  static func wireframe(_ size: Size, in language: String) async -> String {
    let (harness, _, board) = await harness(size, in: language)
    _ = harness.coordinator.perform(named: "viewPicture")
    await settle(harness, board)
    harness.press(Key(.left))
    await settle(harness, board)
    return harness.picture
  }

  @Test func `it fills the screen, says what draws it, and Left and Right walk through the others`()
    async
  {
    let (harness, _, board) = await Self.harness()
    // The newest of the conversation, wherever one is.
    #expect(harness.coordinator.perform(named: "viewPicture"))
    await Self.settle(harness, board)
    #expect(harness.picture.contains("far.png") && harness.picture.contains("3/3"))
    #expect(harness.picture.contains("It is not downloaded yet. Press s to download it."))
    harness.press(Key(.left))
    await Self.settle(harness, board)
    #expect(harness.picture.contains("summit.png  1600x1200  1.2 MB"))
    #expect(
      harness.picture.contains("blocks   Left/Right browse   s save   o open   y link   Esc close"))
    #expect(harness.picture.contains("OOOOOOOOOO"))
    harness.press(Key(.left), Key(.left), Key(.left))
    await Self.settle(harness, board)
    #expect(harness.picture.contains("cat.png  320x240") && harness.picture.contains("1/3"))
    harness.press(.character("y"), .character("o"))
    await Self.settle(harness, board)
    #expect(harness.done == ["copy https://files.example.net/1", "open /home/alice/cat.png"])
    harness.press(.escape)
    #expect(
      !harness.picture.contains("blocks   Left/Right browse   s save   o open   y link   Esc close")
    )
  }

  @Test func `one that is not here is fetched when it is asked for, and shown when it has come`()
    async
  {
    let (harness, files, board) = await Self.harness()
    _ = harness.coordinator.perform(named: "viewPicture")
    await Self.settle(harness, board)
    #expect(await files.calls == [])
    harness.press(.character("s"))
    await Self.settle(harness, board)
    #expect(await files.calls == ["fetch 4 -"] && harness.picture.contains("Downloading ..."))
    await files.arrived(.init(4), at: "/home/alice/cat.png")
    var transfer = FileTransfer(
      id: .init(104), direction: .download, conversation: .bob, path: "/home/alice/cat.png",
      name: "far.png", message: .init(4), state: .done, begun: .afternoon)
    transfer.progress = 7000
    harness.handle(.transfersChanged([transfer]))
    await Self.settle(harness, board)
    #expect(harness.picture.contains("far.png  320x240") && harness.picture.contains("OOO"))
  }

  @Test func `where nothing draws pictures it says so`() async {
    let (harness, _, board) = await Self.harness(Size(rows: 15, columns: 40), .none)
    _ = harness.coordinator.perform(named: "viewPicture")
    await Self.settle(harness, board)
    harness.press(Key(.left))
    await Self.settle(harness, board)
    #expect(harness.picture.contains("It cannot be shown here."))
  }

  @Test func `sixels are drawn here alone, and characters where there are none`() async throws {
    let sixel = PictureMeans.Sixel(cell: Size(rows: 20, columns: 10), byteLimit: 1000)
    let (harness, _, board) = await Self.harness(
      Size(rows: 24, columns: 80), .init(symbols: .blocks, sixel: sixel))
    #expect(harness.picture.contains("OOO") && harness.screen.shown.pictures.isEmpty)
    _ = harness.coordinator.perform(named: "viewPicture")
    await Self.settle(harness, board)
    harness.press(Key(.left))
    await Self.settle(harness, board)
    #expect(harness.picture.contains("by the terminal (sixel)   Left/Right browse"))
    let shown = try #require(harness.screen.shown.pictures.first)
    #expect(harness.screen.shown.pictures.count == 1 && shown.isWhole)
    #expect(shown.picture.width == shown.rect.size.columns * 10)
    #expect(shown.picture.height == shown.rect.size.rows * 20)
    // The cells below it are blank: that is what takes it away.
    let (rect, lines) = (shown.rect, harness.picture.split(separator: "\n"))
    for row in rect.origin.row..<rect.origin.row + rect.size.rows {
      let cells = Array(lines[row]).dropFirst(rect.origin.column).prefix(rect.size.columns)
      #expect(cells.allSatisfy { $0 == " " })
    }
    harness.press(Key(.left))
    await Self.settle(harness, board)
    #expect(harness.picture.contains("blocks   Left/Right browse"))
    #expect(harness.picture.contains("OOO") && harness.screen.shown.pictures.isEmpty)
    // Another size of letters is another picture.
    harness.press(Key(.right))
    board.means.sixel?.cell = Size(rows: 10, columns: 5)
    harness.coordinator.display.drawAll()
    await Self.settle(harness, board)
    let smaller = try #require(harness.screen.shown.pictures.first)
    #expect(smaller.picture.id != shown.picture.id)
    #expect(smaller.picture.width == smaller.rect.size.columns * 5)
    harness.press(.escape)
    #expect(harness.screen.shown.pictures.isEmpty)
  }

  @Test func `v shows the chosen message's picture, and that of the selected file`() async {
    let (harness, _, board) = await Self.harness()
    harness.press(Key(.tab, .shift), .character("g"))
    await Self.settle(harness, board)
    harness.shell.timeline.select(.init(1))
    harness.press(.character("v"))
    await Self.settle(harness, board)
    #expect(harness.picture.contains("cat.png  320x240") && harness.picture.contains("1/3"))
    harness.press(.escape, Key(.function(5)))
    await Self.settle(harness, board)
    harness.press(.character("v"))
    await Self.settle(harness, board)
    #expect(harness.picture.contains("far.png") && harness.picture.contains("3/3"))
    harness.press(.escape, Key(.down), Key(.down), .character("v"))
    #expect(harness.picture.contains("There is no picture here."))
  }

  @Test func `without any picture it says so`() async {
    let harness = await ShellHarness(Size(rows: 24, columns: 80))
    _ = harness.coordinator.perform(named: "viewPicture")
    harness.coordinator.display.drawFrame()
    #expect(harness.picture.contains("There is no picture here."))
  }
}
