import Foundation
import Terminal
import Testing

@testable import TerminalNcurses

@Suite struct PictureOutputTests {
  private func picture(_ id: UInt32, _ source: Picture.Source = .file("/tmp/a b.png")) -> Picture {
    Picture(id: id, width: 200, height: 100, source: source)
  }

  private func positioned(_ picture: Picture, row: Int = 2) -> PositionedPicture {
    PositionedPicture(picture, rect: Rect(row: row, column: 4, rows: 5, columns: 20))
  }

  /// The rows of a picture from one on.
  private func part(_ picture: Picture, hidden: Int) -> PositionedPicture {
    PositionedPicture(
      picture, rect: Rect(row: 0, column: 4, rows: 5 - hidden, columns: 20), hiddenRows: hidden,
      allRows: 5)
  }

  @Test(
    arguments: [
      (["TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"], PictureProtocol.kitty),
      (["TERM": "xterm-ghostty"], .kitty),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], .kitty),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], .iterm2),
      (["TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"], .iterm2),
      (["TERM": "xterm-256color"], nil),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "vscode", "KITTY_WINDOW_ID": "1"], nil),
      (["TERM": "tmux-256color", "TERM_PROGRAM": "tmux", "KITTY_WINDOW_ID": "1"], nil),
      (["TERM": "xterm-kitty", "TMUX": "/tmp/x"], nil),
      (["TERM": "screen", "LC_TERMINAL": "iTerm2"], nil),
      ([:], nil),
    ] as [([String: String], PictureProtocol?)])
  func `the environment shows what a terminal can, but not inside another one`(
    environment: [String: String], form: PictureProtocol?
  ) {
    #expect(PictureProtocol(environment: environment) == form)
  }

  @Test(
    arguments: [
      (["TERM": "xterm-kitty"], true), (["TERM": "xterm-ghostty"], true),
      (["TERM": "wezterm"], true), (["TERM": "konsole-256color"], true),
      (["TERM": "xterm-256color", "KONSOLE_VERSION": "230401"], true),
      (["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"], true),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], true),
      (["TERM": "xterm-256color", "WEZTERM_PANE": "0"], true),
      (["TERM": "xterm", "GHOSTTY_RESOURCES_DIR": "/usr/share/ghostty"], true),
      (["TERM": "xterm-256color"], false), (["TERM": "xterm"], false), (["TERM": "foot"], false),
      (["TERM": "xterm-256color", "VTE_VERSION": "7200"], false),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], false),
      // Started from such a terminal, and another one.
      (["TERM": "xterm-256color", "TERM_PROGRAM": "vscode", "KITTY_WINDOW_ID": "1"], false),
      (["TERM": "rxvt-unicode-256color", "KONSOLE_VERSION": "230401"], false),
      (["TERM": "linux", "KONSOLE_VERSION": "230401"], false),
      (["TERM": "screen-256color", "KITTY_WINDOW_ID": "1"], false),
      (["TERM": "tmux-256color", "WEZTERM_PANE": "0"], false),
      (["TERM": "xterm-kitty", "TMUX": "/tmp/x"], false),
      (["TERM": "xterm-kitty", "STY": "1.x"], false), ([:], false),
    ] as [([String: String], Bool)])
  func `only a terminal that may know kitty's pictures is asked for them`(
    environment: [String: String], isAsked: Bool
  ) {
    #expect(PictureProtocol.mayKnowKitty(environment: environment) == isAsked)
  }

  @Test func `kitty gets the path once, and the position at each move`() {
    var output = PictureOutput(.kitty)
    let path = Data("/tmp/a b.png".utf8).base64EncodedString()
    #expect(
      output.change(to: [positioned(picture(7))], isRedrawn: false)
        == .init(
          after: "\u{1B}_Gq=2,a=t,f=100,i=7,t=f;\(path)\u{1B}\\"
            + "\u{1B}7\u{1B}[3;5H\u{1B}_Gq=2,a=p,C=1,i=7,p=1,c=20,r=5\u{1B}\\\u{1B}8"))
    #expect(output.change(to: [positioned(picture(7))], isRedrawn: false).isEmpty)
    #expect(
      output.change(to: [positioned(picture(7), row: 1)], isRedrawn: false)
        == .init(
          before: "\u{1B}_Gq=2,a=d,d=i,i=7,p=1\u{1B}\\",
          after: "\u{1B}7\u{1B}[2;5H\u{1B}_Gq=2,a=p,C=1,i=7,p=2,c=20,r=5\u{1B}\\\u{1B}8"))
    // Two rows of five are above the edge.
    let cut = output.change(to: [part(picture(7), hidden: 2)], isRedrawn: false)
    #expect(cut.after.contains("c=20,r=3,x=0,y=40,w=200,h=60"))
    #expect(output.end() == "\u{1B}_Gq=2,a=d,d=I,i=7\u{1B}\\")
    #expect(output.end().isEmpty)
  }

  @Test func `a redrawn picture is put there again, one that is gone is taken away`() {
    var output = PictureOutput(.kitty)
    _ = output.change(
      to: [positioned(picture(7)), positioned(picture(8), row: 9)], isRedrawn: false)
    let again = output.change(to: [positioned(picture(7))], isRedrawn: true)
    #expect(again.before.contains("i=7,p=1") && again.before.contains("i=8,p=2"))
    #expect(again.after.contains("a=p") && !again.after.contains("a=t"))
    let none = output.change(to: [], isRedrawn: false)
    #expect(none.before.contains("a=d,d=i,i=7,p=3") && none.after.isEmpty)
    #expect(output.change(to: [], isRedrawn: true).isEmpty)
  }

  @Test func `bytes go in pieces that no terminal finds too long`() throws {
    var output = PictureOutput(.kitty)
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
    let text = output.change(to: [positioned(picture(3, .bytes(bytes)))], isRedrawn: false).after
    let pieces = text.matches(of: /\u{1B}_Gq=2,((?:a=t,[^;]*,)?m=[01]);([^\u{1B}]*)\u{1B}\\/)
    #expect(pieces.map { String($0.output.1) } == ["a=t,f=100,i=3,t=d,m=1", "m=1", "m=1", "m=0"])
    #expect(pieces.allSatisfy { $0.output.2.count <= 4096 })
    let joined = pieces.map { String($0.output.2) }.joined()
    #expect(Data(base64Encoded: joined) == Data(bytes))
  }

  @Test func `a terminal does not hold every picture that was ever shown`() {
    var output = PictureOutput(.kitty)
    var freed = 0
    for id in 1...100 {
      let text = output.change(to: [positioned(picture(UInt32(id)))], isRedrawn: false).after
      freed += text.matches(of: /a=d,d=I/).count
    }
    #expect(freed > 50)
    #expect(output.end().matches(of: /d=I/).count == 100 - freed)
  }

  @Test func `iTerm2 gets whole pictures only, and its rows are written anew when they go`() {
    var output = PictureOutput(.iterm2)
    let whole = positioned(picture(1, .bytes([1, 2, 3])))
    let first = output.change(to: [whole], isRedrawn: false)
    #expect(
      first.after
        == "\u{1B}7\u{1B}[3;5H\u{1B}]1337;File=inline=1;size=3;width=20;height=5;"
        + "preserveAspectRatio=0;doNotMoveCursor=1:AQID\u{7}\u{1B}8")
    #expect(first.rows.isEmpty)
    #expect(output.change(to: [whole], isRedrawn: false).isEmpty)
    let cut = output.change(
      to: [part(picture(1, .bytes([1, 2, 3])), hidden: 1)], isRedrawn: false)
    #expect(cut.rows == [2..<7] && cut.after.isEmpty)
    #expect(output.change(to: [], isRedrawn: false).isEmpty)
    #expect(output.change(to: [positioned(picture(2))], isRedrawn: false).isEmpty, "no bytes")
  }
}
