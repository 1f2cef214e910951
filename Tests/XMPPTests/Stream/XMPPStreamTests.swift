import Crypto
import Sockets
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

@Suite(.timeLimit(.minutes(6))) struct XMPPStreamTests {
  typealias Server = ScriptedServer

  /// Runs `body` with a bound session and the server's end of it.
  func withSession(
    managed: Bool = false, early: String = "", features: String = "",
    sleep: @escaping @Sendable (Duration) async throws -> Void = Pause.endless,
    _ body: (XMPPStream, ScriptedServer) async throws -> Void
  ) async throws {
    let (clientEnd, serverEnd) = MemoryByteStream.pair(isSecure: true)
    let server = ScriptedServer(serverEnd)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await server.open(Server.mechanisms("PLAIN"))
        try await server.acceptPlain()
        try await server.open(
          Server.bind + (managed ? "<sm xmlns='urn:xmpp:sm:3'/>" : "") + features)
        try await server.acceptBind()
        if managed {
          try await server.expect("<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
          try await server.send(early + "<enabled xmlns='urn:xmpp:sm:3'/>")
        }
      }
      let stream = try await XMPPStream.open(
        over: clientEnd, options: StreamClient.options(), crypto: CryptoLibrary(),
        startTLS: StreamClient.upgrade, sleep: sleep)
      try await group.waitForAll()
      group.addTask { await stream.run() }
      try await body(stream, server)
      clientEnd.close()
      try await group.waitForAll()
    }
  }

  func message(_ id: String) -> Element {
    Element(
      "message", Namespace.client, ["to": "bob@a.example", "id": id],
      [Element("body", Namespace.client, text: "hi")])
  }

  var question: Element {
    Element("iq", Namespace.client, ["type": "get"], [Element("ping", Namespace.ping)])
  }

  @Test func `client state is sent where the server wants to know, and is not counted`()
    async throws
  {
    try await withSession(managed: true, features: "<csi xmlns='urn:xmpp:csi:0'/>") {
      stream, server in
      await stream.setActive(false)
      await stream.setActive(true)
      try await server.expect("<inactive xmlns='urn:xmpp:csi:0'/><active xmlns='urn:xmpp:csi:0'/>")
      try await stream.send(message("m1"))
      try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
      try await server.send("<a xmlns='urn:xmpp:sm:3' h='1'/>")
      var acknowledged = stream.acknowledged.makeAsyncIterator()
      #expect(await acknowledged.next() == ["m1"])
    }
    try await withSession { stream, server in
      await stream.setActive(false)
      try await stream.send(message("m1"))
      #expect(try await server.expect("<message").isEmpty)
    }
  }

  @Test func `what one read brings is one batch, without answers`() async throws {
    try await withSession { stream, server in
      try await server.send(
        "<message id='1'/><iq type='result' id='nobody asked'/><presence/><iq type='get' id='2'/> ")
      var incoming = stream.incoming.makeAsyncIterator()
      let batch = try #require(await incoming.next())
      #expect(batch.map(\.element.name) == ["message", "presence", "iq"])
    }
  }

  @Test func `answers come though nothing else that arrives is taken`() async throws {
    try await withSession { stream, server in
      async let answer = stream.request(question, timeout: .seconds(5))
      let tag = try await server.expect("</iq>")
      try await server.send(
        "<message/><message/><iq type='result' id='\(Server.id(in: tag))'><x xmlns='u'/></iq>")
      let received = try await answer
      #expect(received.first("x", "u") != nil)
    }
  }

  @Test func `an error as the answer is thrown`() async throws {
    try await withSession { stream, server in
      async let answer = stream.request(question, timeout: .seconds(5))
      let tag = try await server.expect("</iq>")
      try await server.send(
        "<iq type='error' id='\(Server.id(in: tag))'><error type='wait'><forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
      )
      do {
        _ = try await answer
        Issue.record("an answer")
      } catch {
        #expect(error as? StanzaError == StanzaError(.wait, .forbidden))
      }
    }
  }

  @Test(arguments: [
    (
      nil as String?, ["eve@a.example", "a.example.evil", "alice@a.example/other", "::"],
      nil as String?
    ),
    (nil, ["eve@a.example"], "alice@a.example"), (nil, ["bob@a.example"], "a.example"),
    ("bob@a.example/x", ["bob@a.example", "bob@a.example/y", "a.example"], "bob@a.example/x"),
    ("a.example", ["eve@a.example"], nil), ("alice@a.example", ["a.example"], nil),
    // ejabberd answers what it was asked itself in the name of the session that asked.
    ("a.example", ["alice@a.example/other"], "alice@a.example/desk"),
    ("bob@a.example/x", ["alice@a.example/desk"], "bob@a.example/x"),
  ])
  func `only whom was asked can answer`(to: String?, wrong: [String], right: String?) async throws {
    try await withSession { stream, server in
      var iq = question
      iq["to"] = to
      async let answer = stream.request(iq, timeout: .seconds(5))
      let id = Server.id(in: try await server.expect("</iq>"))
      for from in wrong {
        try await server.send(
          "<iq type='result' id='\(id)' from='\(from)'><wrong xmlns='u'/></iq>")
      }
      let from = right.map { " from='\($0)'" } ?? ""
      try await server.send("<iq type='result' id='\(id)'\(from)><right xmlns='u'/></iq>")
      let received = try await answer
      #expect(received.first("right", "u") != nil)
    }
  }

  @Test func `a question without an answer ends with its time limit`() async throws {
    try await withSession(sleep: { limit in
      // Only the question's limit of 7 s is over at once.
      if limit != .seconds(7) { try await Pause.endless(limit) }
    }) { stream, server in
      await #expect(throws: ChannelError.timedOut) {
        try await stream.request(question, timeout: .seconds(7))
      }
      // A late answer disturbs nobody.
      try await server.send("<iq type='result' id='x'/><message/>")
      var incoming = stream.incoming.makeAsyncIterator()
      #expect(await incoming.next()?.count == 1)
    }
  }

  @Test func `two questions of one id have both their answers`() async throws {
    try await withSession { stream, server in
      var asked = question
      asked["id"] = "same"
      let iq = asked
      async let first = stream.request(iq, timeout: .seconds(5))
      async let second = stream.request(iq, timeout: .seconds(5))
      let ids = [
        Server.id(in: try await server.expect("</iq>")),
        Server.id(in: try await server.expect("</iq>")),
      ]
      #expect(Set(ids).count == 2)
      for id in ids { try await server.send("<iq type='result' id='\(id)'/>") }
      let answered = [try await first["id"], try await second["id"]]
      #expect(Set(answered) == Set(ids))
    }
  }

  @Test func `the end of the connection ends open questions, and everything else`() async throws {
    try await withSession { stream, server in
      async let answer = stream.request(question, timeout: .seconds(5))
      try await server.expect("</iq>")
      await server.close()
      do {
        _ = try await answer
        Issue.record("an answer")
      } catch {
        #expect(error as? ChannelError == .notConnected)
      }
      for await _ in stream.incoming {}
      for await _ in stream.acknowledged {}
      #expect(await stream.endReason == .ended)
      await #expect(throws: ChannelError.notConnected) { try await stream.send(message("1")) }
      await #expect(throws: ChannelError.notConnected) {
        try await stream.request(question, timeout: .seconds(5))
      }
    }
  }

  // MARK: Archives (XEP-0313)

  private func result(_ query: String, _ id: String, from: String?) -> String {
    """
    <message\(from.map { " from='\($0)'" } ?? "")><result xmlns='urn:xmpp:mam:2' queryid='\(query)' id='\(id)'>\
    <forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay' stamp='2024-01-01T00:00:00Z'/>\
    <message xmlns='jabber:client' from='bob@a.example'><body>\(id)</body></message></forwarded></result></message>
    """
  }

  @Test func `what an archive sends is counted like everything else`() async throws {
    // The server counts results as it counts messages.
    try await withSession(managed: true) { stream, server in
      let account = JID(local: "alice", domain: "a.example")
      async let page = stream.archivePage(
        XEP0313Query(.last, limit: 7), of: account, timeout: .seconds(30))
      let tag = try await server.expect("</iq>")
      let query = String(
        tag.split(separator: "queryid=")[1].dropFirst().prefix { $0 != "'" && $0 != "\"" })
      try await server.send(
        result(query, "1", from: nil) + result(query, "2", from: nil)
          + "<iq type='result' id='\(Server.id(in: tag))'>"
          + "<fin xmlns='urn:xmpp:mam:2' complete='true'/></iq>")
      #expect(try await page.results.count == 2)
      try await server.send("<r xmlns='urn:xmpp:sm:3'/>")
      try await server.expect("<a xmlns='urn:xmpp:sm:3' h='3'/>")
    }
  }

  @Test func `a page holds what the archive sent for this query, and no one else sees it`()
    async throws
  {
    try await withSession { stream, server in
      let account = JID(local: "alice", domain: "a.example")
      async let page = stream.archivePage(
        XEP0313Query(.after("x"), limit: 7), of: account, timeout: .seconds(5))
      let tag = try await server.expect("</iq>")
      #expect(tag.contains("<max>7</max>") && tag.contains("<after>x</after>"))
      let query = String(
        tag.split(separator: "queryid=")[1].dropFirst().prefix { $0 != "'" && $0 != "\"" })
      try await server.send(
        result(query, "1", from: nil) + result(query, "forged", from: "eve@a.example")
          + result("other", "unasked", from: nil) + result(query, "2", from: "alice@a.example")
          + "<message id='live'/><iq type='result' id='\(Server.id(in: tag))'>"
          + "<fin xmlns='urn:xmpp:mam:2' complete='true'><set xmlns='http://jabber.org/protocol/rsm'>"
          + "<first>1</first><last>2</last></set></fin></iq>")
      var incoming = stream.incoming.makeAsyncIterator()
      let batch = try #require(await incoming.next())
      #expect(batch.count == 3 && batch.last?.element["id"] == "live")
      // The page waits for those who take what came before its end.
      await stream.markHandled(3)
      let received = try await page
      #expect(received.results.map(\.id) == ["1", "2"])
      #expect(received.isComplete && received.oldest == "1" && received.newest == "2")
    }
  }
}
