import Diagnostics
import Testing

@Suite struct WireScrubberTests {
  static let secret = "s3cret"

  @Test func `a message shows its form and not its text`() {
    let dump =
      "<message type='chat' id=\"1\" to='a@b/c'><body>Hi \u{301}é</body><active xmlns='x'/></message> \n"
    #expect(
      WireScrubber.scrub(dump)
        == "<message type='chat' id=\"1\" to='a@b/[1]'><body>[5]</body><active xmlns='x'/></message> \n"
    )
  }

  @Test func `what the protocol says stays`() {
    let dump =
      "<?xml version='1.0'?><stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
      + "<mechanism>SCRAM-SHA-1</mechanism></mechanisms></stream:features><jid>a@b/c</jid>"
    #expect(WireScrubber.scrub(dump) == dump)
  }

  @Test(arguments: [
    "<body>\(secret)</body>", "<body>\u{301}\(secret)</body>", "<x:body >\(secret)</x:body>",
    "<body><![CDATA[a<b>\(secret)]]></body>", "<body>a<![CDATA[\(secret)", "<!-- \(secret) -->",
    "<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>\(secret)</auth>",
    "<response>\(secret)</response>", "<success>\(secret)</success>", "<password>\(secret)",
    "<field var='password'><value>\(secret)</value></field>", "<a token = '\(secret)'/>",
    "<get url='https://x/\(secret)'>", "<get URL=\"\(secret)", "<b p:password=\"a>\(secret)\">",
    "<mechanism>x</mechanism>\(secret)", "<mechanism/>\(secret)", "\(secret)</body>",
    "<jid><body>\(secret)</body></jid>", "<body \"\(secret)>", "<body \(secret) more>",
    "<body lang='x'\(secret)>", "<body ='\(secret)'>", "<body lang=\(secret)>",
    "<status>\(secret)</status>", "<item jid='a@b' name='\(secret)'/>",
    "<request filename='\(secret).pdf' size='1'/>", "<conference nick='\(secret)'/>",
    "<img alt='\(secret)'/>", "<a title='\(secret)'/>", "<option label='\(secret)'/>",
    "<presence from='room@conf/\(secret)'/>", "<reply to='room@conf/\(secret)'/>",
    "<item id='https://host/private?\(secret)'/>", "a <b c='\(secret)'/> d]]></body>",
    "<jid>\(secret)</jid>]]></body>",
  ])
  func `a secret does not come through`(dump: String) {
    #expect(!WireScrubber.scrub(dump).contains(Self.secret), "\(WireScrubber.scrub(dump))")
  }

  @Test func `a dump cut anywhere gives no body away`() {
    let dump =
      "<message><body a='b'>\(Self.secret)</body></message><auth m='P'>\(Self.secret)</auth>"
    for cut in 0...dump.count {
      for part in [dump.prefix(cut), dump.suffix(cut)] {
        #expect(!WireScrubber.scrub(String(part)).contains(Self.secret))
      }
    }
  }

  @Test(arguments: [
    "", "<", "</", "<a", "<a ", "<a b", "<a b=", "<a b='", "<![CDATA[", "<!--", ">>", "<<<", "<?",
  ])
  func `any stump ends`(dump: String) {
    #expect(WireScrubber.scrub(dump).count <= dump.count + 3)
  }
}
