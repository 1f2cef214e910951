import Testing

@testable import Text

/// The search terms in the matches.
@Suite struct FoundTextTests {
  private func found(_ words: String..., in text: String) -> [String] {
    let characters = Array(text)
    return FoundText.ranges(of: words, in: text).map { String(characters[$0]) }
  }

  @Test func `a word is found at its beginning, in either case, with and without accents`() {
    #expect(found("need", in: "A needle, Needles: unneeded NEED") == ["need", "Need", "NEED"])
    #expect(found("cafe", in: "Café au lait") == ["Café"])
    #expect(found("a", "ab", in: "abc a") == ["ab", "a"])
    #expect(found("你好", in: "他说你好吗") == ["你好"])
    #expect(found("x", in: "abc").isEmpty && found("abcd", in: "abc").isEmpty)
    #expect(found("", in: "abc").isEmpty && found("a", in: "").isEmpty)
    #expect(found("no rose", in: "no\nrose") == ["no\nrose"])
    #expect(FoundText.ranges(of: ["a"], in: "a b a b a", limit: 2) == [0..<1, 4..<5])
  }

  @Test func `only they are painted, within styles, and all of the text is there`() {
    let text = "see *the needle* and needle"
    let spans = FoundText.painted(MessageMarkup.spans(of: text), of: text, words: ["needle"])
    #expect(spans.map(\.text).joined() == text)
    let painted = spans.filter { $0.style.contains(.found) }
    #expect(painted.map(\.text) == ["needle", "needle"])
    #expect(painted.map { $0.style.contains(.strong) } == [true, false])
    let plain = FoundText.painted([], of: "a needle", words: ["needle"])
    #expect(plain == [MarkupSpan("a "), MarkupSpan("needle", .found)])
    #expect(FoundText.painted([], of: "hay", words: ["needle"]).isEmpty)
    // Quote marks are no part of what was said.
    let quote = "> a > b"
    let quoted = FoundText.painted(MessageMarkup.spans(of: quote), of: quote, words: [">"])
    #expect(quoted.map(\.text).joined() == quote)
    #expect(quoted.filter { $0.style.contains(.found) }.map(\.text) == [">"])
  }

  @Test func `an excerpt has the first match in it, wherever that is in a long text`() {
    func excerpt(_ text: String) -> String {
      let part = FoundText.excerpt(of: text, having: ["rose"], before: 4, length: 12)
      return (part.isCut ? "|" : "") + part.text
    }
    let hay = String(repeating: "hay ", count: 10_000)
    #expect(excerpt(hay + "a rose garden") == "|y a rose gar")
    #expect(excerpt("a rose " + hay) == "a rose hay h")
    #expect(excerpt("hay") == "hay" && excerpt(hay) == "hay hay hay ")
  }
}
