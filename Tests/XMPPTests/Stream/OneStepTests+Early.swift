import Testing

@testable import XMPP

// Stanzas that come while a session is set up.
extension OneStepTests {
  @Test func `a stanza that is dropped while the session is set up is counted`() async throws {
    let (result, _) = try await Self.open(Self.options()) { server in
      try await server.open(
        "<authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism></authentication>")
      try await server.expect("</authenticate>")
      try await server.send(
        "<success xmlns='urn:xmpp:sasl:2'/><stream:features>\(Server.bind)</stream:features>"
          + "<message from='mallory@a.example/r\u{AD}'><body>x</body></message><other xmlns='u'/>"
          + "<message from='bob@a.example/r'><body>x</body></message>")
      try await server.acceptBind()
    }
    let stream = try result.get()
    #expect(await stream.droppedStanzas == 1)
    await stream.run()
    var arrived: [Stanza] = []
    for await batch in stream.incoming { arrived += batch }
    #expect(arrived.count == 1)
  }
}
