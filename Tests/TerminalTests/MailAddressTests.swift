import Terminal
import Testing

@Suite struct MailAddressTests {
  @Test(arguments: [
    ("mailto:a@b.example?attach=/etc/passwd", "mailto:a@b.example"),
    (
      "mailto:a@b.example?subject=Hi&attach=/etc/passwd&body=x",
      "mailto:a@b.example?subject=Hi&body=x"
    ),
    ("MAILTO:a@b.example?Attachment=/x&CC=c@d.example", "MAILTO:a@b.example?CC=c@d.example"),
    ("mailto:?%61ttach=/x&to=a@b.example", "mailto:?to=a@b.example"),
    ("mailto:a@b.example?body=x;attach=/y", "mailto:a@b.example?body=x"),
    ("mailto:a@b.example?a?attach=/x", "mailto:a@b.example"),
    ("mailto:a@b.example?subject=R&D", "mailto:a@b.example?subject=R"),
    ("mailto:a@b.example", "mailto:a@b.example"),
    ("mailto:a@b.example&attach=/x", "mailto:a@b.example%26attach=/x"),
    ("mailto:a@b.example;attach=/x?subject=s", "mailto:a@b.example%3Battach=/x?subject=s"),
    ("https://a.example/?attach=x", "https://a.example/?attach=x"),
    // A scalar that forms one character with the one before it.
    ("mailto:a@b.example?subject=s&\u{301}attach=/x", "mailto:a@b.example?subject=s"),
    ("mailto:a@b.example?\u{200C}attach=/x", "mailto:a@b.example"),
    ("mailto:a@b.example&\u{200C}attach=/x", "mailto:a@b.example%26\u{200C}attach=/x"),
  ])
  func `only a mail's own fields are passed on`(link: String, safe: String) {
    #expect(MailAddress.safe(link) == safe)
  }
}
