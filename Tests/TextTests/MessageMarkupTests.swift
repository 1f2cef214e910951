import Foundation
import NatterCore
import Testing

@testable import Text

@Suite struct MessageMarkupTests {
  private func marked(_ body: String) -> [String] {
    MessageMarkup.spans(of: body).filter { $0.style != .plain }.map {
      "\(name(of: $0.style)): \($0.text)"
    }
  }

  private func name(of style: MarkupSpan.Style) -> String {
    let names: [(MarkupSpan.Style, String)] = [
      (.quote, "quote"), (.quoteMark, "mark"), (.strong, "strong"), (.emphasis, "emphasis"),
      (.strike, "strike"), (.code, "code"), (.link, "link"), (.mention, "mention"),
      (.preformatted, "preformatted"),
    ]
    return names.filter { style.contains($0.0) }.map(\.1).joined(separator: "+")
  }

  @Test(arguments: [
    ("*strong*", ["strong: *strong*"]), ("say *this* now", ["strong: *this*"]),
    ("_a_ and ~b~ and `c`", ["emphasis: _a_", "strike: ~b~", "code: `c`"]),
    // XEP-0393 §3.2 and its examples.
    ("* not*", []), ("*not *", []), ("**", []), ("****", []), ("2*3*4", []),
    ("*two\nlines*", []), ("`*no strong in code*`", ["code: `*no strong in code*`"]),
    ("*_both_*", ["strong: *", "strong+emphasis: _both_", "strong: *"]),
    (
      "*bold _both_ x*", ["strong: *bold ", "strong+emphasis: _both_", "strong:  x*"]
    ),
    (
      "*a ~b `c`~*",
      [
        "strong: *a ", "strong+strike: ~b ", "strong+strike+code: `c`", "strong+strike: ~",
        "strong: *",
      ]
    ),
    ("*see https://a.b *", ["link: https://a.b"]),
    ("*see https://a.b*", ["strong: *see ", "strong+link: https://a.b", "strong: *"]),
    ("snake_case_name", []), ("(*in brackets*)", []),
    (
      "> quoted *text* https://a.b\nanswer",
      [
        "quote+mark: > ", "quote: quoted ", "quote+strong: *text*", "quote:  ",
        "quote+link: https://a.b", "quote: \n",
      ]
    ),
    (">>a\n> > _b_", ["quote+mark: >>", "quote: a\n", "quote+mark: > > ", "quote+emphasis: _b_"]),
    (">\n>", ["quote+mark: >", "quote: \n", "quote+mark: >"]),
    // A block of code in a quote ends with the quote; what looks like a quote in it is code.
    (
      "> ```\n> > *x*\n*y*",
      [
        "quote+mark: > ", "quote+code: ```\n", "quote+mark: > ", "quote+code: > *x*\n",
        "strong: *y*",
      ]
    ),
    (
      "> ```\n> ```\n> *x*",
      [
        "quote+mark: > ", "quote+code: ```\n", "quote+mark: > ", "quote+code: ```\n",
        "quote+mark: > ", "quote+strong: *x*",
      ]
    ),
    ("```\n> *x*\n```", ["preformatted: ```\n> *x*\n```"]),
    ("```\n*code*\n```\n*text*", ["preformatted: ```\n*code*\n```\n", "strong: *text*"]),
    ("```swift\nlet a = 1", ["preformatted: ```swift\nlet a = 1"]),
  ])
  func `styles are those of the specification`(_ body: String, _ styles: [String]) {
    #expect(marked(body) == styles)
  }

  @Test(arguments: [
    "", "*", "plain", "a *b* _c_ ~d~ `e` https://x.y/z_(a)_b, f", "> q\n```\nc\n``` \n*x",
    "👩‍👩‍👧 *é* _日本_", "\r\n*a*\r\n", "*a _b *c* d_ e*", "> > a\n>\n>b *c*\n\n> ", ">```\nx",
  ])
  func `the parts are the text again`(_ body: String) {
    #expect(MessageMarkup.spans(of: body).map(\.text).joined() == body)
  }

  @Test(arguments: [
    ("see https://example.org/a_b_c.", ["https://example.org/a_b_c"]),
    ("(http://x.org/wiki/A_(b))", ["http://x.org/wiki/A_(b)"]),
    ("HTTPS://X.ORG, xmpp:a@b.c?join!", ["HTTPS://X.ORG", "xmpp:a@b.c?join"]),
    ("看https://例.org/路径。好", ["https://例.org/路径"]),
    ("https:// x", []), ("javascript:alert(1) file:///etc/passwd", []), ("note: this", []),
    ("<https://a.b>", ["https://a.b"]), ("xhttp://a.b", []), ("*https://a.b/*", ["https://a.b/"]),
  ])
  func `links are found as people write them`(_ body: String, _ links: [String]) {
    #expect(MessageMarkup.links(in: body) == links)
  }

  @Test(
    arguments: [
      "”", "’", "»", "›", "‘", "“", "«", "！", "？", "：", "】", "〉", "〕", "؟", "،", "؛", "।", "､", "｡",
      "—", "–", "…", "|", "\\", "”.", ".”", "’)", "?!", "！”",
    ])
  func `what closes or ends a sentence is no part of the link before it`(_ end: String) {
    #expect(MessageMarkup.links(in: "“https://q.example/x\(end) y") == ["https://q.example/x"])
    #expect(MessageMarkup.links(in: "https://q.example/x\(end)") == ["https://q.example/x"])
  }

  @Test(
    arguments: [
      "https://zh.example/玫瑰花", "https://fr.example/a’b", "https://ja.example/データー",
      "https://例え.テスト/é", "https://ar.example/مرحبا", "https://e.example/%C3%A9",
      "https://e.example/A_(b)", "https://e.example/a-", "https://e.example/a/",
      "https://e.example/?q=a|b\\c",
    ])
  func `letters of any script and what is within an address stay`(_ link: String) {
    #expect(MessageMarkup.links(in: "see \(link), and") == [link])
  }

  @Test(arguments: ["：", "！", "？", "【", "】", "。"])
  func `what is full width ends an address, also within a text without blanks`(_ character: String)
  {
    #expect(
      MessageMarkup.links(in: "看https://a.b/c\(character)看https://d.e")
        == ["https://a.b/c", "https://d.e"])
  }

  @Test func `nothing is styled within a link, and names are marked`() {
    #expect(marked("https://a.b/*c*_d_ *x*") == ["link: https://a.b/*c*_d", "strong: *x*"])
    let body = "hi bob, bye"
    let spans = MessageMarkup.spans(of: body, mentions: [body.range(of: "bob")].compactMap { $0 })
    #expect(spans == [MarkupSpan("hi "), MarkupSpan("bob", .mention), MarkupSpan(", bye")])
    let quoted = "> *bob*"
    #expect(
      MessageMarkup.spans(of: quoted, mentions: [quoted.range(of: "bob")].compactMap { $0 })[2]
        == MarkupSpan("bob", [.quote, .strong, .mention]))
  }

  // Each of them took a minute or more when it was read again for each marker, bracket, link or
  // name in it.
  @Test(
    arguments: [
      "*_~`", "*a ", "_a ", "~a ", "`a ", "*a _b ~c `d ", "*a *b* ", "> *a\n", "```\n", "xmpp:! ",
    ])
  func `a long text of markers is read once`(_ part: String) {
    let body = String(repeating: part, count: 20000 / part.utf8.count)
    #expect(MessageMarkup.spans(of: body).map(\.text).joined() == body)
  }

  @Test func `a marker that nothing closes leaves those of other kinds`() {
    #expect(marked("*a _b_ *c ~d~ *e") == ["emphasis: _b_", "strike: ~d~"])
    #expect(marked("*a _*b_ *c*") == ["strong: *a _*", "strong: *c*"])
  }

  @Test func `a letter with thousands of marks is read as one`() {
    let letter = "x" + String(repeating: "\u{301}\u{323}", count: 5000)
    #expect(marked("\(letter) *b*") == ["strong: *b*"])
    #expect(MessageMarkup.links(in: "https://a.b/\(letter)c.") == ["https://a.b/\(letter)c"])
  }

  @Test func `many brackets, links and names are found in one walk`() {
    let brackets = "https://a/(b)" + String(repeating: ")", count: 20000)
    #expect(MessageMarkup.links(in: brackets) == ["https://a/(b)"])
    let links = String(repeating: "https://a.b/c ", count: 2000)
    #expect(MessageMarkup.spans(of: links).filter { $0.style == .link }.count == 2000)
    let names = String(repeating: "@bob\n", count: 4000)
    let spans = MessageMarkup.spans(of: names, mentions: Mention.ranges(of: "bob", in: names))
    #expect(spans.filter { $0.style == .mention }.count == 4000)
  }
}
