import Testing

@testable import Terminal

@Suite struct BidiOrderTests {
  /// Upper-case letters represent Hebrew ones, as in UAX #9's own examples; digits and punctuation
  /// represent themselves.
  func hebrew(_ text: String) -> String {
    String(
      text.map { letter in
        guard letter.isASCII, letter.isUppercase, let value = letter.asciiValue,
          let scalar = Unicode.Scalar(0x5D0 + UInt32(value) - 65)
        else { return letter }
        return Character(scalar)
      })
  }

  func latin(_ text: String) -> String {
    String(
      text.map { letter in
        guard let value = letter.unicodeScalars.first?.value, (0x5D0..<0x5EA).contains(value)
        else { return letter }
        return Character(Unicode.Scalar(UInt8(value - 0x5D0 + 65)))
      })
  }

  func visual(_ text: String, isRightToLeft: Bool? = nil) -> String {
    let text = hebrew(text)
    return latin(
      BidiOrder.visual(
        text, isRightToLeft: isRightToLeft ?? BidiOrder.isRightToLeft(text)))
  }

  @Test(arguments: [
    ("plain text", "plain text"), ("", ""),
    ("car is THE CAR in arabic", "car is RAC EHT in arabic"),
    ("CAR MEANS car", "car SNAEM RAC"),
    ("he said \"it IS 123, 456, ok\"", "he said \"it 456 ,123 SI, ok\""),
    ("ABC 123 DEF", "FED 123 CBA"), ("abc 123 def", "abc 123 def"),
    ("ABC (def) GHI", "IHG (def) CBA"),
    ("abc (DEF) ghi", "abc (FED) ghi"), ("AB < CD", "DC > BA"), ("SALE 50% OFF", "FFO 50% ELAS"),
    ("COST $10.50!", "!$10.50 TSOC"), ("ABC: x", "x :CBA"),
    ("one TWO three FOUR.", "one OWT three RUOF."),
    ("AB-CD 12:30", "12:30 DC-BA"), ("ABC  ", "  CBA"), ("a(B)c", "a(B)c"),
  ])
  func `a line is drawn as it is read`(text: String, shown: String) {
    #expect(visual(text) == shown)
  }

  @Test func `the direction of the message holds for rows that begin otherwise`() {
    #expect(visual("see you", isRightToLeft: true) == "see you")
    #expect(visual("see you, ABC", isRightToLeft: true) == "CBA ,see you")
    #expect(visual("ABC!", isRightToLeft: false) == "CBA!")
  }

  @Test func `an isolate keeps a name apart from the numbers and text around it`() {
    let plain = hebrew("CHLOE 2 new messages")
    #expect(latin(BidiOrder.visual(plain, isRightToLeft: false)) == "2 EOLHC new messages")
    let apart = hebrew("\u{2068}CHLOE\u{2069} 2 new messages")
    #expect(
      latin(BidiOrder.visual(apart, isRightToLeft: false)).filter { $0.isASCII }
        == "EOLHC 2 new messages")
    // One that is never closed ends with the line; deep text is read unchanged.
    #expect(!BidiOrder.visual(hebrew("a \u{2067}BC"), isRightToLeft: false).isEmpty)
    let deep = String(repeating: "\u{2067}", count: 500) + "x"
    #expect(BidiOrder.visual(deep, isRightToLeft: false).contains("x"))
    #expect(!BidiOrder.isRightToLeft("\u{2067}\u{5D0}\u{2069} abc"))
  }

  @Test func `Arabic letters, their digits and marks`() {
    // "Salam 123" with a mark, and Arabic digits after Arabic letters.
    let salam = "\u{633}\u{64E}\u{644}\u{627}\u{645}"
    let shown = BidiOrder.visual(salam + " 12", isRightToLeft: true)
    #expect(shown.hasPrefix("12 "))
    // The mark stays with its letter.
    #expect(shown.last == "\u{633}\u{64E}")
    #expect(
      BidiOrder.visual("\u{645} \u{661}\u{662}", isRightToLeft: true) == "\u{661}\u{662} \u{645}")
    #expect(BidiOrder.isRightToLeft("12 \u{633} abc") && !BidiOrder.isRightToLeft("12 abc \u{633}"))
  }

  @Test func `nothing is lost, added or torn apart, whatever the text is`() {
    var seed: UInt64 = 7
    func next(_ limit: Int) -> Int {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % limit
    }
    let parts = [
      "a", "\u{5D0}", "\u{627}", "1", "\u{661}", " ", "(", ")", "-", ".", "$", "e\u{301}", "日", "👍🏽",
      "\u{2067}", "\u{2068}", "\u{2069}", "\u{202E}", "[", "]", ",",
    ]
    for _ in 0..<2000 {
      let text = (0..<next(24)).map { _ in parts[next(parts.count)] }.joined()
      for direction in [true, false] {
        let shown = BidiOrder.visual(text, isRightToLeft: direction)
        #expect(shown.count <= text.count + 0)
        #expect(shown.columns == text.columns, "\(text.debugDescription)")
      }
    }
  }

  @Test func `parts keep their roles`() {
    let strong = StyleRole(rawValue: 3)
    let line = StyledText(runs: [.init("one "), .init(hebrew("ABC"), strong), .init("!")])
    let shown = BidiOrder.visual(line, isRightToLeft: false)
    #expect(latin(shown.text) == "one CBA!")
    #expect(shown.runs.map(\.role) == [StyleRole.plain, strong, StyleRole.plain])
  }
}
