import TestSupport
import Testing
import XML
import XMPP

// Stanzas whose sender or recipient cannot be read.
extension XMPPStreamTests {
  static let unreadable = "mallory@a.example/r\u{AD}"

  @Test func `a stanza whose address cannot be read is dropped, and counts as handled`()
    async throws
  {
    try await withSession(managed: true) { stream, server in
      let address = Self.unreadable
      try await server.send(
        "<message from='\(address)'><body>x</body></message><presence from='\(address)' type='subscribe'/>"
          + "<iq type='set' id='1' from='\(address)'><query xmlns='jabber:iq:roster'/></iq>"
          + "<iq type='get' id='2' from=''><ping xmlns='urn:xmpp:ping'/></iq>"
          + "<message from='bob@a.example' to='\(address)'/><message id='last' from='bob@a.example'/>"
          + "<r xmlns='urn:xmpp:sm:3'/>")
      var incoming = stream.incoming.makeAsyncIterator()
      #expect(await incoming.next()?.map { $0.element["id"] } == ["last"])
      #expect(await stream.droppedStanzas == 5)
      await stream.markHandled(1)
      // No answer is among what is sent.
      let sent = try await server.expect("<a xmlns='urn:xmpp:sm:3' h='6'/>")
      #expect(!sent.contains("<iq"))
    }
  }

  @Test func `a message that is nested too deep does not end the session`() async throws {
    try await withSession(managed: true) { stream, server in
      let (begin, end) = (
        String(repeating: "<a>", count: 200), String(repeating: "</a>", count: 200)
      )
      try await server.send(
        "<message from='mallory@a.example'><body>x</body>\(begin)\(end)</message>"
          + "<message id='last' from='bob@a.example'/><r xmlns='urn:xmpp:sm:3'/>")
      var incoming = stream.incoming.makeAsyncIterator()
      let stanzas = await incoming.next() ?? []
      #expect(stanzas.map { $0.element["id"] } == [nil, "last"])
      // Its text ended before the limit.
      #expect(stanzas.first?.element.first("body", Namespace.client)?.text == "x")
      await stream.markHandled(2)
      _ = try await server.expect("<a xmlns='urn:xmpp:sm:3' h='2'/>")
    }
  }

  @Test(arguments: [nil, "a.example", "alice@a.example", "mallory@a.example"])
  func `an answer whose sender cannot be read answers nothing`(to: String?) async throws {
    try await withSession { stream, server in
      var iq = question
      iq["to"] = to
      async let answer = stream.request(iq, timeout: .seconds(5))
      let id = Server.id(in: try await server.expect("</iq>"))
      for from in [Self.unreadable, "", "a.example/", "@a.example"] {
        try await server.send(
          "<iq type='result' id='\(id)' from='\(from)'><wrong xmlns='u'/></iq>")
      }
      let from = to.map { " from='\($0)'" } ?? ""
      try await server.send("<iq type='result' id='\(id)'\(from)><right xmlns='u'/></iq>")
      #expect(try await answer.first("right", "u") != nil)
    }
  }

  @Test func `what an archive holds of a sender that cannot be read is not on the page`()
    async throws
  {
    try await withSession { stream, server in
      let account = JID(local: "alice", domain: "a.example")
      async let page = stream.archivePage(
        XEP0313Query(.last, limit: 7), of: account, timeout: .seconds(5))
      let tag = try await server.expect("</iq>")
      let query = String(
        tag.split(separator: "queryid=")[1].dropFirst().prefix { $0 != "'" && $0 != "\"" })
      func result(_ id: String, _ wrapper: String?, _ from: String) -> String {
        """
        <message\(wrapper.map { " from='\($0)'" } ?? "")>\
        <result xmlns='urn:xmpp:mam:2' queryid='\(query)' id='\(id)'>\
        <forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2024-01-01T00:00:00Z'/>\
        <message xmlns='jabber:client' from='\(from)'><body>x</body></message></forwarded></result></message>
        """
      }
      try await server.send(
        result("1", nil, "bob@a.example") + result("2", nil, Self.unreadable)
          + result("3", Self.unreadable, "bob@a.example")
          + "<iq type='result' id='\(Server.id(in: tag))'>"
          + "<fin xmlns='urn:xmpp:mam:2' complete='true'><set xmlns='http://jabber.org/protocol/rsm'>"
          + "<first>1</first><last>3</last></set></fin></iq>")
      var incoming = stream.incoming.makeAsyncIterator()
      #expect(await incoming.next()?.count == 1)
      await stream.markHandled(1)
      let received = try await page
      #expect(received.results.map(\.id) == ["1"])
      #expect(received.oldest == "1" && received.newest == "3")
    }
  }
}
