import NatterCore
import Testing

@testable import Text

/// The marks of scripts in the text of a message.
@Suite struct DecoratedTextTests {
  /// The parts of a text with their marks: `good:#12`.
  private func parts(_ text: String, _ marks: MessageDecoration.Span...) -> [String] {
    MessageDecoration(spans: marks).painted(MessageMarkup.spans(of: text), of: text).map {
      ($0.decoration.map { "\($0.role)\($0.number):" } ?? "") + $0.text
    }
  }

  @Test func `marks count in characters, and all of the text stays`() {
    #expect(
      parts("👨‍👩‍👧é #12 and", .init(3..<6, .good), .init(7..<10, .bad))
        == ["👨‍👩‍👧é ", "good0:#12", " ", "bad1:and"])
    #expect(parts("#1#2", .init(0..<2, .good), .init(2..<4, .good)) == ["good0:#1", "good1:#2"])
    #expect(parts("all", .init(0..<3, .warning)) == ["warning0:all"])
    #expect(MessageDecoration(spans: [.init(1..<2, .bad)]).painted([], of: "abc").count == 3)
  }

  @Test func `a mark goes over the styles of the text`() {
    let text = "a *bold #1* b"
    let spans = MessageDecoration(spans: [.init(0..<9, .bad)])
      .painted(MessageMarkup.spans(of: text), of: text)
    #expect(spans.map(\.text).joined() == text)
    let marked = spans.filter { $0.decoration != nil }
    #expect(marked.map(\.text).joined() == "a *bold #")
    #expect(
      marked.map { $0.style.contains(.strong) } == [false] + marked.dropFirst().map { _ in true })
  }

  @Test func `links of the text, quote marks and code in lines of its own have none`() {
    let link = "see https://e.example/1 now"
    #expect(
      parts(link, .init(0..<27, .good, link: "https://evil.example"))
        == ["good0:see ", "https://e.example/1", "good0: now"])
    #expect(parts("> q", .init(0..<3, .good)) == ["> ", "good0:q"])
    #expect(parts("```\n#1\n```", .init(0..<9, .good)) == ["```\n#1\n```"])
  }

  @Test func `a plain mark is one only with a link`() {
    #expect(parts("abc", .init(0..<1, .plain)) == ["abc"])
    #expect(parts("abc", .init(0..<1, .plain, link: "https://e.example")) == ["plain0:a", "bc"])
  }

  @Test func `a mark outside of the text marks nothing`() {
    #expect(parts("abc", .init(2..<9, .good), .init(9..<12, .good)) == ["ab", "good0:c"])
  }

  @Test func `matches of a search keep the marks`() {
    let spans = MessageDecoration(spans: [.init(0..<6, .good, link: "https://e.example")])
      .painted([], of: "ticket 1")
    let painted = FoundText.painted(spans, of: "ticket 1", words: ["tick"])
    #expect(painted.map(\.text) == ["tick", "et", " 1"])
    #expect(painted.map(\.isLink) == [true, true, false])
  }

  @Test(arguments: [
    ("https://e.example/1", true), ("mailto:a@e.example", true), ("xmpp:a@e.example", true),
    ("file:///etc/passwd", false), ("javascript:alert(1)", false), ("e.example", false),
    ("https://e.example/1 x", false), ("x https://e.example", false), ("", false),
  ])
  func `an address is nothing but a link`(text: String, isLink: Bool) {
    #expect(MessageMarkup.isLink(text) == isLink)
  }
}
