import CPTY
import Foundation
import Terminal
import TestSupport
import Testing

@testable import TerminalNcurses

typealias Latin = TerminalNcurses.CharacterSet.Latin

@Suite struct LocaleNameTests {
  @Test(arguments: [
    (["LANG": "de_DE.UTF-8"], true), (["LANG": "C.utf8"], true), (["LANG": "C"], false),
    ([:], false),
    (["LANG": "C.UTF-8", "LC_ALL": "POSIX"], false),
    (["LANG": "C", "LC_CTYPE": "zh_CN.UTF-8", "LC_ALL": ""], true),
    (["LANG": "fr_FR.ISO-8859-1"], false),
  ])
  func `the environment says whether characters are in UTF-8`(
    environment: [String: String], isUTF8: Bool
  ) {
    #expect(CharacterSet.isUTF8(in: environment) == isUTF8)
  }

  @Test(arguments: [
    ("fr_FR.ISO-8859-1", Latin.first), ("fr_FR.iso88591", .first),
    ("de_DE.ISO-8859-15@euro", .ninth),
    ("fr_FR@euro", .ninth), ("fr_FR", nil), ("C", nil), ("pl_PL.ISO-8859-2", nil),
    ("ru_RU.KOI8-R", nil),
    ("tr_TR.ISO-8859-16", nil),
  ])
  func `the environment says which letters a terminal has that is not in UTF-8`(
    name: String, latin: Latin?
  ) {
    #expect(Latin(environment: ["LC_ALL": name, "LANG": "C"]) == latin)
  }

  @Test func `letters go to such a terminal and come from it, and no byte of them steers it`() {
    let text = "« l’été »\u{202F}: Ж ½ œ €"
    #expect(CharacterSet.bytes(of: text, in: nil) == Array("\" l'?t? \" : ? ? ? ?".utf8))
    #expect(
      CharacterSet.bytes(of: text, in: .first)
        == [0xAB] + Array(" l'".utf8) + [0xE9] + Array("t".utf8) + [0xE9, 0x20, 0xBB]
        + Array(" : ? ".utf8) + [0xBD] + Array(" ? ?".utf8))
    #expect(CharacterSet.bytes(of: "½ œ €", in: .ninth) == [0x3F, 0x20, 0xBD, 0x20, 0xA4])
    for latin in [Latin.first, .ninth] {
      let all = String(
        String.UnicodeScalarView((1...0x2FFF).compactMap { Unicode.Scalar(UInt32($0)) }))
      #expect(!CharacterSet.bytes(of: all, in: latin).contains { (0x80..<0xA0).contains($0) })
      let own = Array(UInt8(0xA0)...0xFF)
      #expect(CharacterSet.bytes(of: CharacterSet.text(of: own, in: latin), in: latin) == own)
    }
    #expect(CharacterSet.text(of: [0x63, 0xE9], in: .first) == "cé")
    #expect(CharacterSet.text(of: [0xBD, 0xA4], in: .ninth) == "œ€")
    // Whatever the environment says: what is UTF-8 is that.
    #expect(CharacterSet.text(of: Array("cé".utf8), in: .first) == "cé")
    #expect(CharacterSet.text(of: [0x63, 0xE9], in: nil) == "c\u{FFFD}")
  }
}

extension ScreenTests {
  @Suite(.serialized) struct CharacterSetTests {
    private func screen(on terminal: PseudoTerminal, term: String = "xterm-256color") throws
      -> NcursesScreen
    {
      try NcursesScreen(
        .init(
          theme: .plain, input: terminal.slave, output: terminal.slave,
          environment: ["TERM": term]))
    }

    /// Text that would clear a terminal: DB 9B is CSI where bytes are characters.
    private static let hostile = "\u{6DB}2J é 日本 👍🏽 ❤️ \u{5DD}\u{1D7}"

    private func draw(_ text: String, on screen: NcursesScreen) {
      var surface = Surface(size: screen.size)
      surface.write(text, row: 3, column: 0)
      surface.write("│", row: 4, column: 79)
      screen.copy(surface, row: 0, column: 0)
      screen.flush(cursor: Point(row: 9, column: 0))
    }

    @Test func `a terminal that is not in UTF-8 gets nothing but ASCII, in the same columns`()
      async throws
    {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      screen.drawsWholeGlyphs = true
      screen.marksLinks = true
      screen.setTitle("é 日")
      screen.isASCIIOnly = true
      draw(Self.hostile, on: screen)
      screen.notify("日", Self.hostile, by: .osc777)
      screen.setTitle("é 日本")
      screen.suspend()
      screen.resume()
      screen.stop()
      // What was sent before it was known is the first title alone.
      let output = try await terminal.output().replacing(
        "\u{1B}]2;é 日\u{7}", with: "", maxReplacements: 1)
      #expect(output.utf8.allSatisfy { $0 < 0x80 }, "\(output.debugDescription)")
      #expect(output.contains("?2J ? ???? ") && output.contains("\u{1B}]2;? ????\u{7}"))
      var glass = VirtualTerminal(rows: 24, columns: 80)
      glass.feed(Array(output.utf8))
      #expect(glass.unknown == [])
    }

    @Test func `once it is known to be in UTF-8, everything is drawn as it is`() async throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      screen.isASCIIOnly = true
      draw("é 日本|", on: screen)
      screen.setTitle("é")
      #expect(try await terminal.output().utf8.allSatisfy { $0 < 0x80 })
      screen.isASCIIOnly = false
      draw("é 日本|", on: screen)
      let output = try await terminal.output()
      #expect(output.contains("é 日本|") && output.contains("\u{1B}]2;é\u{7}"))
      screen.stop()
    }

    @Test func `the question is the first that is not ASCII, and lies on a screen of its own`()
      async throws
    {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal)
      #expect(screen.askForUTF8())
      let output = try await terminal.output()
      #expect(output.hasSuffix(WidthProbe.firstQuestion))
      let before = output.dropLast(WidthProbe.firstQuestion.count)
      #expect(before.contains("\u{1B}[?1049h") && before.utf8.allSatisfy { $0 < 0x80 })
      screen.stop()
    }

    @Test func `what cannot be asked says with its line whether it is in UTF-8`() throws {
      let terminal = try PseudoTerminal()
      let screen = try screen(on: terminal, term: "linux")
      #expect(!screen.askForUTF8())
      var settings = termios()
      tcgetattr(terminal.slave, &settings)
      for isSet in [true, false] {
        settings.c_iflag =
          isSet ? settings.c_iflag | tcflag_t(IUTF8) : settings.c_iflag & ~tcflag_t(IUTF8)
        tcsetattr(terminal.slave, TCSANOW, &settings)
        #expect(screen.assumesUTF8(environment: ["LANG": "C"]) == isSet)
        #expect(screen.assumesUTF8(environment: ["LANG": "C.UTF-8"]))
      }
      screen.stop()
    }
  }
}
