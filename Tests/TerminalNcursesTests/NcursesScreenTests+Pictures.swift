import Foundation
import Terminal
import Testing

@testable import TerminalNcurses

/// Pictures, and cells with colours of their own.
extension ScreenTests.NcursesScreenTests {
  @Test func `pictures come behind their frame, and go with what takes the screen`() async throws {
    let terminal = try PseudoTerminal()
    let screen = try screen(on: terminal)
    defer { screen.stop() }
    let picture = Picture(id: 9, width: 80, height: 80, source: .file("/tmp/x.png"))
    func show(_ isShown: Bool) {
      var surface = Surface(size: screen.size)
      surface.write("below it", row: 8, column: 0)
      if isShown {
        surface.position(
          PositionedPicture(picture, rect: Rect(row: 2, column: 3, rows: 4, columns: 8)))
      }
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: nil)
    }
    show(true)
    let before = try await terminal.output()
    #expect(!before.contains("\u{1B}_G"), "nobody said that the terminal can")
    screen.pictureProtocol = .kitty
    show(true)
    let pictureOutput = try await terminal.output()
    #expect(pictureOutput.contains("a=t,f=100,i=9,t=f"))
    #expect(pictureOutput.contains("\u{1B}[3;4H\u{1B}_Gq=2,a=p,C=1,i=9,p=1,c=8,r=4\u{1B}\\"))
    show(true)
    #expect(try await !terminal.output().contains("\u{1B}_G"))
    screen.redraw()
    show(true)
    #expect(try await terminal.output().contains("i=9,p=2"))
    show(false)
    #expect(try await terminal.output().contains("a=d,d=i,i=9,p=2"))
    show(true)
    screen.suspend()
    #expect(try await terminal.output().contains("a=d,d=I,i=9"))
    screen.resume()
    #expect(try await terminal.output().contains("a=t,f=100,i=9"))
    screen.pictureProtocol = nil
    #expect(try await terminal.output().contains("a=d,d=I,i=9"))
    show(true)
    #expect(try await !terminal.output().contains("\u{1B}_G"))
  }

  @Test func `cells may have colours of their own, the nearest there are`() async throws {
    for (term, expected) in [
      ("xterm-256color", "38;5;231;"), ("xterm-16color", "97m"), ("xterm", ";37;40m"),
    ] {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, term: term)
      _ = try await terminal.output()
      var surface = Surface(size: screen.size)
      surface.write("xyz", row: 1, column: 1)
      surface.paint(Rect(row: 1, column: 1, rows: 1, columns: 3), .whiteOnBlack)
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: nil)
      let output = try await terminal.output()
      #expect(output.contains(expected), "\(term): \(output.debugDescription)")
      screen.stop()
    }
  }
}
