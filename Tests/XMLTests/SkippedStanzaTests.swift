import Testing
import XML

@testable import XMPP

/// Stanzas over a limit of the parser, which servers forward and archive.
@Suite struct SkippedStanzaTests {
  private static let deep =
    "<message id='1'><body>x</body>" + String(repeating: "<a b='>'>", count: 300)
    + "<![CDATA[</message>]]>" + String(repeating: "</a>", count: 300) + "</message>"
  private static let attributes = (0..<150).map { "xmlns:n\($0)='u' n\($0):a='/&gt;\"'" }
  private static let wide =
    "<iq type='result' id='2'><z " + attributes.joined(separator: " ") + "/></iq>"
  private static let large =
    "<presence><status>" + String(repeating: "&apos;", count: 2000) + "</status></presence>"

  private func read(_ text: String, size: Int, limit: Int = 1 << 20) throws -> [Element] {
    let parser = XMLStreamParser(stanzaLimit: limit, skipsStanzas: true)
    let bytes = Array(text.utf8)
    var events: [XMLStreamEvent] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += try parser.feed(Array(bytes[start..<min(start + size, bytes.count)]))
      if let failure = parser.failure { throw failure }
    }
    return events.compactMap { if case .element(let element) = $0 { element } else { nil } }
  }

  @Test(arguments: [1, 7, 1000, 1 << 20])
  func `they are dropped, and the stream goes on`(size: Int) throws {
    let text =
      streamStart + "<message id='0'/>" + Self.deep + Self.wide + "<message id='3'/>" + Self.deep
      + "<q:z xmlns:q='u'/><message id='4'>x</message>"
    let elements = try read(text, size: size)
    let names = ["message", "message", "iq", "message", "message", "z", "message"]
    #expect(elements.map(\.name) == names)
    #expect(elements.map { $0["id"] } == ["0", "1", "2", "3", "1", nil, "4"])
    // Of an IQ, the parts that identify its request remain.
    #expect(elements[2]["type"] == "result" && elements[2].children.isEmpty)
    #expect(elements.map(\.exceedsLimit) == [false, true, true, false, true, false, false])
    #expect([1, 2, 4].allSatisfy { Stanza.isStanza(elements[$0]) })
    #expect(Stanza(elements[2]) == nil)
    // Of others, the elements that ended before the limit.
    for message in [elements[1], elements[4]] {
      #expect(message.elements == [Element("body", Namespace.client, text: "x")])
      #expect(!message.elements[0].exceedsLimit)
      var changed = message
      changed["id"] = "5"
      #expect(changed.exceedsLimit)
    }
  }

  @Test(arguments: [1, 1000, 1 << 20])
  func `one that is too long is skipped up to a limit`(size: Int) throws {
    let text = streamStart + "<message/>" + Self.large + "<iq/>"
    #expect(try read(text, size: size, limit: 4000).map(\.name) == ["message", "presence", "iq"])
    #expect(throws: XMLError.self) { try read(text, size: size, limit: 500) }
  }

  @Test(arguments: [1, 1000, 1 << 20])
  func `who sent a request or an answer is known where its start tag was read`(size: Int) throws {
    let deep = String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300)
    func skipped(_ attributes: String, _ content: String? = nil, limit: Int = 1 << 20) throws
      -> Attributes?
    {
      let stanza = "<iq xml:lang='en' \(attributes)>\(content ?? deep)</iq>"
      let element = try read(streamStart + stanza, size: size, limit: limit).first
      #expect(element?.exceedsLimit == true && element?.children.isEmpty == true)
      return element?.attributes
    }
    let (from, long) = ("bob@a.example/&lt;x&gt;", String(repeating: "x", count: 4000))
    #expect(
      try skipped("type='get' id='a&amp;b' from='\(from)' to='alice@a.example/y'")
        == Attributes([
          "type": "get", "id": "a&b", "from": "bob@a.example/<x>", "to": "alice@a.example/y",
        ]))
    #expect(try skipped("id='1'") == Attributes(["id": "1"]))
    // Too long in the text, after the start tag.
    #expect(
      try skipped("id='1' type='result'", long, limit: 2000)
        == Attributes(["id": "1", "type": "result"]))
    let unknown = Attributes(["from": "/"])
    // Too long in the start tag, or with too many attributes: the sender is not known.
    for tag in ["id='1' x='\(long)' from='\(from)'", "id='1' from='\(from)' x='\(long)'"] {
      #expect(try skipped(tag, limit: 2000) == unknown)
    }
    let many = (0..<150).map { "a\($0)=''" }.joined(separator: " ")
    #expect(try skipped("id='1' \(many) from='\(from)'", "") == unknown)
    #expect(try skipped("id='\(long)'") == unknown)
  }

  @Test(arguments: [1, 7, 1000, 1 << 20])
  func `a delay behind the limit is kept, where it is the stanza's`(size: Int) throws {
    let deep = String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300)
    func delays(_ content: String) throws -> [String?] {
      let text = streamStart + "<message>\(content)</message><iq/>"
      let elements = try read(text, size: size)
      #expect(elements.count == 2 && elements[0].exceedsLimit)
      let delays = elements[0].elements
      #expect(delays.allSatisfy { $0.is("delay", Namespace.delay) })
      return delays.map { $0["stamp"] }
    }
    func delay(_ stamp: String, _ namespace: String = Namespace.delay) -> String {
      "<delay from='a&lt;>' xmlns='\(namespace)' stamp='\(stamp)'"
    }
    #expect(try delays(deep + delay("1") + "/>") == ["1"])
    #expect(
      try delays(deep + delay("1") + "> Offline\n</delay>" + delay("2") + " />") == ["1", "2"])
    // Those before the limit are there once, and those of other elements are none of it.
    #expect(
      try delays(delay("1") + "/>" + deep + delay("1") + "/>" + delay("2") + "/>") == ["1", "2"])
    #expect(try delays(deep + "<b>" + delay("1") + "/></b>" + delay("2") + "/>") == ["2"])
    #expect(try delays("<b>" + delay("1") + "/>" + deep + delay("2") + "/></b>") == [])
    #expect(try delays(deep + "<![CDATA[" + delay("1") + "/>]]>") == [])
    #expect(try delays(deep + delay("1", "other") + "/><delayed/><delay/><x:delay/>") == [])
    // A stranger decides how many there are.
    let many = (0..<100).map { delay("\($0)") + "/>" }.joined()
    #expect(try delays(deep + many) == (0..<8).map { "\($0)" })
    #expect(try delays(deep + delay(String(repeating: "x", count: 2000)) + "/>") == [])
  }

  @Test(arguments: [1, 1000, 1 << 20])
  func `a delay behind a forwarded message is that of its wrapper`(size: Int) throws {
    let deep = String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300)
    let delay = "<delay xmlns='\(Namespace.delay)' stamp='"
    let text =
      "<message><result><forwarded><message>" + deep + delay + "1'/></message>" + delay
      + "2'/></forwarded>" + delay + "3'/></result>" + delay + "4'/></message>"
    var element = try #require(try read(streamStart + text, size: size).first)
    for (name, stamp) in [("message", "4"), ("result", "3"), ("forwarded", "2"), ("message", "1")] {
      #expect(element.name == name && element.exceedsLimit)
      #expect(element.all("delay", Namespace.delay).map { $0["stamp"] } == [stamp])
      element = element.elements.first ?? element
    }
  }

  @Test(arguments: [1, 1000, 1 << 20])
  func `the children that ended before the limit are kept, and no part of one`(size: Int) throws {
    let text = String(repeating: "x", count: 4000)
    func children(_ content: String) throws -> [String] {
      let stanza = "<message id='1'>\(content)</message>"
      let element = try #require(
        try read(streamStart + stanza + "<iq/>", size: size, limit: 4000).first)
      #expect(element.exceedsLimit && element["id"] == "1")
      return element.elements.map(\.name)
    }
    #expect(try children("<a/><b>t<c/></b><d>\(text)</d><e/>") == ["a", "b"])
    #expect(try children("<a/>t\(text)<b/>") == ["a"])
    #expect(try children("<a/><b x='\(text)'/>") == ["a"])
    #expect(try children("<a/><\(text)/>") == ["a"])
    #expect(try children("<a/><b></b \(text.replacing("x", with: " "))>") == ["a"])
    #expect(try children("<a/><![CDATA[\(text)]]>") == ["a"])
    #expect(try children("<b>\(text)</b><a/>") == [])
  }

  @Test(arguments: [1, 1000, 1 << 20])
  func `of a message in a wrapper remains what ended before the limit`(size: Int) throws {
    let text = String(repeating: "x", count: 4000)
    func inner(_ content: String) throws -> Element? {
      let stanza = "<message><result id='r' xmlns='m'><forwarded xmlns='f'><delay/>\(content)"
      let elements = try read(
        streamStart + stanza + "</forwarded></result></message><iq/>", size: size, limit: 4000)
      #expect(elements.map(\.name) == ["message", "iq"])
      let result = try #require(elements[0].first("result", "m"))
      #expect(elements[0].exceedsLimit && result.exceedsLimit && result["id"] == "r")
      let forwarded = try #require(result.first("forwarded", "f"))
      #expect(forwarded.elements.first?.name == "delay")
      #expect(forwarded.elements.first?.exceedsLimit == false)
      return forwarded.first("message", "c")
    }
    let message = try inner(
      "<message xmlns='c' from='b@c/d'><body>hi</body><x><body>\(text)</body></x></message>")
    #expect(message?["from"] == "b@c/d" && message?.exceedsLimit == true)
    #expect(message?.elements.map(\.name) == ["body"])
    #expect(try inner("<message xmlns='c' from='\(text)'/>") == nil)
    #expect(try inner("<message xmlns='c'>\(text)</message>")?.children.isEmpty == true)
    #expect(try inner("<other xmlns='c'>\(text)</other>") == nil)
  }

  @Test func `what is no stanza, or is not skipped, remains an error`() {
    let deep = Self.deep.replacing("message", with: "features")
    #expect(throws: XMLError.self) { try read(streamStart + deep, size: 1 << 20) }
    #expect(ParserRun(streamStart + Self.deep).failure?.problem == .tooDeep)
  }
}
