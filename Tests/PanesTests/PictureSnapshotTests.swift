import ChatsFixtures
import Foundation
import NatterCore
import Synchronization
import Terminal
import TestSupport
import Testing
import ViewModels
import XMPP

@testable import Panes

/// Pictures among the messages, in the lists and beside people.
@Suite struct PictureSnapshotTests {
  /// The requests to the renderer of pictures.
  private nonisolated final class Asked: Sendable {
    private let sizes = Mutex<[Size]>([])
    var value: [Size] { sizes.withLock { $0 } }
    func append(_ size: Size) { sizes.withLock { $0.append(size) } }
  }

  private static let file = PictureFile(
    path: "/home/alice/Downloads/summit.png", mediaType: "image/png", width: 320, height: 240,
    byteCount: 12_000)

  private func board(_ means: PictureMeans, _ asked: Asked = Asked()) -> PictureBoard {
    PictureBoard(
      means: means,
      makeSymbols: { file, size, _ in
        asked.append(size)
        guard file.byteCount != 13 else { return nil }
        let row = "\u{1B}[38;5;196m" + String(repeating: "▀", count: size.columns) + "\u{1B}[0m\n"
        return PictureCells(
          printed: Array(String(repeating: row, count: size.rows).utf8), limit: size)
      },
      read: { $0.byteCount == 13 ? nil : [1, 2, 3] })
  }

  private nonisolated static let kitty = PictureMeans(ownKinds: ["image/png"])
  private nonisolated static let symbols = PictureMeans(symbols: .blocks)

  private func harness(
    _ rows: Int, _ columns: Int, _ board: PictureBoard, file: PictureFile = Self.file,
    isHere: Bool = true
  ) async -> ShellHarness {
    let offered = [
      self.file(
        1, "summit.png", type: "image/png", size: 12_000, at: 1,
        path: isHere ? file.path : nil)
    ].compactMap { $0 }
    let ports = FakePorts(
      messages: [message(9, "look at this")] + offered.map(\.message)
        + [message(2, "nice, is it not?", at: 2)],
      conversations: [Conversation(jid: .bob, lastActivity: .minutes(2))],
      contacts: [Contact(jid: .bob, name: "Bob Martin", subscription: .both)])
    let harness = await ShellHarness(
      Size(rows: rows, columns: columns), ports: ports, showsSidebar: false,
      factories: [ContactsFactory(), FilesFactory()], files: FakeFiles(offered),
      disk: FakeDisk([:], previews: [file.path: .picture(file)]), pictures: board)
    for _ in 0..<3 {
      await harness.settle()
      await board.settle()
    }
    return harness
  }

  private func file(
    _ id: Int64, _ name: String, type: String, size: Int, at minutes: Double, path: String?
  ) -> OfferedFile? {
    ChatsFixtures.file(id, name, type: type, size: size, at: minutes, path: path)
  }

  @Test func `at 120x24 the terminal draws it below its card`() async {
    let harness = await harness(24, 120, board(Self.kitty))
    #expect(
      harness.picture == """
        [F2 Chats] F3 Contacts  F5 Files                                                      alice@example.org  * online  14:02
         Bob Martin . offline  bob@example.net                                                            | DETAILS  Alt+M
        --------------------------------------------------------------------------------------------------|
                                                                                                          | Bob Martin
                                                                                                          | bob@example.net
                                                                                                          | . offline
         -------------------------------------- Friday 20 November -------------------------------------- |
         14:00 Bob    look at this                                                                        |
         14:01        | summit.png                                                                        |
                      | picture, 12 kB                                                                    |
                      |                                                                                   |
                      |                                                                                   |
                      |                                                                                   |
                      |                                                                                   |
                      |                                                                                   |
                      |                                                                                   |
                      |                                                                                   |
                      |                                                                                   |
                      |                                                                                   |
                      |                                                                                   |
         14:02        nice, is it not?                                                                    |
                                                                                                          |
         > Write a message                                                                                |
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line  Alt+U Send file  ^Q Quit
        """)
    #expect(
      harness.screen.shown.pictures.map(\.rect) == [
        Rect(row: 10, column: 16, rows: 10, columns: 27)
      ])
  }

  @Test func `the small picture that came with the message is shown for one that is not here`()
    async
  {
    let offered = [
      file(1, "summit.png", type: "image/png", size: 12_000, at: 1, path: nil)
    ].compactMap { $0 }
    let files = FakeFiles(offered)
    await files.add(thumbnail: [1, 2, 3], of: .init(1))
    let board = board(Self.kitty)
    let harness = await ShellHarness(
      Size(rows: 16, columns: 80),
      ports: FakePorts(
        messages: offered.map(\.message),
        conversations: [Conversation(jid: .bob, lastActivity: .minutes(2))],
        contacts: [Contact(jid: .bob, name: "Bob Martin", subscription: .both)]),
      showsSidebar: false, factories: [ContactsFactory(), FilesFactory()], files: files,
      disk: FakeDisk([:]), pictures: board)
    for _ in 0..<3 {
      await harness.settle()
      await board.settle()
    }
    let shown = harness.screen.shown.pictures.map(\.picture)
    #expect(shown.map(\.width) == [32])
    // It is none to be looked at in large, and nothing was fetched.
    let calls = await files.calls
    #expect(calls == [])
  }

  @Test func `at 80x24 in characters`() async {
    let asked = Asked()
    let harness = await harness(24, 80, board(Self.symbols, asked))
    #expect(
      harness.picture == """
        [F2 Chats] F3 Contacts  F5 Files              alice@example.org  * online  14:02
         Bob Martin . offline  bob@example.net
        --------------------------------------------------------------------------------



         ----------------------------- Friday 20 November -----------------------------
         14:00 Bob    look at this
         14:01        | summit.png
                      | picture, 12 kB
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                      | ▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
         14:02        nice, is it not?

         > Write a message
        F1 Help  ^O Go to  Alt+A Next unread  ^N/^P Chat  Tab Panes  ^J New line ^Q Quit
        """)
    #expect(harness.screen.shown.pictures.isEmpty)
    #expect(asked.value == [Size(rows: 10, columns: 27)])
    let row = harness.rows.firstIndex { $0.contains("▀") } ?? 0
    let column = (0..<80).first { harness.screen.shown[row, $0].glyph == "▀" } ?? 0
    #expect(harness.screen.shown[row, column].paint == Paint(foreground: 196))
  }

  @Test func `at 40x20 it is as wide as there is room`() async {
    let harness = await harness(20, 40, board(Self.kitty))
    harness.press(.enter)
    for _ in 0..<3 { await harness.settle() }
    #expect(
      harness.picture == """
        [Chats] F3  F5            * online 14:02
        < Bob Martin . offline  bob@example.net
        ----------------------------------------
              look at this
              | summit.png
              | picture, 12 kB
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
              nice, is it not?

        > Write a message
        F1 Help  ^O Go to  Alt+A Next unread
        """)
    #expect(
      harness.screen.shown.pictures.map(\.rect) == [
        Rect(row: 6, column: 8, rows: 10, columns: 27)
      ])
  }

  @Test func `what scrolls out at an edge is cut, and what is out is gone`() async {
    let harness = await harness(13, 80, board(Self.kitty))
    let all = harness.screen.shown.pictures
    #expect(all.count == 1)
    harness.press(Key(.tab, .shift), .character("g"))
    await harness.settle()
    var seen: [PositionedPicture] = []
    for _ in 0..<14 {
      harness.press(.character("j"))
      seen += harness.screen.shown.pictures
    }
    #expect(seen.contains { $0.hiddenRows > 0 && !$0.isWhole })
    for picture in seen {
      #expect(picture.rect.origin.row + picture.rect.size.rows <= 12)
      #expect(picture.rect.size.rows + picture.hiddenRows <= picture.allRows)
    }
  }

  @Test func `what is drawn over it takes it away, until that is gone`() async {
    let harness = await harness(24, 80, board(Self.kitty))
    #expect(harness.screen.shown.pictures.count == 1)
    harness.press(.control("o"))
    #expect(harness.screen.shown.pictures.isEmpty)
    harness.press(.escape)
    #expect(harness.screen.shown.pictures.count == 1)
    // Another tab, and back.
    harness.press(Key(.function(3)))
    #expect(harness.screen.shown.pictures.isEmpty)
    harness.press(Key(.function(2)))
    #expect(harness.screen.shown.pictures.count == 1)
  }

  @Test func `off is off, at once`() async {
    let asked = Asked()
    let board = board(Self.symbols, asked)
    let harness = await harness(24, 80, board)
    #expect(harness.picture.contains("▀"))
    board.means = .none
    harness.coordinator.display.drawAll()
    harness.coordinator.display.drawFrame()
    #expect(!harness.picture.contains("▀") && harness.picture.contains("summit.png"))
    let off = await self.harness(24, 80, self.board(.none, asked))
    #expect(asked.value.count == 1)
    #expect(off.picture.contains("| summit.png"))
  }

  @Test func `what is not on this disk is not fetched, and is a card`() async {
    let harness = await harness(24, 80, board(Self.kitty), isHere: false)
    #expect(harness.screen.shown.pictures.isEmpty)
    #expect(harness.picture.contains("| summit.png"))
  }

  @Test(arguments: [
    symbols, PictureMeans(ownKinds: ["image/png"], handover: .bytes(limit: 20_000)),
  ])
  func `a broken picture is a card without a hole`(means: PictureMeans) async {
    let broken = PictureFile(
      path: "/home/alice/broken.png", mediaType: "image/png", width: 320, height: 240,
      byteCount: 13)
    let harness = await harness(24, 80, board(means), file: broken)
    #expect(harness.screen.shown.pictures.isEmpty)
    let card = harness.rows.firstIndex { $0.contains("picture, 12 kB") } ?? 0
    #expect(harness.rows[card + 1].contains("nice"))
  }

  @Test func `a picture that came while one looks appears`() async {
    let board = board(Self.kitty)
    let harness = await harness(24, 80, board, isHere: false)
    let offered = harness.shell.timeline.items.first { $0.body.contains("summit") }
    #expect(offered != nil)
    await harness.files?.arrived(.init(1), at: Self.file.path)
    harness.handle(
      .transfersChanged([
        FileTransfer(
          id: .init(5), direction: .download, conversation: .bob, path: Self.file.path,
          name: "summit.png", message: .init(1), state: .done, begun: .afternoon)
      ]))
    for _ in 0..<3 { await harness.settle() }
    #expect(harness.screen.shown.pictures.count == 1)
  }

  @Test func `the list of files draws the selected one, too`() async {
    let harness = await harness(24, 80, board(Self.kitty))
    harness.press(Key(.function(5)))
    for _ in 0..<3 { await harness.settle() }
    #expect(
      harness.picture == """
         F2 Chats  F3 Contacts [F5 Files]             alice@example.org  * online  14:02
                             | / filters                                  1 file, 12 kB
         > All files         |> v summit.png           14:01          12 kB  saved
           On their way      |
           Last seven days   |
           Last thirty days  |
           Sent              |
           Received          |
           Pictures          |
           Audio and video   |
           Documents         |
           Bob Martin        |----------------------------------------------------------
                             | summit.png, picture, 12 kB
                             | from Bob Martin, Friday 20 November 14:01
                             | /home/alice/Downloads/summit.png
                             | PNG, 320 x 240
                             |
                             |
                             |
                             |
                             |
                             |

        F1 Help  Enter Open  / Filter  w Save as  f Forward  c To chat  v View  u Send
        """)
    #expect(harness.screen.shown.pictures.map(\.rect.size) == [Size(rows: 6, columns: 16)])
  }

  // MARK: People

  private func people(
    _ size: Size, describing jid: JID, _ factories: [any SubAppFactory]
  ) async -> ShellHarness {
    let ports = FakePorts.wireframe()
    var details = ContactDetails()
    details.avatar = AvatarPicture(
      id: String(repeating: "a", count: 40), path: Self.file.path, mediaType: "image/png",
      byteCount: 12_000)
    await ports.describe(jid, as: details)
    return await ShellHarness(
      size, ports: ports, factories: factories, files: FakeFiles(),
      disk: FakeDisk([:], previews: [Self.file.path: .picture(Self.file)]),
      pictures: board(Self.kitty))
  }

  @Test func `a contact's picture is above their details, and scrolls with them`() async {
    let harness = await people(
      Size(rows: 18, columns: 80), describing: .bob, [ContactsFactory()])
    harness.press(Key(.function(3)), Key(.right))
    for _ in 0..<3 { await harness.settle() }
    #expect(
      harness.screen.shown.pictures.map(\.rect) == [
        Rect(row: 3, column: 42, rows: 8, columns: 21)
      ])
    #expect(harness.rows[12].contains("Address       bob@example.net"))
    harness.press(Key(.down), Key(.down))
    await harness.settle()
    #expect(harness.screen.shown.pictures.map(\.hiddenRows) == [2])
    #expect(harness.rows[10].contains("Address       bob@example.net"))
  }

  @Test func `the own picture is below the profile`() async {
    let harness = await people(
      Size(rows: 40, columns: 80), describing: .alice,
      [
        MeFactory(pages: [
          .profile {
            ProfileViewModel(shell: $0, profile: FakeProfile(), mediator: Mediator()) { _ in
              throw NatterError(.invalidInput, "error.unexpected")
            }
          }
        ])
      ])
    harness.press(Key(.function(6)), .enter)
    for _ in 0..<3 { await harness.settle() }
    let picture = harness.screen.shown.pictures
    #expect(picture.map(\.rect.size) == [Size(rows: 8, columns: 21)])
    #expect((picture.first?.rect.origin.row ?? 0) > 18)
  }

  // MARK: Glyphs

  @Test func `characters are made once for a size, the last request first, and the oldest dropped`()
    async
  {
    let asked = Asked()
    let board = board(Self.symbols, asked)
    var surface = Surface(size: Size(rows: 100, columns: 10))
    for rows in 1...100 {
      board.draw(
        Self.file, size: Size(rows: rows, columns: 2), rows: 0..<rows, at: Point(row: 0, column: 0),
        for: Invalidation(), into: &surface)
    }
    await board.settle()
    // The first was begun at once; of the others the last dozen.
    #expect(asked.value.count <= 13 && asked.value.contains(Size(rows: 100, columns: 2)))
    let count = asked.value.count
    board.draw(
      Self.file, size: Size(rows: 100, columns: 2), rows: 0..<2, at: Point(row: 0, column: 0),
      for: Invalidation(), into: &surface)
    await board.settle()
    #expect(asked.value.count == count)
    #expect(surface.text(row: 0) == "▀▀")
  }
}
