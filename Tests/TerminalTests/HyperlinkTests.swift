import Terminal
import Testing

@Suite struct HyperlinkTests {
  @Test(arguments: [
    ("https://example.org/a?b=c&d#e", "https://example.org/a?b=c&d#e"),
    ("HTTP://Example.org", "HTTP://Example.org"), ("xmpp:den@example.org?join", nil),
    ("mailto:bob@example.org", nil),
    ("https://例.org/é", "https://%E4%BE%8B.org/%C3%A9"),
    ("https://a/\u{1B}]8;;\u{7}x y", "https://a/%1B]8;;%07x%20y"),
    ("https://a/\u{9C}\u{202E}\u{7F}", "https://a/%C2%9C%E2%80%AE%7F"),
    ("https://a/100%25\"<>\\^`{|}", "https://a/100%25%22%3C%3E%5C%5E%60%7B%7C%7D"),
  ])
  func `an address is printable ASCII, whatever was written`(text: String, address: String?) throws
  {
    let link = try #require(Hyperlink(text, id: 1))
    #expect(link.address == address ?? text)
    #expect(link.address.utf8.allSatisfy { (0x21...0x7E).contains($0) })
  }

  @Test(arguments: [
    "natter://chats", "javascript:alert(1)", "file:///etc/passwd", "http:/a", "", "example.org",
    "ssh://a", "https://" + String(repeating: "a", count: 2000),
    "https://" + String(repeating: "é", count: 400),
  ])
  func `other schemes, and what is too long, are no links`(text: String) {
    #expect(Hyperlink(text, id: 1) == nil)
  }

  @Test func `a surface hides the part of a link that another one covers`() throws {
    let link = try #require(Hyperlink("https://example.org", id: 1))
    var pane = Surface(size: Size(rows: 3, columns: 30))
    pane.position(link, row: 1, columns: 5..<24)
    pane.position(link, row: 2, columns: -3..<4)
    pane.position(link, row: 3, columns: 0..<4)
    pane.position(link, row: 0, columns: 30..<40)
    var screen = Surface(size: Size(rows: 5, columns: 40))
    screen.copy(pane, row: 1, column: 10)
    let whole = [
      PositionedLink(link, row: 2, columns: 15..<34),
      PositionedLink(link, row: 3, columns: 10..<14),
    ]
    #expect(screen.links == whole)
    screen.copy(Surface(size: Size(rows: 1, columns: 4)), row: 2, column: 20)
    #expect(
      screen.links == [
        PositionedLink(link, row: 2, columns: 15..<20),
        PositionedLink(link, row: 2, columns: 24..<34),
        whole[1],
      ])
    screen.copy(Surface(size: Size(rows: 5, columns: 40)), row: 0, column: 0)
    #expect(screen.links == [])
  }
}
