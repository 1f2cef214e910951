import Foundation
import Terminal
import Testing

/// Pictures as sixels, from what a program prints to what the terminal gets.
@Suite struct SixelsTests {
  private static let limit = Size(rows: 12, columns: 8)

  private static func sixels(_ text: String) -> Sixels? {
    Sixels(printed: Array(text.utf8), within: limit)
  }

  private static func body(_ text: String) -> Sixels? {
    sixels("\u{1B}P0;1;0q\"1;1;8;12\(text)\u{1B}\\")
  }

  @Test func `a picture goes out as it is, without the lines below it`() throws {
    let picture = try #require(
      Self.sixels(
        "\u{1B}P0;1;0q\"1;1;8;12#0;2;0;50;100#0!8~$#12;1;360;50;100?@A-#0!3N~?-\u{1B}\\\n"))
    #expect(picture.size == Size(rows: 12, columns: 8))
    #expect(
      String(decoding: picture.bytes, as: UTF8.self)
        == "\u{1B}P0;1;0q\"1;1;8;12#0;2;0;50;100#0!8~$#12;1;360;50;100?@A-#0!3N~?\u{1B}\\")
    // What it says of the background is not taken over.
    let other = try #require(Self.sixels("\u{1B}P7;2q\"1;1;1;1@\u{1B}\\"))
    #expect(String(decoding: other.bytes, as: UTF8.self) == "\u{1B}P0;1;0q\"1;1;1;1@\u{1B}\\")
  }

  @Test(arguments: [
    "", "\u{1B}P", "\u{1B}Pq", "\u{1B}P\u{1B}\\", "\u{1B}Pq\u{1B}\\", "\u{1B}[c", "hello",
    // No size, or none that is square, or more than there is room for.
    "\u{1B}Pq@\u{1B}\\", "\u{1B}Pq\"1;1;8@\u{1B}\\", "\u{1B}Pq\"2;1;8;12@\u{1B}\\",
    "\u{1B}Pq\"1;1;0;12@\u{1B}\\", "\u{1B}Pq\"1;1;9;12@\u{1B}\\", "\u{1B}Pq\"1;1;8;13@\u{1B}\\",
    "\u{1B}Pq\"1;1;99999999999999999999;12@\u{1B}\\", "\u{1B}Pq\"1;1;8;12;1@\u{1B}\\",
    // Another control string, and one that does not end.
    "\u{1B}P$q\"1;1;8;12@\u{1B}\\", "\u{1B}P0;1;0p\"1;1;8;12@\u{1B}\\",
    "\u{1B}]q\"1;1;8;12@\u{1B}\\", "\u{1B}Pq\"1;1;8;12@", "\u{1B}Pq\"1;1;8;12@\u{7}",
    "\u{1B}P1111111111111111111q\"1;1;8;12@\u{1B}\\",
    // Something before it, or behind it.
    "x\u{1B}Pq\"1;1;8;12@\u{1B}\\", "\u{1B}Pq\"1;1;8;12@\u{1B}\\x",
    "\u{1B}[2J\u{1B}Pq\"1;1;8;12@\u{1B}\\", "\u{1B}Pq\"1;1;8;12@\u{1B}\\\u{1B}]0;x\u{1B}\\",
    "\u{1B}Pq\"1;1;8;12@\u{1B}\\\u{1B}Pq\"1;1;8;12@\u{1B}\\",
  ])
  func `what is no picture by itself is none`(text: String) {
    #expect(Self.sixels(text) == nil)
  }

  @Test(arguments: [
    // What ends the string early, in every way there is.
    "@\u{1B}\\echo", "@\u{1B}[6n@", "@\u{7}@", "@\u{18}@", "@\u{1A}@", "@\u{9C}@", "@\u{1B}@",
    "@\u{0}@", "@\n@", "@\u{7F}@", "@é@", "@ @", "@/@", "@>@", "@*@", "@'@", "@%@",
    // A second size.
    "@\"1;1;8;12@",
    // Dots outside of the size: to the right, at once and bit by bit, and below.
    "!9@", "!99999@", "!99999999999999999999@", "@@@@@@@@@", "!4@!5@", "!8@$!8@@", "--@", "-@-@",
    // Repetitions of nothing, of none, and of no sixel.
    "!@", "!0@", "!-1@", "!3;3@", "!3", "!3#1@", "!3!3@", "!3$",
    // Colours that there are not.
    "#@", "#1024@", "#0;2@", "#0;2;1;1@", "#0;3;1;1;1@", "#0;0;1;1;1@", "#0;1;361;1;1@",
    "#0;2;1;101;1@", "#0;2;1;1;1;1@", "#;2;1;1;1@", "#0;2;;1;1@", "#1;@",
    // Nothing to be seen.
    "", "-", "$", "???", "#1", "#1!8?-!8?",
  ])
  func `nothing breaks out of the picture or draws outside of it`(text: String) {
    #expect(Self.body(text) == nil)
  }

  @Test func `what lies above the limit's edge draws, a dot below it does not`() {
    func sixels(_ rows: Int, _ text: String) -> Sixels? {
      Sixels(
        printed: Array("\u{1B}Pq\"1;1;8;\(rows)\(text)\u{1B}\\".utf8),
        within: Size(rows: rows, columns: 8))
    }
    // Six dots one below the other: ~ is all of them, B the first two, F the first three.
    #expect(sixels(8, "~-B") != nil && sixels(8, "~-F") == nil)
    #expect(sixels(6, "~") != nil && sixels(5, "~") == nil)
  }

  @Test func `whatever comes, only known bytes go out`() {
    var numbers = SystemRandomNumberGenerator()
    let characters = Array("\u{1B}\\P0;1q\"#!$-?@~AB\u{7}\u{18}\n2".utf8)
    for _ in 0..<5000 {
      let rest = (0..<Int.random(in: 0...30, using: &numbers)).map { _ in
        characters.randomElement(using: &numbers) ?? 0
      }
      let text = Array("\u{1B}Pq\"1;1;8;12@".utf8) + rest + Array("\u{1B}\\".utf8)
      guard let picture = Sixels(printed: text, within: Self.limit) else { continue }
      #expect(
        String(decoding: picture.bytes, as: UTF8.self)
          .wholeMatch(of: /\u{1B}P0;1;0q[0-9;"#!$\-?-~]*\u{1B}\\/) != nil)
      #expect(!picture.bytes.dropFirst(2).dropLast(2).contains(0x1B))
    }
  }

  @Test(
    arguments: [
      ("\u{1B}[?63;1;2;4;6c", TerminalReport.drawsSixels), ("\u{1B}[?1;2;4c", .drawsSixels),
      // A VT132, a terminal without, and the answer to another question.
      ("\u{1B}[?4;6c", nil), ("\u{1B}[?62;22c", nil), ("\u{1B}[>4;4;4c", nil), ("\u{1B}[?c", nil),
      ("\u{1B}[?62;4$c", nil),
      ("\u{1B}[6;20;10t", .cell(Size(rows: 20, columns: 10))),
      ("\u{1B}[6;0;0t", nil), ("\u{1B}[6;99999;10t", nil), ("\u{1B}[6;20t", nil),
      ("\u{1B}[4;20;10t", nil),
    ] as [(String, TerminalReport?)])
  func `that sixels can be drawn, and how large a cell is, is reported, and nothing of it is typed`(
    bytes: String, report: TerminalReport?
  ) {
    for cut in 2..<bytes.utf8.count {
      var decoder = InputDecoder()
      let bytes = Array(bytes.utf8)
      #expect(decoder.feed(Array(bytes[..<cut]), at: .now) == [])
      #expect(decoder.feed(bytes[cut...] + [0x61], at: .now) == [.key(.character("a"))])
      #expect(decoder.takeReports() == (report.map { [$0] } ?? []))
    }
  }
}
