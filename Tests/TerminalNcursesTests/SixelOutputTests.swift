import Foundation
import Terminal
import TestSupport
import Testing

@testable import TerminalNcurses

private let text = "\u{1B}P0;1;0q\"1;1;80;60#0!80~\u{1B}\\"

private func picture(_ id: UInt32 = 9) throws -> Picture {
  let sixels = try #require(
    Sixels(printed: Array(text.utf8), within: Size(rows: 60, columns: 80)))
  return Picture(id: id, width: 80, height: 60, source: .sixels(sixels))
}

private func positioned(_ id: UInt32 = 9, row: Int = 2) throws -> PositionedPicture {
  PositionedPicture(try picture(id), rect: Rect(row: row, column: 3, rows: 4, columns: 8))
}

@Suite struct SixelOutputTests {
  @Test func `sixels are sent once, and again when their rows are written`() throws {
    var output = PictureOutput(.sixel)
    let shown = try positioned()
    let first = output.change(to: [shown], isRedrawn: false)
    #expect(first == .init(after: "\u{1B}7\u{1B}[3;4H\(text)\u{1B}8"))
    #expect(output.change(to: [shown], isRedrawn: false).isEmpty)
    #expect(output.change(to: [shown], isRedrawn: false) { $0 == 6 || $0 == 1 }.isEmpty)
    let again = PictureOutput.Change(after: first.after, rows: [2..<6])
    #expect(output.change(to: [shown], isRedrawn: false) { $0 == 5 } == again)
    #expect(output.change(to: [shown], isRedrawn: true) == again)
    #expect(output.rows == [2..<6])
    #expect(output.change(to: [], isRedrawn: false) == .init(rows: [2..<6]))
    #expect(output.change(to: [], isRedrawn: true).isEmpty)
  }

  @Test func `what moves is taken away where it was, and what is cut off is not drawn`() throws {
    var output = PictureOutput(.sixel)
    _ = output.change(to: [try positioned()], isRedrawn: false)
    let moved = output.change(to: [try positioned(row: 10)], isRedrawn: false)
    #expect(moved == .init(after: "\u{1B}7\u{1B}[11;4H\(text)\u{1B}8", rows: [2..<6]))
    let part = PositionedPicture(
      try picture(), rect: Rect(row: 0, column: 3, rows: 2, columns: 8), hiddenRows: 2, allRows: 4)
    #expect(output.change(to: [part], isRedrawn: false) == .init(rows: [10..<14]))
    #expect(output.end().isEmpty)
  }

  @Test func `one that goes takes a part of its neighbour along, which is drawn again`() throws {
    var output = PictureOutput(.sixel)
    let (left, below) = (try positioned(1), try positioned(2, row: 4))
    _ = output.change(to: [left, below], isRedrawn: false)
    let change = output.change(to: [below], isRedrawn: false)
    #expect(change == .init(after: "\u{1B}7\u{1B}[5;4H\(text)\u{1B}8", rows: [2..<6, 4..<8]))
  }

  @Test func `other terminals get no sixels`() throws {
    for form in [PictureProtocol.kitty, .iterm2] {
      var output = PictureOutput(form)
      #expect(!output.change(to: [try positioned()], isRedrawn: false).after.contains("\u{1B}P"))
    }
  }
}

extension ScreenTests {
  @Suite(.serialized) struct ScreenSixelTests {
    private let terminal: PseudoTerminal
    private let screen: NcursesScreen

    init() throws {
      terminal = try PseudoTerminal()
      screen = try NcursesScreen(
        .init(
          theme: .plain, input: terminal.slave, output: terminal.slave,
          environment: ["TERM": "xterm-256color"]))
    }

    private func show(_ isShown: Bool, beside word: String = "beside") async throws -> String {
      var surface = Surface(size: screen.size)
      for row in 0..<screen.size.rows { surface.write("|", row: row, column: 60) }
      surface.write(word, row: 3, column: 62)
      if isShown { surface.position(try positioned()) }
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: nil)
      return try await terminal.output()
    }

    /// Indicates whether every row below the picture is written from its first column to the line
    /// on the right of it.
    private func writesBlanks(_ output: String) -> Bool {
      var seen = VirtualTerminal(rows: 24, columns: 80)
      for row in 0..<24 {
        seen.feed(Array("\u{1B}[\(row + 1);1H\(String(repeating: "#", count: 80))".utf8))
      }
      seen.feed(Array(output.utf8))
      return (2..<6).allSatisfy { row in (0..<60).allSatisfy { seen[row, $0].text == " " } }
    }

    @Test func `sixels come behind their frame, inside of what is shown at once`() async throws {
      defer { screen.stop() }
      #expect(try await !show(true).contains("\u{1B}P"), "nobody said that the terminal can")
      screen.showFramesWhole()
      screen.pictureProtocol = .sixel
      let first = try await show(true)
      let whole = "\u{1B}7\u{1B}[3;4H\(text)\u{1B}8"
      #expect(first.hasPrefix("\u{1B}[?2026h") && first.hasSuffix(whole + "\u{1B}[?2026l"))
      #expect(try await show(true) == "")
      // What is written in one of its rows may go over it; what is written in others does not.
      #expect(try await show(true, beside: "aside").contains(whole))
      screen.redraw()
      #expect(try await show(true).contains(whole))
      screen.setTheme(.plain)
      #expect(try await show(true).contains(whole))
    }

    @Test func `they go when the blanks below them are written: hidden, lent, ended`() async throws
    {
      defer { screen.stop() }
      screen.pictureProtocol = .sixel
      _ = try await show(true)
      let hidden = try await show(false)
      #expect(!hidden.contains("\u{1B}P") && writesBlanks(hidden))
      #expect(try await show(false) == "")
      _ = try await show(true)
      screen.suspend()
      let lent = try await terminal.output()
      #expect(writesBlanks(lent))
      screen.resume()
      #expect(try await terminal.output().contains(text))
      screen.pictureProtocol = nil
      #expect(try await writesBlanks(terminal.output()))
      #expect(try await !show(true).contains("\u{1B}P"))
      screen.pictureProtocol = .sixel
      _ = try await show(true)
      screen.stop()
      #expect(try await writesBlanks(terminal.output()))
    }

    @Test func `a smaller terminal is drawn anew without asking for rows that are gone`()
      async throws
    {
      defer { screen.stop() }
      screen.pictureProtocol = .sixel
      _ = try await show(true)
      terminal.resize(rows: 4, columns: 70)
      #expect(screen.adoptTerminalSize())
      #expect(try await !show(true).contains("\u{1B}P"), "it has no room")
      terminal.resize(rows: 24, columns: 80)
      #expect(screen.adoptTerminalSize())
      #expect(try await show(true).contains(text))
    }

    /// Returns the screen of a terminal that ignores the beginning and the end of an APC string,
    /// and shows the rest as text.
    private func shown(_ output: String) -> VirtualTerminal {
      var seen = VirtualTerminal(rows: 24, columns: 80)
      seen.feed(
        Array(output.replacing("\u{1B}_", with: "").replacing("\u{1B}\\", with: "").utf8))
      return seen
    }

    @Test func `the question for kitty's pictures is drawn over where it shows as text`()
      async throws
    {
      defer { screen.stop() }
      screen.askForKittyPictures()
      let question = try await terminal.output()
      #expect(question.contains("\u{1B}_Gi=1315009652,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"))
      // On the alternate screen: what was there before Natter came is not touched.
      let start = try #require(question.firstRange(of: "\u{1B}[?1049h"))
      let asked = try #require(question.firstRange(of: "\u{1B}_G"))
      #expect(start.lowerBound < asked.lowerBound)
      #expect(!shown(question).contains("Gi="))
      let frame = try await show(false, beside: "first")
      #expect(!frame.contains("\u{1B}_G"))
      let seen = shown(question + frame)
      #expect(seen.contains("first") && !seen.contains("AAAA"))
    }

    @Test func `one question asks for sixels, and one for the cell`() async throws {
      defer { screen.stop() }
      _ = try await terminal.output()
      screen.askForSixels()
      screen.askForCell()
      #expect(try await terminal.output() == "\u{1B}[c\u{1B}[16t")
      #expect(screen.cell == nil, "this line tells of no pixels")
    }
  }
}
