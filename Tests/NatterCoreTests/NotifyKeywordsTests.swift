import Testing

@testable import NatterCore

/// The keywords that notify, and where they are found.
@Suite struct NotifyKeywordsTests {
  private func words(_ list: String...) throws -> NotifyKeywords {
    var words = NotifyKeywords()
    for word in list { try words.add(word) }
    return words
  }

  @Test(arguments: [
    ("release", "The RELEASE is out", true), ("release", "released", false),
    ("release", "prerelease", false), ("release", "pre-release!", true),
    ("release", "release_2", false), ("release", "release2", false), ("release", "", false),
    ("Zoë", "zoe is here", true), ("zoe", "ZOE\u{308}!", true), ("zoe", "zoë", true),
    ("élan", "des elans", false), ("coeur", "mon cœur", true), ("straße", "STRASSE 5", true),
    ("λόγος", "ΛΟΓΟΣ", true), ("C++", "I like c++.", true), ("C++", "c++11", false),
    ("release date", "the release\n date", false), ("release date", "the release\ndate", true),
    ("release date", "a release  date", false), ("🎉", "done🎉🎉", true),
  ])
  func `a whole word is found, whatever its case and accents`(
    word: String, text: String, isFound: Bool
  ) throws {
    let words = try words(word)
    #expect(words.match(text) == isFound)
    #expect(words.ranges(in: text).isEmpty == !isFound)
  }

  @Test(arguments: [
    ("发布", "今天发布新版本", true), ("发布", "今天出发", false), ("が", "か", false),
    ("か", "が", false), ("が", "これか\u{3099}", true), ("リリース", "新リリースです", true),
    ("ข่าว", "อ่านข่าววันนี้", true), ("서울", "서울에서", true), ("가", "각", false),
    ("natter", "我用natter聊天", true), ("natter", "我用natters聊天", false),
    ("a组", "我在a组里", true), ("a组", "我在ba组里", false),
  ])
  func `in scripts without spaces a word is found anywhere`(
    word: String, text: String, isFound: Bool
  ) throws {
    #expect(try words(word).match(text) == isFound)
  }

  @Test(arguments: ["", " é", " 文"])
  func `all keywords are found in order, the longest where several begin`(rest: String) throws {
    let words = try words("new", "New York", "york", "ork")
    let text = "York: new york, new yorker" + rest
    #expect(words.ranges(in: text).map { String(text[$0]) } == ["York", "new york", "new"])
  }

  @Test func `a word has a character that can be seen`() {
    var words = NotifyKeywords()
    for text in ["", " ", "\u{301}", "\u{200B}", "\u{200B} \u{2060}", "\n"] {
      #expect(throws: NotifyKeywords.Refusal.empty) { try words.add(text) }
    }
    #expect(words.isEmpty && words.text == nil)
  }

  @Test func `a word is there once, and is removed as it is found`() throws {
    var words = try words("Café", "rose")
    #expect(throws: NotifyKeywords.Refusal.known) { try words.add("CAFE") }
    #expect(words.remove("tulip") == nil && words.remove("") == nil)
    #expect(words.remove("cafe") == "Café")
    #expect(words.list == ["rose"] && !words.match("a café") && words.match("a rose"))
    #expect(words == NotifyKeywords(text: "rose"))
    try words.add("cafe")
    #expect(words.match("a café"))
  }

  @Test func `keywords and their number have limits`() throws {
    var words = NotifyKeywords()
    let longest = String(repeating: "é", count: NotifyKeywords.wordLimit)
    try words.add(longest)
    #expect(words.match("so \(longest)!"))
    #expect(throws: NotifyKeywords.Refusal.long) { try words.add(longest + "e") }
    #expect(throws: NotifyKeywords.Refusal.long) {
      try words.add("e" + String(repeating: "\u{301}", count: 400))
    }
    for number in 1..<NotifyKeywords.limit { try words.add("w\(number)") }
    #expect(throws: NotifyKeywords.Refusal.full) { try words.add("one more") }
    #expect(words.list.count == NotifyKeywords.limit)
  }

  @Test func `keywords are stored in lines, of which only the valid ones are read`() throws {
    let words = try words("release  date", "发布", "C++")
    #expect(words.text == "release date\n发布\nC++")
    #expect(NotifyKeywords(text: words.text) == words)
    let long = String(repeating: "x", count: NotifyKeywords.wordLimit + 1)
    #expect(NotifyKeywords(text: "rose\n\n\(long)\n ROSE\ntulip\n").list == ["rose", "tulip"])
    #expect(NotifyKeywords(text: nil).list.isEmpty)
    let many = (0..<150).map { "w\($0)" }.joined(separator: "\n")
    #expect(NotifyKeywords(text: many).list.count == NotifyKeywords.limit)
  }

  @Test(arguments: [
    "é", "e\u{301}", "E\u{301}\u{316}", "İ", "Σ", "œ", "Ж", "ᾂ", "ﷺ", "が", "か\u{3099}", "กำ",
    "ש\u{5B0}\u{301}", "👩‍👩‍👧", "<\u{338}", "\u{301}", "\u{340}",
  ])
  func `the form of a character is that of the search, however often it is there`(
    character: String
  ) {
    let form = SearchForm.whole(character).unicodeScalars.map(\.value)
    for count in 1...3 {
      let text = Array(repeating: character, count: count).joined(separator: "x")
      let forms = Array(repeating: form, count: count).joined(separator: [0x78])
      #expect(FoldedText(text).scalars == Array(forms))
    }
  }
}
