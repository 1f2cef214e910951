import Testing

@testable import Terminal

@Suite struct LineWrapTests {
  private func rows(_ text: String, _ width: Int) -> [String] {
    LineWrap.rows(of: text, width: width).map(String.init)
  }

  @Test(arguments: [
    ("", 5, [""]),
    ("abc", 5, ["abc"]),
    ("abcde", 5, ["abcde"]),
    ("hello big world", 5, ["hello", "big", "world"]),
    ("hello big world", 9, ["hello big", "world"]),
    ("one  two", 5, ["one", "two"]),
    ("ends in blanks     ", 14, ["ends in blanks"]),
    ("  indented text", 10, ["  indented", "text"]),
    ("a\n\nb", 5, ["a", "", "b"]),
    ("a\r\nb\n", 5, ["a", "b", ""]),
    ("a\u{2028}b", 5, ["a", "b"]),
  ]) func `rows end at blanks and line ends`(text: String, width: Int, expected: [String]) {
    #expect(rows(text, width) == expected)
  }

  @Test(arguments: ["a\nb", "a\r\nb", "a\u{2028}b", "a\u{2029}b", "a\u{85}b", "a\u{B}b", "a\rb"])
  func `what is put before each line is where rows begin`(text: String) {
    let indented = StyledText(text).indented(by: "> ").text
    #expect(rows(indented, 20).dropFirst().allSatisfy { $0.hasPrefix("> ") })
    #expect(indented.contains("> ") == (rows(text, 20).count == 2))
  }

  @Test(arguments: [
    ("abcdefgh", 3, ["abc", "def", "gh"]),
    ("x abcdefgh", 4, ["x", "abcd", "efgh"]),
    ("https://example.org/a/b?c=d&e", 12, ["https://", "example.org/", "a/b?c=d&e"]),
    ("well-known words", 11, ["well-known", "words"]),
    ("a well-known", 6, ["a", "well-", "known"]),
    ("don't-break here", 16, ["don't-break here"]),
  ]) func `a word breaks inside only when longer than a row`(
    text: String, width: Int, expected: [String]
  ) {
    #expect(rows(text, width) == expected)
  }

  @Test(arguments: [
    ("漢字漢字", 4, ["漢字", "漢字"]),
    ("漢字漢字", 5, ["漢字", "漢字"]),
    ("漢字漢。字", 6, ["漢字", "漢。字"]),
    ("「漢字」です", 4, ["「漢", "字」", "です"]),
    ("漢（字字", 4, ["漢", "（字", "字"]),
    ("say漢字", 4, ["say", "漢字"]),
    ("ab😀cd", 3, ["ab", "😀", "cd"]),
    ("漢", 1, ["漢"]),
    ("漢字", 1, ["漢", "字"]),
  ]) func `ideographs break anywhere but at kinsoku characters`(
    text: String, width: Int, expected: [String]
  ) {
    #expect(rows(text, width) == expected)
  }

  @Test func `clusters stay whole and zero width spaces are chances`() {
    #expect(rows("e\u{301}e\u{301}e\u{301}", 2) == ["e\u{301}e\u{301}", "e\u{301}"])
    #expect(rows("ab\u{200B}cd", 3) == ["ab", "cd"])
    #expect(rows("👨‍👩‍👧👨‍👩‍👧", 6) == ["👨‍👩‍👧", "👨‍👩‍👧"])
    #expect(rows("क्षिक्षि", 4) == ["क्षि", "क्षि"])
  }

  @Test func `a first row may be narrower`() {
    let rows = LineWrap.rows(of: "hello big world", width: 9, firstWidth: 5)
    #expect(rows.map(String.init) == ["hello", "big world"])
  }

  @Test(arguments: [0, -4]) func `no width, no rows`(width: Int) {
    #expect(rows("abc", width) == [])
  }

  @Test func `every row of any text fits, and only blanks are lost`() {
    let pieces = [
      "a", "word", " ", "  ", "漢", "。", "（", "-", "/", "\n", "👨‍👩‍👧", "e\u{301}", "\u{200B}", "🇫🇷", "\t",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<400 {
      let text = (0..<Int.random(in: 0..<30, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let width = Int.random(in: 6..<20, using: &random)
      let rows = rows(text, width)
      #expect(
        rows.allSatisfy { $0.columns <= width || $0.allSatisfy(\.isWhitespace) },
        "\(text.debugDescription) in \(width)")
      func solid(_ text: String) -> String {
        String(text.unicodeScalars.filter { !" \t\n\u{200B}".unicodeScalars.contains($0) })
      }
      #expect(solid(rows.joined()) == solid(text), "\(text.debugDescription)")
    }
  }

  @Test(arguments: [
    ("Il faut quitter : maintenant", 15, ["Il faut", "quitter :", "maintenant"]),
    ("Vraiment ? Oui !", 9, ["Vraiment", "? Oui !"]),
    ("Est-ce vrai ? Oui !", 11, ["Est-ce", "vrai ?", "Oui !"]),
    ("dit « bonjour » à tous", 8, ["dit", "« bonjou", "r » à", "tous"]),
    ("il dit « oui » là", 9, ["il dit", "« oui »", "là"]),
    ("voir (  rien )", 8, ["voir", "(  rien", ")"]),
    ("un mot", 5, ["un", "mot"]), ("ok :)", 4, ["ok", ":)"]), ("so ok :)", 7, ["so", "ok :)"]),
  ])
  func `marks that have a blank before them begin no row, where it can end elsewhere`(
    text: String, width: Int, rows: [String]
  ) {
    #expect(LineWrap.rows(of: text, width: width).map(String.init) == rows)
  }
}
