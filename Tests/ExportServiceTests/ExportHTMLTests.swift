import Foundation
import NatterCore
import TestSupport
import Testing
import XMPP

@testable import ExportService

/// Pages, whose texts come from others.
@Suite struct ExportHTMLTests {
  private func page(
    _ source: FakeSource, _ texts: FakeTexts = FakeTexts()
  ) async throws -> String {
    let printed = Printed()
    try await HistoryExport(of: source).writePage(at: Sample.start, texts) { printed.print($0) }
    return printed.text
  }

  /// The part of a page after its head, which is always the same.
  private func body(_ page: String) throws -> Substring {
    page[try #require(page.range(of: "<body>")).lowerBound...]
  }

  private static let hostile = [
    "<script>alert(1)</script>", "</div></article></section></body><script src=//x.test>",
    "<img src=x onerror=alert(1)>", "\"><svg onload='alert(1)'>", "<!-- ", "]]>", "&lt;b&gt;",
    "<style>*{display:none}</style>", "<a href=\"javascript:alert(1)\">x</a>",
    "https://x.test/\"onmouseover=\"alert(1)", "https://x.test/'><b>", "\u{0}\u{1B}[2J\u{7F}\u{9B}",
    "<bdo dir=rtl>\u{202E}\u{2066}\u{2067}x\u{FEFF}\u{FFFE}", "<meta http-equiv=refresh content=0>",
  ]

  /// The elements that a page has.
  private static let elements: Set<String> = [
    "body", "header", "h1", "h2", "h3", "p", "nav", "ul", "li", "a", "bdi", "section", "article",
    "time", "div", "span", "blockquote", "details", "summary", "html",
  ]

  /// Returns the names of all elements in a text, and fails for an attribute with another name than
  /// the page's own.
  private func names(_ text: Substring) -> Set<String> {
    var names: Set<String> = []
    for tag in text.matches(of: /<\/?([^\s>]*)([^>]*)>/) {
      names.insert(String(tag.output.1))
      let attributes = tag.output.2.matches(of: /([^\s=]+)="[^"]*"/).map { String($0.output.1) }
      #expect(
        Set(attributes).isSubset(of: ["class", "id", "href", "rel", "dir", "datetime"]),
        "\(attributes)")
    }
    return names
  }

  @Test(arguments: hostile)
  func `text from others is never markup, wherever it is`(text: String) async throws {
    let file = SharedFile(address: "https://x.test/" + text, name: text, mediaType: text)
    let message = Sample.message(
      text, delivery: .failed(reason: text), file: file,
      reply: Message.Reply(id: "1", author: Sample.bob, text: text), isEdited: true,
      reactions: [Message.Reaction(sender: Sample.bob, isOwn: false, emoji: [text])])
    let room = ExportedConversation(jid: Sample.bob, kind: "direct", name: text)
    var source = FakeSource([.message(message, first: text), .gap(Sample.hole)], in: room)
    source.conversations.append(Sample.tea)
    for takesAll in [false, true] {
      let html = try body(try await page(source, FakeTexts(takesAllForLinks: takesAll)))
      #expect(names(html).isSubset(of: Self.elements), "\(names(html).subtracting(Self.elements))")
      #expect(
        html.components(separatedBy: "<article ").count == 2 && html.hasSuffix("</body>\n</html>\n")
      )
      let left = html.unicodeScalars.filter { scalar in
        scalar.value < 0x20 && scalar != "\n" || (0x7F...0x9F).contains(scalar.value)
          || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      }
      #expect(left.isEmpty)
    }
  }

  @Test(arguments: [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
    "data:text/html,<script>", "vbscript:x", "file:///etc/passwd", "natter://quit", "//x.test",
    "\u{1}https://x.test", "mailto:a@x.test", "httpsx://x.test", "",
  ])
  func `an address that opens something else is text`(address: String) async throws {
    let html = try body(
      try await page(FakeSource(Sample.message(address)), FakeTexts(takesAllForLinks: true)))
    #expect(!html.contains("href"))
    #expect(!PageText.isSafe(address))
  }

  @Test(arguments: [
    "https://x.test/a?b=1&c=2", "HTTP://x.test", "xmpp:tea@rooms.x.test?join",
  ])
  func `pages and chats are links`(address: String) async throws {
    let html = try await page(FakeSource(Sample.message("see \(address)")), FakeTexts())
    let escaped = address.replacing("&", with: "&amp;")
    let isLower = address.first == "h" || address.first == "x"
    #expect(
      html.contains(
        "see <a href=\"\(escaped)\" rel=\"noopener noreferrer\">\(escaped)</a></div>") == isLower)
    #expect(PageText.isSafe(address))
  }

  @Test func `a location alone is a link`() async throws {
    let html = try await page(
      FakeSource(
        Sample.message("geo:48.2,16.3;u=30", id: 1),
        Sample.message("geo:48.2\"x", id: 2), Sample.message("geo: is short", id: 3)))
    #expect(html.contains("<a href=\"geo:48.2,16.3;u=30\""))
    #expect(html.matches(of: /href/).count == 1)
  }

  @Test func `a location with a description is a link above it`() async throws {
    let html = try await page(
      FakeSource(Sample.message("geo:48.2,16.3\nCafé <at> https://x.test/")))
    #expect(
      html.contains(
        "<a href=\"geo:48.2,16.3\" rel=\"noopener noreferrer\">geo:48.2,16.3</a>\n"
          + "Café &lt;at&gt; <a href=\"https://x.test/\""))
  }

  @Test func `a page has no script and loads nothing`() async throws {
    let html = try await page(FakeSource(Sample.message("hi")))
    #expect(
      html.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"))
    #expect(
      html.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'\""))
    let head = html[..<(try #require(html.range(of: "<body>")).lowerBound)]
    for word in ["<script", "<link", "src=", "url(", "@import", "http:", "https:"] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(head.contains("prefers-color-scheme: dark") && head.contains("@media print"))
  }

  @Test func `replies, edits, reactions, files and failures are shown, and gaps and days`()
    async throws
  {
    let file = SharedFile(address: "https://x.test/a.png", name: "a&b.png")
    let source = FakeSource([
      .message(Sample.message("first", id: 1), first: nil), .gap(Sample.hole),
      .message(
        Sample.message(
          "answer", id: 2, at: 86_400, from: Sample.account, delivery: .failed(reason: "no <way>"),
          reply: Message.Reply(id: "o1", author: Sample.bob, text: "first\nline"), isEdited: true,
          reactions: [Message.Reaction(sender: Sample.bob, isOwn: false, emoji: ["👍", "🎉"])]),
        first: "anwser"),
      .message(Sample.message("https://x.test/a.png", id: 3, at: 86_401, file: file), first: nil),
    ])
    let html = try await page(source)
    let lines = try body(html).split(separator: "\n").map(String.init)
    let days = lines.filter { $0.hasPrefix("<h3>") }
    #expect(days == ["<h3>day 20785</h3>", "<h3>day 20786</h3>"])
    #expect(
      html.contains(
        """
        <article id="m1" class="in">
        <p class="head"><bdi class="name">&lt;Bob&gt;</bdi>
        <time datetime="2026-11-28T10:00:00Z">36000</time></p>
        <div class="body" dir="auto">first</div>
        </article>
        <p class="gap">gap</p>
        <h3>day 20786</h3>
        <article id="m2" class="out">
        <p class="head"><bdi class="name">&lt;Bob&gt;</bdi>
        <time datetime="2026-11-29T10:00:00Z">36000</time></p>
        <blockquote dir="auto"><a href="#m1"><bdi class="name">&lt;bob@example.org&gt;</bdi></a>
        first
        line</blockquote>
        <div class="body" dir="auto">answer</div>
        <details class="note"><summary>edited</summary>
        <div class="body" dir="auto">anwser</div></details>
        <p class="note">👍 🎉 <bdi>&lt;bob@example.org&gt;</bdi></p>
        <p class="note failed">failed(&quot;no &lt;way&gt;&quot;)</p>
        </article>
        """))
    #expect(
      html.contains(
        "<p class=\"file\"><bdi><a href=\"https://x.test/a.png\" rel=\"noopener noreferrer\">"
          + "a&amp;b.png</a></bdi> <span class=\"note\">&lt;facts&gt;</span></p>"))
    // The address of the file is not repeated as its text.
    #expect(html.matches(of: /class="body"/).count == 3)
  }

  @Test func `a reply is a link to the message above that its id means, if that is there`()
    async throws
  {
    func reply(_ id: String, _ number: Int64) -> Message {
      Sample.message("yes", id: number, reply: Message.Reply(id: id, author: nil, text: "a<b"))
    }
    var source = FakeSource(
      Sample.message("a<b", id: 7), reply("o7", 8), reply("o10", 9), Sample.message("c", id: 10))
    source.conversations.append(Sample.tea)
    // In another conversation, the same id is of another message.
    source.items[Sample.tea.jid] = [.message(reply("o7", 11), first: nil)]
    let lines = try body(try await page(source)).split(separator: "\n")
    #expect(
      lines.filter { $0.hasPrefix("<blockquote") } == [
        "<blockquote dir=\"auto\"><a href=\"#m7\">a&lt;b</a></blockquote>",
        "<blockquote dir=\"auto\">a&lt;b</blockquote>",
        "<blockquote dir=\"auto\">a&lt;b</blockquote>",
      ])
  }

  @Test func `in a room, a reply means the id that the room gave`() {
    func message(_ id: Int64, _ stanzaID: String?) -> Message {
      Message(
        id: Message.ID(id), conversation: Sample.room, sender: Sample.carol, direction: .incoming,
        body: "", sentAt: Sample.start, originID: "same", stanzaID: stanzaID)
    }
    var anchors = PageAnchors(inRoom: true, limit: 3)
    #expect(anchors.add(message(1, "s1")) == "m1" && anchors.add(message(2, "s2")) == "m2")
    // An id that comes again still means the first.
    #expect(anchors.add(message(3, "s1")) == "m3")
    func anchor(_ id: String) -> String? {
      anchors.anchor(of: Message.Reply(id: id, author: nil, text: ""))
    }
    #expect(anchor("s1") == "m1" && anchor("s2") == "m2" && anchor("same") == nil)
    // Of a long conversation, the oldest are forgotten.
    for id in Int64(4)...7 { _ = anchors.add(message(id, "s\(id)")) }
    #expect(anchor("s1") == "m1" && anchor("s7") == "m7")
    for id in Int64(8)...9 { _ = anchors.add(message(id, "s\(id)")) }
    #expect(anchor("s1") == nil && anchor("s5") == "m5" && anchor("s9") == "m9")
  }

  @Test func `a deleted message shows that, and nothing of what it was`() async throws {
    let file = SharedFile(address: "https://x.test/secret", name: "secret")
    let html = try await page(
      FakeSource(Sample.message("secret", file: file, retraction: .author)))
    #expect(html.contains("<article id=\"m1\" class=\"in gone\">") && html.contains(">gone</div>"))
    #expect(!html.contains("secret"))
  }

  @Test func `several conversations have a list of links to them`() async throws {
    var source = FakeSource(Sample.message("hi"))
    #expect(!(try await page(source)).contains("<nav>"))
    source.conversations.append(Sample.tea)
    let html = try await page(source)
    #expect(html.contains("<li><a href=\"#c1\"><bdi>Bob</bdi></a></li>"))
    #expect(html.contains("<li><a href=\"#c2\"><bdi>Tea &lt;room&gt;</bdi></a></li>"))
    #expect(html.contains("<section id=\"c1\">") && html.contains("<section id=\"c2\">"))
  }

  @Test func `a very long line is written whole, and its addresses are links`() async throws {
    let long = String(repeating: "<a:", count: 20_000)
    let html = try await page(FakeSource(Sample.message(long)))
    #expect(html.utf8.count > 120_000)
    #expect(html.contains("overflow-wrap: anywhere"))
    let links = String(repeating: "https://x.test/ ", count: 1_000)
    let linked = try await page(FakeSource(Sample.message(links)))
    #expect(linked.components(separatedBy: "<a href").count == 1_001)
  }
}
