import Testing
import XML

@testable import XMPP

@Suite struct FileElementTests {
  private func element(_ text: String) throws -> Element {
    let parser = XMLStreamParser(stanzaLimit: 1 << 20)
    let events = try parser.feed(
      Array(
        ("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"
          + text).utf8))
    var found: Element?
    for case .element(let element) in events { found = element }
    return try #require(found)
  }

  @Test func `a slot is read, with the headers that are allowed`() throws {
    let slot = try #require(
      XEP0363Slot(
        try element(
          """
          <slot xmlns='urn:xmpp:http:upload:0'><put url='https://a.example/1'>\
          <header name='Authorization'>Basic abc</header><header name='cookie'>x=1</header>\
          <header name='EXPIRES'>never</header><header name='Host'>b.example</header>\
          <header name='X-Evil'>1</header><header>no name</header></put>\
          <get url='https://a.example/2'/></slot>
          """)))
    #expect(slot.put == "https://a.example/1")
    #expect(slot.get == "https://a.example/2")
    #expect(
      slot.headers == [
        .init(name: "Authorization", value: "Basic abc"), .init(name: "Cookie", value: "x=1"),
        .init(name: "Expires", value: "never"),
      ])
    #expect(XEP0363Slot(slot.element) == slot)
  }

  @Test(arguments: ["a&#13;&#10;Evil: yes", "a&#10;b", "a\nb", "&#9;x"])
  func `a header with a line end is passed over`(value: String) throws {
    let slot = try #require(
      XEP0363Slot(
        try element(
          """
          <slot xmlns='urn:xmpp:http:upload:0'><put url='https://a.example/1'>\
          <header name='Cookie'>\(value)</header></put><get url='https://a.example/2'/></slot>
          """)))
    #expect(slot.headers.isEmpty)
  }

  @Test(arguments: [
    "<slot xmlns='urn:xmpp:http:upload:0'/>",
    "<slot xmlns='urn:xmpp:http:upload:0'><put url='https://a'/></slot>",
    "<slot xmlns='urn:xmpp:http:upload:0'><put/><get url='https://a'/></slot>",
    "<slot xmlns='urn:xmpp:http:upload'><put url='https://a'/><get url='https://a'/></slot>",
  ])
  func `what is no slot is none`(text: String) throws {
    #expect(XEP0363Slot(try element(text)) == nil)
  }

  @Test func `a service is one that says so, and its limit is in the form of that name`() throws {
    let jid = try #require(JID(parsing: "upload.example.org"))
    func form(_ type: String, _ limit: String) -> XEP0004DataForm {
      XEP0004DataForm(
        .result,
        fields: [
          .init("FORM_TYPE", kind: .hidden, values: [type]),
          .init("max-file-size", values: [limit]),
        ])
    }
    let both = XEP0030Discovery(
      features: [XEP0363Slot.namespace],
      forms: [form("urn:xmpp:http:upload", "1"), form(XEP0363Slot.namespace, "5000")])
    #expect(XEP0363Service(jid: jid, both)?.sizeLimit == 5000)
    for limit in ["", "-1", "0", "much"] {
      let strange = XEP0030Discovery(
        features: [XEP0363Slot.namespace], forms: [form(XEP0363Slot.namespace, limit)])
      #expect(XEP0363Service(jid: jid, strange) == XEP0363Service(jid: jid, sizeLimit: nil))
    }
    #expect(XEP0363Service(jid: jid, XEP0030Discovery(features: ["urn:xmpp:http:upload"])) == nil)
  }

  @Test func `a refusal names the limit`() throws {
    let error = StanzaError(
      try element(
        """
        <error type='modify'><not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
        <file-too-large xmlns='urn:xmpp:http:upload:0'><max-file-size>20000</max-file-size>\
        </file-too-large></error>
        """))
    #expect(error.fileSizeLimit == 20000)
    #expect(StanzaError(.cancel, .notAllowed).fileSizeLimit == nil)
  }

  @Test func `a shared file is written and read`() throws {
    let file = XEP0447FileSharing(
      url: "https://a.example/x?a=1&b=2", name: "a <b> & \"c\".png", mediaType: "image/png",
      size: 12,
      digests: [
        XEP0300Hash(algorithm: "sha-256", value: "2XarmwTlNxDAMkvymloX3S5+VbylNrJt/l5QyPa+YoU="),
        XEP0300Hash(algorithm: "whirlpool", value: "AAAA"),
      ])
    let message = MessageStanza(
      Element("message", Namespace.client, [:], [file.element, XEP0066OutOfBand.element(file.url)]))
    #expect(message.sharedFile == file)
    #expect(XEP0447FileSharing(file.element) == file)
    let bare = XEP0447FileSharing(url: "https://a.example/")
    #expect(XEP0447FileSharing(bare.element) == bare)
  }

  @Test func `of several addresses those in TLS come first, each once, and not too many`() throws {
    let targets =
      ["http://a.example/1", "ftp://a.example/2", "https://a.example/3", "https://a.example/3"]
      + ["http://a.example/1", "HTTPS://a.example/4"]
    func sharing(_ targets: [String]) throws -> XEP0447FileSharing {
      let sources = targets.map {
        "<url-data xmlns='http://jabber.org/protocol/url-data' target='\($0)'/>"
      }
      return try #require(
        XEP0447FileSharing(
          try element(
            "<file-sharing xmlns='urn:xmpp:sfs:0'><sources>\(sources.joined())</sources></file-sharing>"
          )))
    }
    let file = try sharing(targets)
    #expect(file.url == "https://a.example/3")
    #expect(file.otherURLs == ["HTTPS://a.example/4", "http://a.example/1"])
    #expect(XEP0447FileSharing(file.element) == file)
    let many = try sharing((0..<50).map { "https://a.example/\($0)" })
    #expect(many.url == "https://a.example/0")
    #expect(many.otherURLs == (1...8).map { "https://a.example/\($0)" })
  }

  @Test(arguments: [
    (
      "<x xmlns='jabber:x:oob'><url> https://a.example/b.png\n</url></x>", "https://a.example/b.png"
    ),
    (
      """
      <file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'><size>-5</size>\
      <name></name></file><sources><url-data xmlns='http://jabber.org/protocol/url-data' \
      target='https://a.example/c'/></sources></file-sharing>
      """, "https://a.example/c"
    ),
    (
      """
      <file-sharing xmlns='urn:xmpp:sfs:0'><sources>\
      <jinglepub xmlns='urn:xmpp:jinglepub:1' from='a@b'/>\
      <url-data xmlns='http://jabber.org/protocol/url-data' target='magnet:?xt=x'/>\
      <url-data xmlns='http://jabber.org/protocol/url-data' target='ftp://a.example/d'/>\
      <url-data xmlns='http://jabber.org/protocol/url-data' target='HTTPS://a.example/e'/>\
      <url-data xmlns='http://jabber.org/protocol/url-data' target='HTTPS://a.example/e'/>\
      </sources></file-sharing>
      """, "HTTPS://a.example/e"
    ),
    (
      """
      <file-sharing xmlns='urn:xmpp:sfs:0'><sources>\
      <url-data xmlns='http://jabber.org/protocol/url-data' target='ftp://a.example/d'/>\
      </sources></file-sharing>\
      <x xmlns='jabber:x:oob'><url>https://a.example/g</url></x>
      """, "https://a.example/g"
    ),
  ])
  func `what others send is read as far as it goes`(content: String, url: String) throws {
    let message = MessageStanza(try element("<message>\(content)</message>"))
    #expect(message.sharedFile == XEP0447FileSharing(url: url))
  }

  @Test(arguments: ["", "<file-sharing xmlns='urn:xmpp:sfs:0'/>", "<x xmlns='jabber:x:oob'/>"])
  func `what offers nothing offers nothing`(content: String) throws {
    #expect(MessageStanza(try element("<message>\(content)</message>")).sharedFile == nil)
  }
}
