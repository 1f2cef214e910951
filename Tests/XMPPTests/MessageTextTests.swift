import TestSupport
import Testing
import XML
import XMPP

/// The texts of a message, in several languages and forms (RFC 6121 §5.2.3).
@Suite struct MessageTextTests {
  private func message(_ content: String, _ languages: String..., attributes: String = "")
    throws -> MessageStanza
  {
    MessageStanza(
      try Element(xml: "<message from='bob@b.example/x' \(attributes)>\(content)</message>")
    ).inLanguages(languages)
  }

  private static let three = """
    <body xml:lang='de'>Hallo</body><body>Hello</body><body xml:lang='fr-CA'>Bonjour</body>
    """

  @Test(arguments: [
    (["fr"], "Bonjour"), (["fr-FR", "de"], "Bonjour"), (["de-AT"], "Hallo"), (["FR_ca"], "Bonjour"),
    (["es", "de"], "Hallo"), (["es"], "Hello"), ([], "Hello"),
  ]) func `of several texts the one in the user's language is read, then the one without`(
    languages: [String], text: String
  ) throws {
    #expect(try message(Self.three).inLanguages(languages).body == text)
  }

  @Test func `a look at how a text begins takes no more than the beginning`() throws {
    func beginning(_ body: String) throws -> String? { try message(body).bodyBeginning }
    #expect(try beginning("") == nil)
    #expect(try beginning("<body/>") == "")
    #expect(try beginning("<body>Hello</body>") == "Hello")
    let long = String(repeating: "x", count: 1000)
    #expect(try beginning("<body>\(long)</body>") == String(long.prefix(64)))
    // It ends between two scalars: 63 bytes and a character of three.
    let sign = String(long.prefix(63)) + "\u{20AC}" + long
    #expect(try beginning("<body>\(sign)</body>") == String(long.prefix(63)))
    #expect(try beginning("<body>&#63;OTR:<x/>\(long)</body>")?.hasPrefix("?OTR:xxx") == true)
    // Of several texts it is that of the one that is shown.
    #expect(try message(Self.three).inLanguages(["fr"]).bodyBeginning == "Bonjour")
    let built = MessageStanza(
      Element(
        "message", Namespace.client, [:], [Element("body", Namespace.client, text: "built")]))
    #expect(built.bodyBeginning == "built")
  }

  @Test func `without a text that names no language the first counts`() throws {
    let two = "<body xml:lang='de'>Hallo</body><body xml:lang='fr'>Bonjour</body>"
    #expect(try message(two, "en").body == "Hallo")
    #expect(try message(two, "fr").body == "Bonjour")
  }

  @Test func `what names no language has that of the message`() throws {
    let two = "<body>Hallo</body><body xml:lang='en'>Hello</body>"
    #expect(try message(two, "de", "en", attributes: "xml:lang='de'").body == "Hallo")
    #expect(try message(two, "de", "en").body == "Hello")
    #expect(try message(two, "en", "de", attributes: "xml:lang='de'").body == "Hello")
  }

  @Test func `what is longer than any tag of a language names none`() throws {
    let long = "de" + String(repeating: "-a", count: 100_000)
    let two = "<body>Hallo</body><body xml:lang='en'>Hello</body>"
    #expect(try message(two, "de", "en", attributes: "xml:lang='\(long)'").body == "Hello")
    let own = "<body xml:lang='\(long)'>Hallo</body><body xml:lang='en'>Hello</body>"
    #expect(try message(own, "de", "en").body == "Hello")
  }

  @Test func `an empty text counts only where there is no other`() throws {
    #expect(try message("<body/><body>text</body>").body == "text")
    #expect(try message("<body/><body xml:lang='de'>text</body>", "en").body == "text")
    #expect(try message("<body> \n</body><body xml:lang='de'>text</body>", "en").body == "text")
    #expect(try message("<body/><body/>").body == "")
    #expect(try message("").body == nil)
    #expect(try message("<subject/><subject>News</subject>").subject == "News")
  }

  @Test func `a copy of a message is read in the same language`() throws {
    let copy = MessageStanza(
      try Element(
        xml: """
          <message from='alice@a.example'><received xmlns='urn:xmpp:carbons:2'>\
          <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' \
          from='bob@b.example/x'>\(Self.three)</message></forwarded></received></message>
          """)
    ).inLanguages(["de"])
    let carbon = XEP0280Carbon(copy, of: JID(local: "alice", domain: "a.example"))
    #expect(carbon?.message.body == "Hallo")
  }

  @Test func `an empty text is one, and a subject is none`() throws {
    #expect(try message("<body/>").hasBody && message("<body/><body>x</body>").hasBody)
    #expect(try !message("<subject>x</subject>").hasBody && !message("").hasBody)
  }

  @Test func `a reaction has few blanks around it`() throws {
    let blanks = String(repeating: " \n", count: 100_000)
    let reactions = try message(
      """
      <reactions xmlns='urn:xmpp:reactions:0' id='m'><reaction> 🍵\n</reaction>\
      <reaction>\(blanks)🌷</reaction><reaction>\(blanks)</reaction><reaction>🎈</reaction>\
      </reactions>
      """
    ).reactions
    #expect(reactions?.emoji == ["🍵", "🎈"])
  }

  @Test func `formatted text becomes plain text, in lines`() throws {
    let html = """
      <html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>
      <p>One  <em>two</em>
      three<br/>four</p><ul><li>five</li><li><a href='https://e.example/'>six</a> \
      <a href='https://f.example/'>https://f.example/</a></li></ul><pre>a  b
       c</pre><img src='x' alt='a cat'/></body></html>
      """
    #expect(
      try message(html).formattedText == """
        One two three
        four
        five
        six (https://e.example/) https://f.example/
        a  b
         c
        a cat
        """)
    let empty = """
      <html xmlns='http://jabber.org/protocol/xhtml-im'><body \
      xmlns='http://www.w3.org/1999/xhtml'> <p/> </body></html>
      """
    #expect(try message(empty).formattedText == nil)
    let second = """
      <html xmlns='http://jabber.org/protocol/xhtml-im'><body xml:lang='de' \
      xmlns='http://www.w3.org/1999/xhtml'/><body xmlns='http://www.w3.org/1999/xhtml'>\
      <p>words</p></body></html>
      """
    #expect(try message(second).formattedText == "words")
    #expect(try message("<body>x</body>").formattedText == nil)
  }

  @Test(arguments: [
    ("aab", "aaab", "aaab"), ("aab", "aaa", "aaa (aab)"), ("abcabd", "abcabcabd", "abcabcabd"),
    ("é", "caf\u{E9}", "café"), ("longer", "long", "long (longer)"), ("x", "", "x"),
    ("", "six", "six"),
  ])
  func `the target of a link follows a text that does not contain it`(
    target: String, words: String, text: String
  ) throws {
    let html = """
      <html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>\
      <a href='\(target)'>\(words)</a></body></html>
      """
    #expect(try message(html).formattedText == text)
  }

  @Test(arguments: [
    ("", ""), (" ", ""), ("a", "a"), ("\r\n\t a  b \u{2003}\u{2028}", "a  b"),
    ("\u{B}\u{C}é\u{85}", "é"), ("\u{A0}\u{3000}", ""), ("\u{200B}", "\u{200B}"),
  ])
  func `blanks around a text are removed, and those inside stay`(text: String, rest: String) {
    #expect(text.withoutBlanksAround == rest)
    #expect(("x" + text).dropFirst().withoutBlanksAround == rest)
    // Characters that are never drawn say nothing, and are no blanks.
    #expect(text.saysNothing == (rest.isEmpty || rest == "\u{200B}"))
  }
}
