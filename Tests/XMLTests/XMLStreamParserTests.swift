import Testing
import XML
import XMPP

/// Feeds a whole stream, in pieces of `size` bytes, and collects what comes out.
struct ParserRun: Equatable {
  var events: [XMLStreamEvent] = []
  var failure: XMLError?

  init(_ bytes: [UInt8], size: Int = .max, limit: Int = 1 << 20) {
    let parser = XMLStreamParser(stanzaLimit: limit)
    var index = 0
    while index < bytes.count {
      let end = size == .max ? bytes.count : min(bytes.count, index + size)
      do throws(XMLError) {
        events += try parser.feed(Array(bytes[index..<end]))
      } catch {
        failure = error
        return
      }
      failure = parser.failure
      if failure != nil { return }
      index = end
    }
  }

  init(_ text: String, size: Int = .max, limit: Int = 1 << 20) {
    self.init(Array(text.utf8), size: size, limit: limit)
  }

  var elements: [Element] {
    events.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }
}

let streamStart =
  "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' from='a.example' id='1' version='1.0' xml:lang='en'>"

@Suite struct XMLStreamParserTests {
  /// The one stanza in `text`, which is inside a stream.
  func stanza(_ text: String) -> Element? {
    let run = ParserRun(streamStart + text)
    return run.failure == nil && run.elements.count == 1 ? run.elements.first : nil
  }

  @Test func `the header has its attributes and the default namespace`() {
    let run = ParserRun(streamStart)
    #expect(
      run.events == [
        .opened(
          header: Element(
            "stream", Namespace.streams,
            ["from": "a.example", "id": "1", "version": "1.0", "xml:lang": "en"]),
          defaultNamespace: "jabber:client")
      ])
  }

  @Test func `stanzas become elements with their namespaces`() {
    let run = ParserRun(
      streamStart
        + "<message to='b@b.example' type=\"chat\"><body>Hi &lt;there&gt; &#x41;&#66;</body><x xmlns='urn:x'><y/></x></message>\n <presence/><stream:features/></stream:stream>"
    )
    #expect(run.failure == nil)
    #expect(
      run.elements == [
        Element(
          "message", "jabber:client", ["to": "b@b.example", "type": "chat"],
          [
            Element("body", "jabber:client", text: "Hi <there> AB"),
            Element("x", "urn:x", [:], [Element("y", "urn:x")]),
          ]),
        Element("presence", "jabber:client"), Element("features", Namespace.streams),
      ])
    #expect(run.events.last == .closed)
  }

  @Test(arguments: [
    ("<a xmlns='u'><b xmlns=''/></a>", "u", ""),
    ("<p:a xmlns:p='u'><p:b xmlns:p='v'/></p:a>", "u", "v"),
    ("<p:a xmlns:p='u' xmlns='w'><b/></p:a>", "u", "w"),
    ("<p:a xmlns:p='u'><b/></p:a>", "u", "jabber:client"),
    ("<stream:a><p:b xmlns:p='a&amp;b'/></stream:a>", "http://etherx.jabber.org/streams", "a&b"),
    ("<a xml:lang='en' xmlns='u'><b/></a>", "u", "u"),
  ])
  func `prefixes and defaults are resolved where they count`(
    text: String, outer: String, inner: String
  ) throws {
    let element = try #require(stanza(text))
    #expect(element.namespace == outer)
    #expect(element.elements.first?.namespace == inner)
    #expect(element.first("b", inner) != nil)
    #expect(element.first("b", inner + "x") == nil)
  }

  @Test func `children are found by name and namespace`() throws {
    let parsed = try #require(
      stanza("<a xmlns:p='u'>x<p:b c='1'/><b/><d xmlns='u'/><b xmlns='u' c='2'/><p:c/></a>"))
    for element in [parsed, parsed.detached] {
      #expect(element.all("b", "u").map { $0["c"] } == ["1", "2"])
      #expect(element.all(in: "u").map(\.name) == ["b", "d", "b", "c"])
      #expect(element.all(in: "jabber:client").map(\.name) == ["b"])
      #expect(element.all(in: "").isEmpty && element.all("b", "v").isEmpty)
    }
  }

  @Test func `a prefix declared in one stanza is not known in the next`() {
    let run = ParserRun(streamStart + "<p:a xmlns:p='u'/><p:a/>")
    #expect(run.elements.count == 1)
    #expect(run.failure?.problem == .undeclaredPrefix)
  }

  @Test func `attributes in namespaces are named by them`() throws {
    let element = try #require(stanza("<a p:b='1' b='2' xml:lang='de' xmlns:p='urn:p'/>"))
    #expect(element.attributes == ["{urn:p}b": "1", "b": "2", "xml:lang": "de"])
    #expect(element["{urn:p}b"] == "1")
    #expect(element["b"] == "2")
    #expect(element["xml:lang"] == "de")
    #expect(element["p:b"] == nil)
  }

  @Test func `line ends and blanks in values are made one kind`() throws {
    let element = try #require(stanza("<a b='1\r\n2\n3\r4\t5&#10;6&#13;'>x\r\ny\rz&#13;</a>"))
    #expect(element["b"] == "1 2 3 4 5\n6\r")
    #expect(element.text == "x\ny\nz\r")
  }

  @Test func `CDATA is text`() throws {
    let element = try #require(
      stanza("<a>1<![CDATA[<b>&amp;]] ]>\r\n]]>2<![CDATA[]]>&amp;<![CDATA[]]]]><b/></a>"))
    #expect(element.text == "1<b>&amp;]] ]>\n2&]]")
    #expect(element.elements.count == 1)
  }

  @Test func `text between elements keeps its position`() throws {
    let element = try #require(stanza("<a>x<b/> <b>y</b>z</a>"))
    #expect(
      element.children == [
        .text("x"), .element(Element("b", "jabber:client")), .text(" "),
        .element(Element("b", "jabber:client", text: "y")), .text("z"),
      ])
  }

  @Test func `names and texts of every script pass`() throws {
    let element = try #require(stanza("<имя ключ='значение 鍵 🔑'>Text 文字 👩‍👩‍👧 é \u{10FFFF}</имя>"))
    #expect(element.name == "имя")
    #expect(element["ключ"] == "значение 鍵 🔑")
    #expect(element.text == "Text 文字 👩‍👩‍👧 é \u{10FFFF}")
  }

  @Test func `blanks between stanzas mean nothing`() {
    let run = ParserRun(streamStart + " \n\n<a/>\r\n\t <b/> </stream:stream>\n ")
    #expect(run.failure == nil)
    #expect(run.elements.map(\.name) == ["a", "b"])
  }

  @Test(arguments: [
    "", "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding='UTF-8'?>\n",
    "<?xml version='1.0' encoding=\"utf-8\" standalone='yes' ?>", " \n",
  ])
  func `a declaration may come first`(declaration: String) {
    let run = ParserRun(declaration + "<s xmlns='u'><a/></s>")
    #expect(run.failure == nil)
    #expect(run.elements == [Element("a", "u")])
    #expect(run.events.last == .closed)
  }

  @Test func `what comes before the mistake comes out before it is reported`() throws {
    let parser = XMLStreamParser()
    #expect(try parser.feed(Array((streamStart + "<a/><b></c>").utf8)).count == 2)
    #expect(parser.failure?.problem == .mismatchedTag)
    let failure = try #require(parser.failure)
    #expect(throws: failure) { try parser.feed(Array("<d/>".utf8)) }
    parser.reset()
    #expect(parser.failure == nil)
    #expect(try parser.feed(Array((streamStart + "<d/>").utf8)).count == 2)
  }

  @Test func `after a reset nothing is left of what was begun`() throws {
    let parser = XMLStreamParser()
    _ = try parser.feed(Array("<s xmlns='u' xmlns:p='v'><a><p:b>injec".utf8))
    parser.reset()
    let events = try parser.feed(Array("<t><c/></t>".utf8))
    #expect(
      events == [
        .opened(header: Element("t", ""), defaultNamespace: ""), .element(Element("c", "")),
        .closed,
      ])
    parser.reset()
    #expect(throws: XMLError.self) { try parser.feed(Array("<p:t/>".utf8)) }
  }

  @Test func `a stanza may be as long as the limit and not a byte longer`() {
    for extra in [0, 1] {
      let stanza = "<a>" + String(repeating: "x", count: 193 + extra) + "</a>"
      for size in [1, 7, .max] {
        let run = ParserRun("<s>   " + stanza + "  <b/>", size: size, limit: 200)
        #expect(run.failure?.problem == (extra == 0 ? nil : .tooLarge))
        #expect(run.elements.count == (extra == 0 ? 2 : 0))
      }
    }
  }

  @Test func `blanks between stanzas do not count to the limit`() {
    let blanks = String(repeating: " ", count: 1000)
    for size in [3, .max] {
      let run = ParserRun("<s>" + blanks + "<a/>" + blanks + "</s>", size: size, limit: 200)
      #expect(run.failure == nil)
      #expect(run.elements.count == 1)
    }
  }

  @Test func `a hundred levels pass, one more does not`() {
    for (levels, problem) in [(100, nil), (101, XMLError.Problem.tooDeep)] {
      let text =
        String(repeating: "<a>", count: levels) + String(repeating: "</a>", count: levels)
      let failure = ParserRun("<s>" + text).failure
      #expect(failure?.problem == problem)
      #expect(failure?.condition == problem.map { _ in .policyViolation })
    }
  }

  @Test func `a hundred attributes pass, one more does not`() {
    for (count, problem) in [(100, nil), (101, XMLError.Problem.tooManyAttributes)] {
      let attributes = (0..<count).map { "a\($0)='\($0)'" }.joined(separator: " ")
      let run = ParserRun("<s><a \(attributes)/>")
      #expect(run.failure?.problem == problem)
      if problem == nil { #expect(run.elements.first?.attributes.count == 100) }
    }
  }

  @Test func `two hundred prefixes in scope pass, one more does not`() {
    for (count, problem) in [(50, nil), (51, XMLError.Problem.tooManyAttributes)] {
      let opened = (0..<4).map { level in
        let prefixes = (0..<(level == 3 ? count : 50)).map { "xmlns:p\(level)n\($0)='u'" }
        return "<a \(prefixes.joined(separator: " "))>"
      }
      let run = ParserRun("<s>" + opened.joined() + "<p0n0:b/></a></a></a></a><a xmlns:q='u'/>")
      #expect(run.failure?.problem == problem)
      #expect(run.elements.count == (problem == nil ? 2 : 0))
    }
  }

  @Test func `a changed element leaves the others as they were`() throws {
    let element = try #require(stanza("<a b='1'><c>x</c></a>"))
    var changed = element
    changed["b"] = "2"
    changed["d"] = "3"
    changed.append(Element("e", "u"))
    var again = changed
    again.name = "z"
    #expect(
      element
        == Element("a", "jabber:client", ["b": "1"], [Element("c", "jabber:client", text: "x")]))
    #expect(changed.attributes == ["b": "2", "d": "3"])
    #expect(changed.elements.map(\.name) == ["c", "e"])
    #expect(changed.name == "a")
    #expect(again.name == "z")
  }

  @Test func `an element is the same however it was made`() throws {
    let parsed = try #require(stanza("<a c='2' b='1'>x&amp;<d xmlns='u'/></a>"))
    let made = Element(
      "a", "jabber:client", ["b": "1", "c": "2"],
      children: [.text("x&"), .element(Element("d", "u"))])
    #expect(parsed == made)
    #expect(parsed.hashValue == made.hashValue)
    #expect(parsed != Element("a", "jabber:client", ["b": "1"]))
  }
}
