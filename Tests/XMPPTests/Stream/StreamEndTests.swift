import Crypto
import Sockets
import Synchronization
import TestSupport
import Testing
import XMPP

// How a stream ends.
extension XMPPStreamTests {
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
    try await withSession(sleep: { if $0 != .seconds(1) { try await Pause.endless($0) } }) {
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
    ("<junk>" + String(repeating: "x", count: 1 << 20), "policy-violation"),
    ("<!DOCTYPE message>", "restricted-xml"), ("<?pi content?>", "restricted-xml"),
    ("<junk>" + String(repeating: "<a>", count: 101), "policy-violation"),
  ])
  func `bad XML ends the stream, and the server learns why`(text: String, condition: String)
    async throws
  {
    try await endsStream(Array(text.utf8), condition)
  }

  @Test(arguments: [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xc0, 0xaf]] as [[UInt8]])
  func `bytes that are not UTF-8 end the stream, and the server learns why`(bytes: [UInt8])
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

  /// The server sends a stanza and then `bytes`: the stanza arrives, and the stream is ended with
  /// `condition`.
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
}
