import Foundation
import NatterCore
import Testing

/// What is read from a typed search.
@Suite struct SearchQueryTests {
  private static let day = Date(timeIntervalSince1970: 1_700_000_000)

  /// The English names, French and Chinese ones, and a day of its own.
  private static var vocabulary: SearchVocabulary {
    var vocabulary = SearchVocabulary { text in
      switch text {
      case "2023-11-14": day..<day.addingTimeInterval(86_400)
      case "2023-11": day..<day.addingTimeInterval(30 * 86_400)
      default: nil
      }
    }
    vocabulary.add(["de"], for: .from)
    vocabulary.add(["来自"], for: .from)
    vocabulary.add(["après", "apres"], for: .after)
    vocabulary.add(["含有"], for: .has)
    vocabulary.add(["图片"], for: SearchQuery.Attachment.image)
    vocabulary.add(user: ["moi", "我"], unread: ["未读"])
    return vocabulary
  }

  private func query(_ text: String) -> SearchQuery {
    SearchQuery(text, vocabulary: Self.vocabulary)
  }

  private func terms(_ text: String) -> [String] { query(text).terms.map(\.text) }

  @Test func `a query has its terms, its phrases and what a text must not have`() {
    let query = query("  rose \"by any  other name\" -thorn -\"no more\" 北京 ")
    #expect(
      query.terms == [
        .init("rose"), .init("by any other name", isPhrase: true), .init("北京"),
      ])
    #expect(query.excluded == [.init("thorn"), .init("no more", isPhrase: true)])
    #expect(!query.hasFilters && !query.isEmpty && query.problems.isEmpty)
    #expect(query.text == "rose \"by any  other name\" -thorn -\"no more\" 北京")
  }

  @Test func `what is no filter is text`() {
    #expect(
      terms("10:30 http://example.org/a?b#c localhost:8080 re: note:x") == [
        "10:30", "http://example.org/a?b#c", "localhost:8080", "re:", "note:x",
      ])
    #expect(terms("- -- --help a-b") == ["-", "--", "--help", "a-b"])
    #expect(terms("\"from:bob\"") == ["from:bob"])
    #expect(!query("\"from:bob\"").hasFilters)
  }

  @Test func `filters are read with their values, in the languages of the user`() {
    let query = query("from:bob FROM:\"Bob Smith\" de:moi 来自：张三 in:den has:link 含有:图片 is:unread")
    #expect(query.terms.isEmpty && query.problems.isEmpty && query.hasFilters)
    #expect(query.senders == ["bob", "Bob Smith", "张三"] && query.includesUser)
    #expect(query.conversations == ["den"])
    #expect(query.attachments == [.link, .image] && query.isUnread)
  }

  @Test func `days limit the time`() {
    let next = Self.day.addingTimeInterval(86_400)
    #expect(query("on:2023-11-14").start == Self.day && query("on:2023-11-14").end == next)
    #expect(query("before:2023-11-14").end == Self.day)
    #expect(query("before:2023-11-14").start == nil)
    #expect(query("après:2023-11-14").start == next)
    // The narrowest of several.
    let both = query("on:2023-11 on:2023-11-14")
    #expect(both.start == Self.day && both.end == next)
  }

  @Test func `a value that is not valid is reported, and the rest still applies`() {
    let query = query("rose after:soon has:wings is:blue -from:bob in:den")
    #expect(query.problems == ["after:soon", "has:wings", "is:blue", "from:bob"])
    #expect(terms("rose after:soon") == ["rose"] && query.conversations == ["den"])
    // A value that is being typed is no mistake.
    #expect(self.query("from: has:").problems.isEmpty && self.query("from: has:").isEmpty)
  }

  @Test(arguments: ["", "   ", "\"", "\"\"", "\" \"", "\u{0}", "\t\n"])
  func `nothing is an empty search`(text: String) {
    #expect(query(text).isEmpty)
  }

  @Test func `quotation marks need no end, and control characters are blanks`() {
    #expect(query("\"by any").terms == [.init("by any", isPhrase: true)])
    #expect(query("a \"").terms == [.init("a")])
    #expect(query("“a b”").terms == [.init("a b", isPhrase: true)])
    #expect(terms("a\u{0}b\u{1B}[2Jc\u{85}d") == ["a", "b", "[2Jc", "d"])
    // A mark makes another character of the quotation mark, and not another scalar.
    #expect(query("\"\u{301}a\"").terms.map(\.isPhrase) == [true])
  }

  @Test func `a long text is cut, and so are many terms`() {
    let long = query(String(repeating: "x", count: 10_000))
    #expect(long.terms.map(\.text.count) == [SearchQuery.longest])
    let many = query(String(repeating: "a -b ", count: 2_000))
    #expect(many.terms.count + many.excluded.count == SearchQuery.mostTerms)
  }
}
