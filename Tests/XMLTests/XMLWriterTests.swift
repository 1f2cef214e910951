import Testing
import XML

@Suite struct XMLWriterTests {
  let writer = XMLWriter()

  /// Returns the writer's output as the parser reads it.
  func readBack(_ element: Element) -> Element? {
    let run = ParserRun(Array(streamStart.utf8) + writer.bytes(element))
    #expect(run.failure == nil, "\(writer.string(element))")
    return run.elements.first
  }

  @Test func `a stanza looks as it should on the wire`() {
    let message = Element(
      "message", Namespace.client, ["to": "b@b.example", "xml:lang": "en"],
      [
        Element("body", Namespace.client, text: "1 < 2 & 'x' \"y\""),
        Element("request", Namespace.receipts),
      ])
    #expect(
      writer.string(message)
        == "<message to='b@b.example' xml:lang='en'><body>1 &lt; 2 &amp; 'x' \"y\"</body><request xmlns='urn:xmpp:receipts'/></message>"
    )
    #expect(
      writer.string(Element("features", Namespace.streams, [:], [Element("ver", "u")]))
        == "<stream:features><ver xmlns='u'/></stream:features>")
  }

  @Test(arguments: [
    ("plain <text> & 日本 🎉\n\ttwo", "plain <text> & 日本 🎉\n\ttwo"),
    ("a\r\nb\rc\r\r\nd\n", "a\nb\nc\n\nd\n"),
    ("\u{0}\u{1b}[1m\u{c}\u{1f}", "\u{fffd}\u{fffd}[1m\u{fffd}\u{fffd}"),
    ("\u{fffe}\u{ffff}\u{fffd}\u{ff5e}", "\u{fffd}\u{fffd}\u{fffd}\u{ff5e}"),
    ("\u{7f}\u{9b}\u{1ffff}", "\u{7f}\u{9b}\u{1ffff}"), ("", ""),
  ])
  func `what is carried comes back as it went in`(text: String, carried: String) throws {
    // By scalars: a carriage return and a line feed are one character.
    #expect(Array(text.carried.unicodeScalars) == Array(carried.unicodeScalars))
    let element = try #require(readBack(Element("body", Namespace.client, text: text.carried)))
    #expect(Array(element.text.unicodeScalars) == Array(carried.unicodeScalars))
    #expect(Array(text.carried.carried.utf8) == Array(text.carried.utf8))
  }

  @Test func `the header of a stream can be read`() throws {
    let header = writer.streamHeader(["to": "a'b", "version": "1.0"])
    let run = ParserRun(header + Array("<a/>".utf8) + XMLWriter.streamEnd)
    #expect(run.failure == nil)
    #expect(run.elements == [Element("a", Namespace.client)])
    #expect(run.events.last == .closed)
  }

  @Test func `namespaces are declared where they change`() {
    let element = Element(
      "a", "u", [:],
      [
        Element("b", "u", [:], [Element("c", ""), Element("d", Namespace.client)]),
        Element("e", "v"),
      ])
    #expect(
      writer.string(element)
        == "<a xmlns='u'><b><c xmlns=''/><d xmlns='jabber:client'/></b><e xmlns='v'/></a>")
    #expect(readBack(element) == element)
  }

  @Test func `what has to be escaped comes back as it was`() {
    let text = "<>&'\"\r\n\t ]]> é 你好 👍 \u{85}\u{2028}\u{FFFD}\u{10FFFF}"
    let element = Element("a", "u&'<", ["b": text, "{urn:'p}c": text, "xml:lang": "x"], text: text)
    #expect(readBack(element) == element)
  }

  @Test func `what XML cannot hold is replaced`() {
    let text = "a\u{0}b\u{1B}c\u{FFFE}d\u{FFFF}e\u{7F}"
    let result = readBack(Element("a", "u", ["b": text], text: text))
    #expect(result?.text == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{7F}")
    #expect(result?["b"] == result?.text)
  }

  @Test(arguments: [
    "", " ", "a b", "<", "a'><x", "1a", "xmlns", "xmlns:p", "a:b", "xml:", "{u}", "{}", "{",
    "{u}1 2",
    "{http://www.w3.org/2000/xmlns/}xmlns", "{http://www.w3.org/XML/1998/namespace}lang", "é",
    "\u{300}",
  ])
  func `no name makes it ill-formed`(name: String) {
    #expect(
      readBack(
        Element(
          name, name, [name: "1", "b": "2", "{v}" + name: "3"],
          [
            Element(name, "http://www.w3.org/2000/xmlns/"),
            Element(name, "http://www.w3.org/XML/1998/namespace"),
          ]
        )) != nil)
  }

  @Test func `two names that become one are written once`() {
    #expect(
      writer.string(Element("a", Namespace.client, ["b c": "1", "b_c": "2"])) == "<a b_c='1'/>")
    #expect(
      writer.string(Element("a", Namespace.client, ["{u}b c": "1", "{u}b_c": "2"]))
        == "<a xmlns:a0='u' a0:b_c='1'/>")
  }
}
