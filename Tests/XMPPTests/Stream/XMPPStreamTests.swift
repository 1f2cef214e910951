import Crypto
import Sockets
import Synchronization
import TestSupport
import Testing
import XMPP

@Suite(.timeLimit(.minutes(1))) struct XMPPStreamTests {
  typealias Server = ScriptedServer

  /// Runs `body` with a bound session and the server's end of it.
  func withSession(
    managed: Bool = false, early: String = "", features: String = "",
    sleep: @escaping @Sendable (Duration) async throws -> Void = StreamClient.forever,
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

  @Test func `client state is told where the server wants to know, and is not counted`()
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

  @Test func `answers come though nobody takes what else arrives`() async throws {
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
      if limit != .seconds(7) { try await StreamClient.forever(limit) }
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

  // MARK: Acknowledgements

  @Test func `the server hears of a stanza when it is handled, and not before`() async throws {
    try await withSession(managed: true) { stream, server in
      try await server.send("<message/><presence/><message/><r xmlns='urn:xmpp:sm:3'/>")
      try await server.expect("<a xmlns='urn:xmpp:sm:3' h='0'/>")
      var incoming = stream.incoming.makeAsyncIterator()
      #expect(await incoming.next()?.count == 3)
      await stream.markHandled(2)
      try await server.send("<r xmlns='urn:xmpp:sm:3'/>")
      try await server.expect("<a xmlns='urn:xmpp:sm:3' h='0'/>")
      // The rest of what the server asked for is told without being asked again.
      await stream.markHandled(1)
      try await server.expect("<a xmlns='urn:xmpp:sm:3' h='3'/>")
    }
  }

  @Test func `answers count too, but only behind what came before them`() async throws {
    try await withSession(managed: true) { stream, server in
      try await server.send("<iq type='result' id='1'/><r xmlns='urn:xmpp:sm:3'/>")
      try await server.expect("h='1'/>")
      try await server.send("<message/>")
      var incoming = stream.incoming.makeAsyncIterator()
      #expect(await incoming.next()?.count == 1)
      try await server.send("<iq type='result' id='2'/><r xmlns='urn:xmpp:sm:3'/>")
      try await server.expect("h='1'/>")
      await stream.markHandled(1)
      try await server.expect("h='3'/>")
    }
  }

  @Test func `what came before counting began is delivered and not counted`() async throws {
    try await withSession(managed: true, early: "<message id='early'/>") { stream, server in
      var incoming = stream.incoming.makeAsyncIterator()
      #expect(await incoming.next()?.first?.element["id"] == "early")
      await stream.markHandled(1)
      try await server.send("<message/>")
      #expect(await incoming.next()?.count == 1)
      await stream.markHandled(1)
      try await server.send("<r xmlns='urn:xmpp:sm:3'/>")
      try await server.expect("<a xmlns='urn:xmpp:sm:3' h='1'/>")
    }
  }

  @Test func `what the server has is told by id`() async throws {
    try await withSession(managed: true) { stream, server in
      try await stream.send(message("m1"))
      try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
      try await stream.send(Element("presence", Namespace.client))
      try await stream.send(message("m2"))
      try await server.send("<a xmlns='urn:xmpp:sm:3' h='1'/>")
      var acknowledged = stream.acknowledged.makeAsyncIterator()
      #expect(await acknowledged.next() == ["m1"])
      // There is more to ask for.
      try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
      #expect(await stream.unacknowledged == ["m2"])
      try await server.send("<a xmlns='urn:xmpp:sm:3' h='3'/>")
      #expect(await acknowledged.next() == ["m2"])
      #expect(await stream.unacknowledged.isEmpty)
    }
  }

  @Test func `a server that has more than was sent is not believed`() async throws {
    try await withSession(managed: true) { stream, server in
      try await stream.send(message("m1"))
      try await server.expect("<r ")
      try await server.send("<a xmlns='urn:xmpp:sm:3' h='2'/>")
      for await _ in stream.incoming {}
      guard case .protocolViolation = await stream.endReason else {
        Issue.record("\(String(describing: await stream.endReason))")
        return
      }
      try await server.expect("<undefined-condition")
      #expect(await stream.unacknowledged == ["m1"])
    }
  }

  @Test func `where the server does not count, its answer to a ping does`() async throws {
    try await withSession { stream, server in
      try await stream.send(message("m1"))
      try await server.expect("</message>")
      let first = Server.id(in: try await server.expect("</iq>"))
      try await stream.send(message("m2"))
      try await server.expect("</message>")
      try await server.send("<iq type='result' id='\(first)' from='a.example'/>")
      var acknowledged = stream.acknowledged.makeAsyncIterator()
      #expect(await acknowledged.next() == ["m1"])
      let second = Server.id(in: try await server.expect("</iq>"))
      #expect(second != first)
      try await server.send(
        "<iq type='error' id='\(second)'><error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
      )
      #expect(await acknowledged.next() == ["m2"])
    }
  }

  @Test func `a beat of the heart is an <r/> where the server counts, and any <a/> its answer`()
    async throws
  {
    try await withSession(managed: true) { stream, server in
      async let beat: Void = stream.probe(limit: .seconds(15))
      try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
      try await server.send("<a xmlns='urn:xmpp:sm:3' h='0'/>")
      try await beat
      // An `<r/>` that waits for its answer already keeps no beat back.
      try await stream.send(message("m1"))
      try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
      async let second: Void = stream.probe(limit: .seconds(15))
      try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
      try await server.send("<a xmlns='urn:xmpp:sm:3' h='1'/>")
      try await second
    }
  }

  @Test func `a beat of the heart is a ping where the server does not count`() async throws {
    try await withSession { stream, server in
      async let beat: Void = stream.probe(limit: .seconds(15))
      let id = Server.id(in: try await server.expect("</iq>"))
      try await server.send("<iq type='result' id='\(id)' from='a.example'/>")
      try await beat
    }
  }

  @Test func `a beat that nobody answers ends with its time limit, or with the connection`()
    async throws
  {
    try await withSession(
      managed: true,
      sleep: { limit in
        if limit != .seconds(7) { try await StreamClient.forever(limit) }
      }
    ) { stream, server in
      await #expect(throws: ChannelError.timedOut) { try await stream.probe(limit: .seconds(7)) }
      let beat = Task { try await stream.probe(limit: .seconds(15)) }
      try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
      await stream.drop()
      await #expect(throws: ChannelError.notConnected) { try await beat.value }
      await #expect(throws: ChannelError.notConnected) {
        try await stream.probe(limit: .seconds(15))
      }
    }
  }

  @Test(arguments: [true, false])
  func `what comes before a beat's answer is a sign of life: a slow line is not cut`(
    isManaged: Bool
  ) async throws {
    let (gate, limitReached) = AsyncStream<Void>.makeStream()
    try await withSession(
      managed: isManaged,
      sleep: { limit in
        guard limit == .seconds(7) else { return try await StreamClient.forever(limit) }
        for await _ in gate {}
        try Task.checkCancellation()
      }
    ) { stream, server in
      async let beat: Void = stream.probe(limit: .seconds(7))
      try await server.expect(isManaged ? "<r xmlns='urn:xmpp:sm:3'/>" : "</iq>")
      try await server.send(
        "<message from='bob@a.example/x'><body>one of thousands</body></message>")
      var incoming = stream.incoming.makeAsyncIterator()
      _ = await incoming.next()
      limitReached.finish()
      try await beat
      // Nothing came during the next one.
      await #expect(throws: ChannelError.timedOut) { try await stream.probe(limit: .seconds(7)) }
    }
  }

  @Test func `nobody but the server can acknowledge`() async throws {
    try await withSession { stream, server in
      try await stream.send(message("m1"))
      let id = Server.id(
        in: try await server.expect("</iq>").split(separator: "</message>").last.map(String.init)
          ?? "")
      try await server.send("<iq type='result' id='\(id)' from='eve@a.example/x'/><message/>")
      var incoming = stream.incoming.makeAsyncIterator()
      #expect(await incoming.next()?.count == 1)
      #expect(await stream.unacknowledged == ["m1"])
    }
  }

  // MARK: Ends

  @Test func `closing says so and waits for the server`() async throws {
    try await withSession { stream, server in
      async let closed: Void = stream.close()
      try await server.expect("</stream:stream>")
      await #expect(throws: ChannelError.notConnected) { try await stream.send(message("1")) }
      try await server.send("<message/></stream:stream>")
      await closed
      #expect(await stream.endReason == nil)
      var count = 0
      for await batch in stream.incoming { count += batch.count }
      #expect(count == 1)
      #expect(!(await server.transcript.contains("</stream:stream></stream:stream>")))
    }
  }

  @Test func `a server that does not close its side is not waited for`() async throws {
    try await withSession(sleep: { if $0 != .seconds(1) { try await StreamClient.forever($0) } }) {
      stream, server in
      await stream.close()
      for await _ in stream.incoming {}
      #expect(await stream.endReason == nil)
    }
  }

  @Test func `when the server ends the stream, this side does too`() async throws {
    try await withSession { stream, server in
      try await server.send("</stream:stream>")
      try await server.expect("</stream:stream>")
      for await _ in stream.incoming {}
      #expect(await stream.endReason == .ended)
    }
  }

  @Test func `a stream error is the reason of the end`() async throws {
    try await withSession { stream, server in
      try await server.send(
        "<message/><stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/><text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>Replaced</text></stream:error>"
      )
      var count = 0
      for await batch in stream.incoming { count += batch.count }
      #expect(count == 1)
      #expect(await stream.endReason == .stream(StreamError(.conflict, text: "Replaced")))
    }
  }

  @Test(arguments: [
    ("<message><body>&nbsp;</body></message>", "restricted-xml"), ("<!-- -->", "restricted-xml"),
    ("<message></presence>", "not-well-formed"), ("hello", "bad-format"),
    ("<message a='\u{1}'/>", "not-well-formed"),
    ("<message>" + String(repeating: "x", count: 1 << 20), "policy-violation"),
    ("<!DOCTYPE message>", "restricted-xml"), ("<?pi content?>", "restricted-xml"),
    ("<message>" + String(repeating: "<a>", count: 101), "policy-violation"),
  ])
  func `bad XML ends the stream, and the server is told why`(text: String, condition: String)
    async throws
  {
    try await endsStream(Array(text.utf8), condition)
  }

  @Test(arguments: [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]] as [[UInt8]])
  func `bytes that are not UTF-8 end the stream, and the server is told why`(bytes: [UInt8])
    async throws
  {
    try await endsStream(
      Array("<message><body>".utf8) + bytes + Array("</body></message>".utf8),
      "unsupported-encoding")
  }

  @Test(arguments: [
    ("<!DOCTYPE stream>", "restricted-xml"), ("<!-- a comment -->", "restricted-xml"),
    ("<?pi content?>", "restricted-xml"), ("HTTP/1.1 400 Bad Request", "not-well-formed"),
  ])
  func `bad XML before the server's header is answered, too`(text: String, condition: String)
    async throws
  {
    let (clientEnd, serverEnd) = MemoryByteStream.pair(isSecure: true)
    let server = ScriptedServer(serverEnd)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: StreamFailure.self) {
          try await XMPPStream.open(
            over: clientEnd, options: StreamClient.options(), crypto: CryptoLibrary(),
            startTLS: StreamClient.upgrade)
        }
      }
      try await server.expect("<stream:stream")
      try await server.send(bytes: Array(text.utf8))
      try await server.expect(
        "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>")
      try await server.expect("</stream:stream>")
      try await group.waitForAll()
    }
  }

  /// The server sends a stanza and then `bytes`: the stanza arrives, and the stream is ended with `condition`.
  private func endsStream(_ bytes: [UInt8], _ condition: String) async throws {
    try await withSession { stream, server in
      try await server.send(bytes: Array("<presence/>".utf8) + bytes)
      var count = 0
      for await batch in stream.incoming { count += batch.count }
      #expect(count == 1)
      guard case .protocolViolation = await stream.endReason else {
        Issue.record("\(String(describing: await stream.endReason))")
        return
      }
      try await server.expect(
        "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>")
      try await server.expect("</stream:stream>")
    }
  }

  @Test func `a cancelled task ends the connection, waiting questions and all`() async throws {
    let (clientEnd, serverEnd) = MemoryByteStream.pair(isSecure: true)
    let server = ScriptedServer(serverEnd)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(throws: StreamFailure.self) {
          try await XMPPStream.open(
            over: clientEnd, options: StreamClient.options(), crypto: CryptoLibrary(),
            startTLS: StreamClient.upgrade)
        }
      }
      // The server answers nothing: only cancellation ends this.
      try await server.expect("<stream:stream ")
      group.cancelAll()
      try await group.waitForAll()
    }
    try await server.expectEnd()
  }

  @Test func `many senders at once break no stanza`() async throws {
    try await withSession(managed: true) { stream, server in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask { try await stream.send(message("m\(number)")) }
        }
        try await group.waitForAll()
      }
      for _ in 0..<200 { try await server.expect("<body>hi</body></message>") }
      try await server.send("<a xmlns='urn:xmpp:sm:3' h='200'/>")
      var ids: Set<String> = []
      for await batch in stream.acknowledged {
        ids.formUnion(batch)
        if ids.count == 200 { break }
      }
      #expect(ids.count == 200)
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
    // FACTS.md 4: the server counts results as it counts messages.
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

  @Test func `a page holds what the archive sent for this query, and nobody else sees it`()
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
