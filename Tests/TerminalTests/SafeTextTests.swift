import Testing

@testable import Terminal

@Suite struct SafeTextTests {
  @Test(arguments: ["❤️", "👍🏽", "👨‍👩‍👧", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️‍🔥"])
  func `an emoji of several characters is one glyph where the terminal draws it so`(emoji: String) {
    var glyphs: [String] = []
    for cluster in emoji {
      SafeText.forEachGlyph(of: cluster, drawsWhole: true) { glyphs.append("\($0) \($1)") }
    }
    #expect(glyphs == ["\(emoji) 2"])
    #expect(!SafeText.glyphs(of: Character(emoji)).contains { $0.glyph == Character(emoji) })
  }

  @Test(arguments: [
    "a", "é", "🇫🇷", "👍", "❤", "❤\u{FE0E}", "1\u{FE0F}", "👨\u{200D}", "a\u{200D}👩", "e\u{FE0F}",
    "👨" + String(repeating: "\u{200D}👩", count: 12), "\u{202E}", "\u{1B}",
  ])
  func `nothing else is`(text: String) {
    for cluster in text { #expect(!WideGlyphs.isOne(cluster)) }
  }

  /// The strings of the width measurements (interface.md, "Widths"): shown text and columns in
  /// every terminal.
  @Test(arguments: [
    ("a", "a", 1),
    ("\u{6F22}", "\u{6F22}", 2),
    ("e\u{301}", "\u{E9}", 1),
    ("\u{1F600}", "\u{1F600}", 2),
    ("\u{2764}", "\u{2764}", 1),
    ("\u{2764}\u{FE0F}", "\u{2764}", 1),
    ("1\u{FE0F}\u{20E3}", "1", 1),
    ("\u{A9}\u{FE0F}", "\u{A9}", 1),
    ("\u{2600}\u{FE0E}", "\u{2600}", 1),
    ("\u{231A}", "\u{231A}", 2),
    ("\u{1F1EB}\u{1F1F7}", "\u{1F1EB}\u{1F1F7}", 2),
    ("\u{1F1EB}", "F", 1),
    ("\u{1F1EB}\u{1F1F7}\u{1F1E9}", "\u{1F1EB}\u{1F1F7}D", 3),
    ("\u{1F44D}\u{1F3FD}", "\u{1F44D}", 2),
    ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{1F468}\u{1F469}\u{1F467}", 6),
    ("\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}", "\u{1F3F3}\u{1F308}", 3),
    ("\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}", "\u{1F3F4}", 2),
    ("\u{915}\u{94D}\u{937}\u{93F}", "\u{915}\u{94D}\u{937}\u{93F}", 3),
    ("\u{E01}\u{E33}", "\u{E01}\u{E33}", 2),
    ("\u{633}\u{644}\u{627}\u{645}", "\u{633}\u{644}\u{627}\u{645}", 4),
    ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}", 2),
    ("\u{200B}", "", 0),
    ("\u{200D}", "", 0),
    ("a\u{AD}b", "ab", 2),
    ("\u{200E}\u{202E}\u{2066}\u{2060}\u{FEFF}\u{61C}", "", 0),
    ("\u{1FAE0}", "\u{1FAE0}", 2),
    ("\u{1FAE9}", "\u{FFFD}", 1),
    ("\u{E0B0}", "\u{FFFD}", 1),
    ("\u{50000}\u{FFFF}", "\u{FFFD}\u{FFFD}", 2),
    ("\t", "    ", 4),
    ("\u{3000}", "\u{3000}", 2),
    ("\u{FF21}\u{FF71}", "\u{FF21}\u{FF71}", 3),
    ("a\u{301}\u{302}\u{303}\u{304}\u{305}", "\u{E1}\u{302}\u{303}\u{304}", 1),
    ("\u{23CE}\u{21A9}\u{1F4CE}\u{1F5BC}", "\u{23CE}\u{21A9}\u{1F4CE}\u{1F5BC}", 5),
    ("\u{1B}[31m", "^[[31m", 6),
    ("\u{0}\u{7}\u{7F}", "^@^G^?", 6),
    ("\u{9B}\u{9D}\u{85}", "\u{FFFD}\u{FFFD}\u{FFFD}", 3),
    ("a\r\nb\nc\rd", "a⏎b⏎c^Md", 8),
    ("abc\u{202E}gnp.exe", "abcgnp.exe", 10),
    ("\u{301}x", "\u{25CC}\u{301}x", 2),
    ("\u{212B}", "\u{C5}", 1),
    ("q\u{307}\u{323}", "q\u{323}\u{307}", 1),
    ("\u{2028}\u{2029}", "", 0),
  ]) func `text is shown alike everywhere`(text: String, shown: String, columns: Int) {
    let safe = SafeText.line(text)
    #expect(Array(safe.unicodeScalars) == Array(shown.unicodeScalars))
    #expect(text.columns == columns)
    var surface = Surface(size: Size(rows: 1, columns: 20))
    #expect(surface.write(text, row: 0, column: 3) == 3 + columns)
    #expect(text.reduce(0) { $0 + $1.columns } == columns)
  }

  /// Where characters of ambiguous width take two columns, all else keeps its own. In a process of
  /// its own: the terminal is that of the whole process.
  @Test func `characters of ambiguous width are counted as the terminal has them`() async {
    await #expect(processExitsWith: .success) {
      let corpus: [(text: String, narrow: Int, wide: Int)] = [
        ("αβγ Ωmega", 9, 13), ("привет", 6, 12), ("Ёё", 2, 4), ("“quoted”", 8, 10),
        ("it’s… – —", 9, 13), ("é è à ü", 7, 11), ("ñ ç ö", 5, 5), ("─│┌●○★", 6, 12),
        ("±×÷°§", 5, 10), ("漢字α", 5, 6), ("한α글", 5, 6), ("ASCII only", 10, 10),
        ("α\u{302}", 1, 2), ("α\u{301}", 1, 1), ("и\u{306}", 1, 2), ("\u{FFFD}\u{E000}", 2, 4),
        ("①②", 2, 4), ("🇫🇷👍α", 5, 6), ("\u{2126}\u{212B}", 2, 3), ("a\u{AD}α", 2, 3),
        ("שלום ½", 6, 7),
      ]
      for isWide in [false, true] {
        AmbiguousWidth.isWide = isWide
        for (text, narrow, wide) in corpus {
          let columns = isWide ? wide : narrow
          #expect(text.columns == columns, "\(text)")
          #expect(text.reduce(0) { $0 + $1.columns } == columns, "\(text)")
          var surface = Surface(size: Size(rows: 1, columns: 20))
          #expect(surface.write(text, row: 0, column: 2) == 2 + columns, "\(text)")
          #expect(text.truncated(columns: columns) == text)
          #expect(LineWrap.rows(of: text, width: 20) == [text[...]])
        }
      }
      #expect("привет мир".prefix(columns: 5) == "пр")
      #expect(LineWrap.rows(of: "привет мир", width: 12) == ["привет", "мир"])
      #expect("привет".truncated(columns: 9, mark: "~") == "прив~")
    }
    #expect(!AmbiguousWidth.isWide)
  }

  @Test func `a block keeps its line ends only`() {
    #expect(SafeText.block("a\r\nb\n\u{1B}c\r") == "a\nb\n^[c^M")
    #expect(SafeText.block("plain\ntext") == "plain\ntext")
  }

  @Test func `no text whatever brings a control, format or unassigned character to the screen`() {
    var random = SystemRandomNumberGenerator()
    for round in 0..<600 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<24 {
        // Interesting neighbourhoods first, then anything.
        let pools: [ClosedRange<UInt32>] = [
          0...0xFF, 0x300...0x36F, 0x900...0x97F, 0x1100...0x11FF, 0x2000...0x206F,
          0x1F1E0...0x1F200, 0x1F3F0...0x1F480, 0xE0000...0xE01FF, 0...0x10FFFF,
        ]
        let pool = pools[round % pools.count]
        if let scalar = Unicode.Scalar(UInt32.random(in: pool, using: &random)) {
          scalars.append(scalar)
        }
      }
      let text = String(scalars)
      let safe = SafeText.line(text)
      for scalar in safe.unicodeScalars {
        let kind = ScalarClass(scalar.value)
        #expect(kind != .control && kind != .dropped && kind != .breakChance)
        #expect(kind != .replaced || scalar == "\u{FFFD}")
      }
      #expect(
        safe.columns == text.columns, "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
      // Clusters are those of the standard library, whatever the scanner's short cuts.
      var clusters: [String] = []
      text.withBytes { bytes in
        scanClusters(bytes) { cluster in
          clusters.append(String(decoding: bytes[cluster.start..<cluster.end], as: UTF8.self))
          return true
        }
      }
      #expect(
        clusters == text.map(String.init),
        "\(text.unicodeScalars.map { String($0.value, radix: 16) })")
    }
  }

  @Test func `prefixes and truncation count columns`() {
    #expect("漢字漢字".truncated(columns: 5) == "漢字…")
    #expect("漢字漢字".truncated(columns: 4) == "漢…")
    #expect("abc".truncated(columns: 3) == "abc")
    #expect("abc".truncated(columns: 0) == "")
    #expect("abc".truncated(columns: 1, mark: "...") == "a")
    #expect("e\u{301}e\u{301}".prefix(columns: 1) == "e\u{301}")
    #expect("ab".padded(columns: 4) == "ab  ")
    #expect("漢字".padded(columns: 3) == "漢…")
    #expect("漢字x"[...].prefix(columns: 3) == "漢")
  }
}

@Suite struct StyledTextTests {
  private let a = StyleRole(rawValue: 1)
  private let b = StyleRole(rawValue: 2)

  @Test func `equal neighbours become one run and empty text none`() {
    var text = StyledText("x", a)
    text.append("", b)
    text.append("y", a)
    text.append("z", b)
    #expect(text.runs == [.init("xy", a), .init("z", b)])
    #expect(text.text == "xyz")
    #expect(StyledText("").isEmpty)
  }

  @Test func `truncation cuts in the right run`() {
    let text = StyledText("漢字", a) + StyledText("abc", b)
    #expect(text.columns == 7)
    #expect(text.truncated(columns: 7) == text)
    #expect(text.truncated(columns: 6) == StyledText("漢字", a) + StyledText("a…", b))
    #expect(text.truncated(columns: 4) == StyledText("漢…", a))
    #expect(text.truncated(columns: 1) == StyledText("…", a))
    #expect(text.truncated(columns: 0).isEmpty)
  }

  @Test func `wrapping keeps the roles`() {
    let text = StyledText("one ", a) + StyledText("two thr", b) + StyledText("ee", a)
    #expect(
      text.wrapped(width: 6) == [
        StyledText("one", a), StyledText("two", b), StyledText("thr", b) + StyledText("ee", a),
      ])
    #expect(
      StyledText("one two", b).wrapped(width: 3) == [StyledText("one", b), StyledText("two", b)])
    #expect(StyledText("").wrapped(width: 3) == [StyledText("")])
  }

  @Test func `texts join with a separator`() {
    let joined = [StyledText("x", a), StyledText("y", b)].joined(separator: " | ")
    #expect(joined == StyledText("x", a) + StyledText(" | ") + StyledText("y", b))
  }
}

@MainActor @Suite struct MemoryScreenTests {
  @Test func `copies show at the next flush`() {
    let screen = MemoryScreen(size: Size(rows: 2, columns: 5))
    var surface = Surface(size: Size(rows: 1, columns: 2))
    surface.write("hi", row: 0, column: 0)
    screen.copy(surface, row: 1, column: 4)
    #expect(screen.shown.description == "\n")
    screen.flush(cursor: Point(row: 1, column: 4))
    #expect(screen.shown.description == "\n    h")
    #expect(screen.cursor == Point(row: 1, column: 4))
    screen.setTitle("a\u{7}b\n")
    #expect(screen.title == "a^Gb⏎")
    screen.resize(to: Size(rows: 1, columns: 1))
    #expect(screen.shown.description == "")
  }
}
