import Glibc
import TestSupport
import Testing

@testable import TerminalNcurses

/// Frames without the sequences that the terminal has received already.
@Suite struct FrameShortenerTests {
  private func shortened(_ frame: String) -> String {
    var known = FrameShortener.Known()
    return shortened(frame, &known)
  }

  private func shortened(_ frame: String, _ known: inout FrameShortener.Known) -> String {
    let frame = Array(frame.replacing("^", with: "\u{1B}").utf8)
    return String(
      decoding: FrameShortener.shorten(frame, repeatsBlanks: false, knowing: &known), as: UTF8.self
    ).replacing("\u{1B}", with: "^")
  }

  /// With nothing known before.
  private func shorten(_ frame: [UInt8], repeatsBlanks: Bool = false) -> [UInt8] {
    var known = FrameShortener.Known()
    return FrameShortener.shorten(frame, repeatsBlanks: repeatsBlanks, knowing: &known)
  }

  @Test func `a frame begins with what the one before has left`() {
    var known = FrameShortener.Known()
    let plain = "^(B^[m^[39;49m^[38;5;253m^[48;5;234m"
    #expect(shortened("^[Hx" + plain, &known) == "^[Hx^(B^[0;38;5;253;48;5;234m")
    // The clock, once a minute.
    let clock = "^[1;120H^[38;5;248m^[48;5;234m5^[39;32H" + plain
    #expect(shortened(clock, &known) == "^[1;120H^[38;5;248m5^[39;32H^[38;5;253m")
    #expect(shortened(clock, &known) == "^[1;120H^[38;5;248m5^[39;32H^[38;5;253m")
    // Not what nobody understands.
    _ = shortened("^[?1049h", &known)
    #expect(known == FrameShortener.Known())
  }

  @Test(arguments: [
    // What ncurses writes on the way back to plain text.
    (
      "^(B^[m^[39;49m^[38;5;253m^[48;5;234ma^(B^[m^[39;49m^[38;5;253m^[48;5;234m^[1mb"
        + "^(B^[m^[39;49m^[38;5;253m^[48;5;234mc",
      "^(B^[0;38;5;253;48;5;234ma^[1mb^[22mc"
    ),
    ("^[ma^[31mb^[32m^[2;3Hc", "^[ma^[31mb^[2;3H^[32mc"),
    ("^[ma^[31m^[39mb", "^[mab"),
    ("^[m^[38;2;1;20;250ma^[48;5;7m^[38;2;1;20;250mb", "^[0;38;2;1;20;250ma^[48;5;7mb"),
    ("^[1;2;4;38;5;9mx^[0;1;4;38;5;9my", "^[1;2;4;38;5;9mx^[0;1;4;38;5;9my"),
    ("^[;1;2;4;38;5;9mx^[0;1;4;38;5;9my^[my", "^[0;1;2;4;38;5;9mx^[22;1my^[my"),
    ("^[;93;41ma^[Kb^[mc", "^[0;93;41ma^[Kb^[mc"),
    // The background is in what is cleared.
    ("^[m^[44m^[K^[m^[K", "^[0;44m^[K^[m^[K"),
    // What is wanted at the end is what the terminal has then.
    ("^[ma^[44m^[35m", "^[ma^[35;44m"),
    ("^[44m", "^[44m"),
    // Nobody sees the colour of a blank's letters, but a line under it, what is reversed, and a
    // mark that is put on it.
    ("^[;31ma^[1;32m  ^[K^[mb", "^[0;31ma  ^[K^[mb"), ("^[;31ma^[32m  ^[31mb", "^[0;31ma  b"),
    ("^[;31ma^[32m  b", "^[0;31ma  ^[32mb"), ("^[;31ma^[32;44m  b", "^[0;31ma^[32;44m  b"),
    ("^[;31ma^[4;32m  b", "^[0;31ma^[4;32m  b"), ("^[;7;31ma^[32m  b", "^[0;7;31ma^[32m  b"),
    ("^[;31ma^[32m  \u{301}b", "^[0;31ma ^[32m \u{301}b"),
  ]) func `a look is sent once, and its changes in one sequence`(frame: String, short: String) {
    #expect(shortened(frame) == short)
  }

  @Test(arguments: [
    "^[4:3mx^[4:3my", "^[mx^[58;5;1my^[58;5;1mz", "^[mx^[21my^[21mz", "^[mx^[>4;2my^[?4mz",
    "^[31mx^c^[31my", "^[31mx^[!p^[31my", "^[31mx^[?1049h^[31my", "^[31mx^8^[31my",
    "^(Ba^(0b^(Bc^(0d", "a^[", "a^[3", "a^[38;5", "a^[38;5m", "a^(", "^[38;5;256mx^[38;5;256my",
    "^[31mx^[3\n1m^[31my", "^]0;a^[31m\u{7}^[31mx", "^P1;2q\"^[31mx", "^[99mx^[99my", "x^[1my^[1mz",
    "^[31mx\u{9B}m^[31my",
  ]) func `what is not understood is left as it is, and nothing is known behind it`(frame: String) {
    #expect(shortened(frame) == frame)
  }

  @Test func `what is put aside with the cursor comes back with it`() {
    #expect(shortened("^[;31mx^7^[;32my^8^[31mz^[32mz") == "^[0;31mx^7^[32my^8z^[32mz")
  }

  @Test(arguments: [
    ("a" + String(repeating: " ", count: 40) + "b", "a ^[39bb"),
    (String(repeating: " ", count: 6) + "b", " ^[5bb"),
    (String(repeating: " ", count: 5) + "b", "     b"),
    ("^[44m" + String(repeating: " ", count: 120) + "^[44m  x ", "^[44m ^[119b  x "),
    (
      String(repeating: " ", count: 10) + "^[44m" + String(repeating: " ", count: 10),
      " ^[9b^[44m ^[9b"
    ), ("^[3\n          m          b", "^[3\n          m ^[9bb"),
    ("^          B          b", "^          B ^[9bb"),
    ("-------------------", "-------------------"), ("    漢        字", "    漢 ^[7b字"),
  ]) func `blanks are sent as a count where a terminal repeats them`(
    frame: String, short: String
  ) {
    let bytes = Array(frame.replacing("^", with: "\u{1B}").utf8)
    let text = String(decoding: shorten(bytes, repeatsBlanks: true), as: UTF8.self)
    #expect(text == short.replacing("^", with: "\u{1B}"))
    #expect(shorten(bytes).count { $0 == 0x20 } == bytes.count { $0 == 0x20 })
  }

  @Test(arguments: [false, true])
  func `whatever a frame is made of, the same is on the screen`(repeatsBlanks: Bool) {
    var random = SeededGenerator(seed: 7)
    for round in 0..<400 {
      var whole = VirtualTerminal(rows: 12, columns: 40)
      var short = whole
      var count = 0
      var known = FrameShortener.Known()
      for _ in 0..<4 {
        let frame = Array(Self.frame(&random).utf8)
        let shortened = FrameShortener.shorten(
          frame, repeatsBlanks: repeatsBlanks, knowing: &known)
        // Between frames others write, in the look that is left.
        whole.feed(frame + Array("between".utf8))
        short.feed(shortened + Array("between".utf8))
        count += shortened.count - frame.count
      }
      #expect(count <= 0)
      guard whole.seenCells == short.seenCells, whole.cursor == short.cursor,
        whole.bells == short.bells
      else {
        Issue.record("round \(round)")
        return
      }
    }
  }

  /// Pieces of what terminals are sent, in any order.
  private static func frame(_ random: inout SeededGenerator) -> String {
    let frame = (0..<Int.random(in: 1...120, using: &random)).map { _ in piece(&random) }
    return frame.joined()
  }

  private static func piece(_ random: inout SeededGenerator) -> String {
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    switch number(0...17) {
    case 0...3:
      return [
        "a", "wort ", "  ", "漢字", "é", "⏎", "\u{A0}", String(repeating: " ", count: number(3...50)),
      ][number(0...7)]
    case 4...8:
      let codes = (0...number(0...3)).map { _ in
        [
          "", "0", "1", "2", "3", "4", "5", "7", "8", "9", "22", "23", "24", "25", "27", "28", "29",
          "3\(number(0...7))", "4\(number(0...7))", "9\(number(0...7))", "10\(number(0...7))", "39",
          "49", "38;5;\(number(0...255))", "48;5;\(number(0...255))", "48;2;1;2;\(number(0...255))",
          "38;2;\(number(0...255));4;5", "21", "6", "10",
        ][number(0...29)]
      }
      return "\u{1B}[\(codes.joined(separator: ";"))m"
    case 9: return "\u{1B}(B\u{1B}[m\u{1B}[39;49m\u{1B}[38;5;253m\u{1B}[48;5;234m"
    case 10: return "\u{1B}[\(number(1...12));\(number(1...40))H"
    case 11: return "\u{1B}[\(number(1...5))" + ["A", "B", "C", "D", "G", "d"][number(0...5)]
    case 12: return "\u{1B}[\(number(0...2))" + ["J", "K"][number(0...1)]
    case 13:
      return "\u{1B}[\(number(1...3))" + ["X", "@", "P", "L", "M", "S", "T", "b"][number(0...7)]
    case 14: return ["\r", "\n", "\u{8}", "\t", "\u{7}", "\u{E}", "\u{F}"][number(0...6)]
    case 15: return "\u{1B}" + ["7", "8", "M", "D", "E", "(B", "(0", ")0", "=", "c"][number(0...9)]
    case 16:
      return "\u{1B}"
        + ["[?25l", "[?12l", "[?1049h", "[?1049l", "[!p", "[s", "[u", "[4h", "[4l", "[2;9r"][
          number(0...9)]
    default:
      return "\u{1B}"
        + [
          "]0;title\u{7}", "]8;;x\u{1B}\\", "[", "[3", "[4:3m", "P1q\u{1B}\\", "_Gq\u{1B}\\",
          "\u{1B}",
        ][number(0...7)]
    }
  }

  @Test func `a frame of twenty thousand bytes takes no time that is noticed`() {
    let cell = "^(B^[m^[39;49m^[38;5;253m^[48;5;234mword ^[1m".replacing("^", with: "\u{1B}")
    let frame = Array(String(repeating: cell, count: 430).utf8)
    let clock = ContinuousClock()
    let best = (0..<20).map { _ in clock.measure { _ = shorten(frame) } }.min()
    // Without optimisation, on a busy machine; with it, it is a tenth of a millisecond.
    #expect(best.map { $0 < .milliseconds(20) } == true)
  }
}
