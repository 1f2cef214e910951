import Crypto
import Sockets
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

// Acknowledgements between the server and this side, and pings (XEP-0198, XEP-0199).
extension XMPPStreamTests {
  @Test func `the server hears of a stanza when it is handled, and not before`() async throws {
    try await withSession(managed: true) { stream, server in
      try await server.send("<message/><presence/><message/><r xmlns='urn:xmpp:sm:3'/>")
      try await server.expect("<a xmlns='urn:xmpp:sm:3' h='0'/>")
      var incoming = stream.incoming.makeAsyncIterator()
      #expect(await incoming.next()?.count == 3)
      await stream.markHandled(2)
      try await server.send("<r xmlns='urn:xmpp:sm:3'/>")
      try await server.expect("<a xmlns='urn:xmpp:sm:3' h='0'/>")
      // The rest of the requested acknowledgements is sent without another request.
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

  @Test func `what the server has is reported by id`() async throws {
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

  @Test func `a beat that is not answered ends with its time limit, or with the connection`()
    async throws
  {
    try await withSession(
      managed: true,
      sleep: { limit in
        if limit != .seconds(7) { try await Pause.endless(limit) }
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
  func `data before a beat's answer shows that the line lives: a slow one is not cut`(
    isManaged: Bool
  ) async throws {
    let (gate, limitReached) = AsyncStream<Void>.makeStream()
    try await withSession(
      managed: isManaged,
      sleep: { limit in
        guard limit == .seconds(7) else { return try await Pause.endless(limit) }
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

  @Test func `only the server can acknowledge`() async throws {
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

  @Test func `a stream that ends before all is handled has not settled`() async throws {
    for isHandled in [true, false] {
      try await withSession { stream, server in
        let settling = Task { try await stream.settle(timeout: .seconds(5)) }
        let tag = try await server.expect("</iq>")
        try await server.send(
          "<message id='live'/><iq type='result' id='\(Server.id(in: tag))'/>")
        var incoming = stream.incoming.makeAsyncIterator()
        #expect(await incoming.next()?.count == 1)
        if isHandled { await stream.markHandled(1) } else { await server.close() }
        switch await settling.result {
        case .success: #expect(isHandled)
        case .failure(let error): #expect(!isHandled && error as? ChannelError == .notConnected)
        }
      }
    }
  }
}
