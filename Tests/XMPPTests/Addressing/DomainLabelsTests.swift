import Testing
import XMPP

/// Internationalised domains have one form, however they are written.
@Suite struct DomainLabelsTests {
  @Test(arguments: [
    ("a@xn--bcher-kva.example", "a@bücher.example"),
    ("a@XN--BCHER-KVA.example", "a@bücher.example"),
    ("a@Bücher.example/x", "a@bücher.example/x"), ("a@xn--fiqs8s.xn--fiqz9s", "a@中国.中國"),
    ("a@muc.xn--e1afmkfd.xn--p1ai", "a@muc.пример.рф"),
    // Nothing in the script of Latin letters, and not under such a domain: nobody is misled.
    ("a@xn--80ak6aa92e.xn--p1ai", "a@аррӏе.рф"), ("xn--bcher-kva.example", "bücher.example"),
  ])
  func `both forms are one address`(text: String, shown: String) throws {
    let jid = try JID.parse(text)
    #expect(jid.description == shown)
    #expect(try JID.parse(shown) == jid)
    #expect(JID(userInput: text) == jid)
  }

  @Test(arguments: [
    // Looks like apple throughout, mixes Latin with Cyrillic, is no letter, is not composed
    // (twice), begins with a mark, is in ASCII, is no number of a character, is nothing, is a
    // fraction, is in capitals, has an invisible joiner, is full-width.
    "xn--80ak6aa92e.com", "xn--pple-43d.com", "xn--i-7iq.example", "xn--e-xbb.example",
    "xn--a-ecb.example", "xn--a-wbb.example", "xn--abc-.example", "xn--99999999.example", "xn--",
    "xn--a-tda.example", "xn--wca.example", "xn--ab-m1t.example", "xn--mi7c.example",
  ])
  func `a label that misleads, or is none, stays in ASCII`(domain: String) throws {
    let jid = try JID.parse("a@\(domain)")
    #expect(jid.domain == domain)
    #expect(try JID.parse(jid.description) == jid)
  }

  @Test(arguments: [
    "gm\u{251}il.com", "m\u{131}crosoft.com", "\u{A74F}gle.com", "comm\u{435}rce.com",
  ])
  func `a letter that maps to two hides no look-alike`(domain: String) throws {
    #expect(try JID.parse("a@\(domain)").domain.hasPrefix("xn--"))
  }

  @Test func `what makes one character with a dot hides none`() throws {
    // A letter before it (U+0D4E), and a mark behind it.
    let jid = try JID.parse("a@\u{D15}\u{D4E}.example.org")
    #expect(String(decoding: jid.domain.utf8.suffix(12), as: UTF8.self) == ".example.org")
    let other = try JID.parse("a@example.\u{301}a.org")
    #expect(other.domain.utf8.starts(with: "example.xn--".utf8))
    #expect(JID(parsing: jid.description) == jid && JID(parsing: other.description) == other)
    #expect(JID(parsing: "a@\u{D15}\u{D4E}..org") == nil)
    #expect(try JID.parse("a@org.\u{D15}\u{D4E}.") == JID.parse("a@org.\u{D15}\u{D4E}"))
  }

  @Test func `a misleading label is in ASCII when it is written out, too`() {
    #expect(JID(parsing: "a@аррӏе.com") == JID(local: "a", domain: "xn--80ak6aa92e.com"))
    #expect(JID(parsing: "a@аррӏе.com") == JID(parsing: "a@xn--80ak6aa92e.com"))
    #expect(JID(parsing: "a@☃.example")?.domain == "xn--n3h.example")
    // Danish and German are nobody's look-alikes.
    #expect(JID(parsing: "a@æble.example")?.domain == "æble.example")
    #expect(JID(parsing: "a@straße.example")?.domain == "straße.example")
  }
}
