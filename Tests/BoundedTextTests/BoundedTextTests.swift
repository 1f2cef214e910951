import Testing

@testable import BoundedText

@Suite struct BoundedTextTests {
  private func repeated(_ unit: String, _ count: Int) -> String {
    String(repeating: unit, count: count)
  }

  private func longestCluster(_ text: String) -> Int {
    text.reduce(0) { max($0, $1.unicodeScalars.count) }
  }

  /// Texts as they are written, in which nothing may change.
  private static let written = [
    "plain", "Привет, мир. ", "你好，世界。", "こんにちは、ガギグゲゴ", "안녕하세요",
    "क्षत्रिय कर्त्तव्य ", "สวัสดีน้ำ", "မြန်မာဘာသာစကား", "தமிழ்மொழி", "مُحَمَّدٌ رَسُولُ ٱللَّٰهِ ",
    "בְּרֵאשִׁ֖ית בָּרָ֣א", "བོད་སྐད།", "ភាសាខ្មែរ", "👩🏽‍👩🏽‍👧🏽‍👦🏽", "😀❤️", "e\u{301}a\u{323}\u{302}",
    // Hangul in letters, as one system names files.
    "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}",
    // As many marks as a letter may have, and as many flags in a row.
    "a" + String(repeating: "\u{301}", count: 30), String(repeating: "🇫🇷", count: 15) + " ",
  ]

  @Test(arguments: written) func `what is written in a language stays as it is`(text: String) {
    for count in [1, 2, 50] {
      let long = repeated(text, count)
      #expect(long.bounded.utf8.elementsEqual(long.utf8))
    }
  }

  @Test func `a long run is cut at the limit, and nothing of it is lost`() {
    let text = "a" + repeated("\u{301}", 1000) + "z"
    let bounded = text.bounded
    #expect(longestCluster(bounded) == 31)
    #expect(bounded.unicodeScalars.filter { $0 != "\u{200B}" }.elementsEqual(text.unicodeScalars))
    #expect(bounded.unicodeScalars.count == text.unicodeScalars.count + 33)
    // Once it is bounded it stays.
    #expect(bounded.bounded.utf8.elementsEqual(bounded.utf8))
  }

  @Test func `texts that differ far in still do`() {
    let a = "a" + repeated("\u{301}", 100)
    #expect(a.bounded != (a + "\u{301}").bounded)
  }

  @Test func `flags are cut between two of them`() {
    let bounded = repeated("🇩🇪", 100).bounded
    #expect(bounded.filter { $0 == "🇩🇪" }.count == 100)
    #expect(bounded.unicodeScalars.contains("\u{200B}"))
  }

  @Test(arguments: [
    "\u{301}\u{316}", "\u{1F469}\u{200D}", "\u{200D}", "\u{FE0F}", "\u{E01EF}", "\u{1100}",
    "\u{1161}", "\u{11A8}", "\u{AC00}\u{1161}\u{1161}", "\u{915}\u{94D}", "\u{94D}\u{915}\u{93C}",
    "\u{903}", "\u{600}", "\u{34F}", "\u{1F3FB}", "\u{E0061}", "\u{F73}", "\u{344}", "\u{E33}",
    "\u{20DD}", "\u{16D67}",
  ])
  func `whatever may join ends somewhere`(unit: String) {
    for lead in ["", "a", "\u{915}", "👩", String(repeating: "x", count: 63)] {
      #expect(longestCluster((lead + repeated(unit, 500)).bounded) <= 62)
    }
  }

  /// The table against the standard library's: whichever scalar may join is counted as one that
  /// does.
  @Test func `no scalar of Unicode goes on without end`() {
    for value in UInt32(0x80)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      switch scalar.properties.generalCategory {
      case .unassigned, .privateUse, .surrogate: continue
      default: break
      }
      // The ideographs and the syllables of Hangul are all alike.
      if (0x3500..<0x9F00).contains(value) || (0xAD00..<0xD700).contains(value)
        || (0x20100..<0x323B0).contains(value) || (0x17100..<0x18D00).contains(value)
      {
        continue
      }
      for unit in ["\(scalar)", "\u{94D}\(scalar)", "\(scalar)\u{1F469}"] {
        // A cluster without end takes in at least the second half of eight units; most scalars end
        // one sooner.
        guard longestCluster(repeated(unit, 8)) >= 4 else { continue }
        #expect(longestCluster(repeated(unit, 70).bounded) <= 62, "\(value)")
      }
    }
  }

  @Test func `bytes that are no UTF-8 do no harm`() {
    let bytes: [UInt8] =
      Array(repeatElement([0xCC, 0x81], count: 100).joined()) + [0xCC]
      + Array(repeatElement([0xF0, 0x80], count: 100).joined()) + [0xED, 0xA0, 0x80, 0xFF]
    let text = String(bounding: bytes)
    #expect(longestCluster(text) <= 31)
    #expect(text.unicodeScalars.contains("\u{FFFD}"))
    #expect(String(bounding: [UInt8]()).isEmpty)
  }

  @Test func `the strings of JSON are bounded, be they escaped or not`() {
    let plain = #"{"a\\u0301":"\"\n\u0041\uD83D"}"#
    #expect(String(decoding: ClusterBound.json(Array(plain.utf8)), as: UTF8.self) == plain)
    #expect(
      String(
        decoding: ClusterBound.json(Array(#"["\u00e9\ud83d\ude00"]"#.utf8)), as: UTF8.self)
        == #"["é😀"]"#)
    let escaped = #"["a"# + repeated(#"\u0301\u0316"#, 200) + #""]"#
    #expect(
      longestCluster(String(decoding: ClusterBound.json(Array(escaped.utf8)), as: UTF8.self)) == 31)
  }

  @Test func `the quick table of joining agrees with Unicode`() {
    let ranges: [Range<UInt32>] = [0x300..<0x1000, 0x3000..<0x3100, 0xFF00..<0xFF9E]
    for value in ranges.joined() {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let properties = scalar.properties
      let isMark = [.nonspacingMark, .spacingMark, .enclosingMark].contains(
        properties.generalCategory)
      if isMark { #expect(JoiningKind(scalar) != .base, "\(String(value, radix: 16))") }
      if JoiningKind(scalar) == .mark, value != 0xE33, value != 0xEB3 {
        #expect(isMark, "\(String(value, radix: 16))")
      }
    }
  }
}
