import Crypto
import Sockets
import Synchronization
import TestSupport
import Testing
import XML
import XMPP

/// XEP-0198 §5: a session goes on over another connection.
@Suite(.timeLimit(.minutes(6))) struct StreamResumptionTests {
  typealias Server = ScriptedServer

  private func message(_ id: String) -> Element {
    Element("message", Namespace.client, ["to": "bob@a.example", "id": id])
  }

  private var old: StreamResumption {
    StreamResumption(
      id: "some-id",
      session: Session(
        jid: JID(local: "alice", domain: "a.example", resource: "r"), features: StreamFeatures(),
        hasStreamManagement: true),
      handled: 7, sent: 3, unacknowledged: [message("m2"), message("m3")])
  }

  /// Connects with `old` at hand, has the server answer it, and runs `body`.
  private func resuming(
    _ answer: @escaping @Sendable (ScriptedServer) async throws -> Void,
    sleep: @escaping @Sendable (Duration) async throws -> Void = Pause.endless,
    _ body: (XMPPStream, ScriptedServer) async throws -> Void
  ) async throws {
    let (clientEnd, serverEnd) = MemoryByteStream.pair(isSecure: true)
    let server = ScriptedServer(serverEnd)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await server.open(Server.mechanisms("PLAIN"))
        try await server.acceptPlain()
        try await server.open(Server.bind + "<sm xmlns='urn:xmpp:sm:3'/>")
        let resume = try await server.expect("previd='some-id'/>")
        #expect(resume.contains("h='7'"))
        try await answer(server)
      }
      let stream = try await XMPPStream.open(
        over: clientEnd, options: StreamClient.options(), crypto: CryptoLibrary(),
        startTLS: StreamClient.upgrade, resuming: old, sleep: sleep)
      try await group.waitForAll()
      group.addTask { await stream.run() }
      try await body(stream, server)
      clientEnd.close()
      try await group.waitForAll()
    }
  }

  private static let bindAnew: @Sendable (ScriptedServer) async throws -> Void = { server in
    try await server.acceptBind()
    try await server.expect("<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
    try await server.send(
      "<enabled xmlns='urn:xmpp:sm:3' id='new' location='[::1]:5299' resume='true'/>")
  }

  @Test func `resumed: what the server has is acknowledged, the rest is sent again in order`()
    async throws
  {
    try await resuming {
      try await $0.send("<resumed xmlns='urn:xmpp:sm:3' h='2' previd='some-id'/>")
    } _: { stream, server in
      #expect(stream.isResumed && stream.session == old.session)
      var acknowledged = stream.acknowledged.makeAsyncIterator()
      #expect(await acknowledged.next() == ["m2"])
      let again = try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
      #expect(again.contains("id='m3'") && !again.contains("id='m2'"))
      try await server.send("<a xmlns='urn:xmpp:sm:3' h='3'/>")
      #expect(await acknowledged.next() == ["m3"])
    }
  }

  @Test func `who begins anew in it has receipts sent again, and everything else counted only`() {
    let receipt = Element(
      "message", Namespace.client, ["to": "bob@a.example", "id": "m4"],
      [Element("received", Namespace.receipts, ["id": "b1"])])
    var text = message("m5")
    text.append(Element("body", Namespace.client, text: "hello"))
    var subject = message("m6")
    subject.append(Element("subject", Namespace.client, text: "told to have failed"))
    let stanzas = [Element("presence", Namespace.client), receipt, text, subject]
    let left = StreamResumption(
      id: old.id, session: old.session, handled: 7, sent: 3, unacknowledged: stanzas, location: "a"
    ).leavingWhatBeginsAnew
    let counted = [nil, "m5", "m6"].map { Element.counted(id: $0) }
    #expect(left.unacknowledged == [counted[0], receipt, counted[1], counted[2]])
    #expect(left.id == old.id && left.handled == 7 && left.sent == 3 && left.location == "a")
  }

  private static let resume: @Sendable (ScriptedServer) async throws -> Void = {
    try await $0.send("<resumed xmlns='urn:xmpp:sm:3' h='2' previd='some-id'/>")
  }

  @Test
  func `a server that counts on hears; one that is silent, or talks and never counts, does not`()
    async throws
  {
    try await resuming(Self.resume) { stream, server in
      // The first request may be that of the resumption, answered before this one is made.
      let answering = Task {
        while !Task.isCancelled {
          try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
          try await server.send("<a xmlns='urn:xmpp:sm:3' h='3'/>")
        }
      }
      defer { answering.cancel() }
      try await stream.confirm(limit: .seconds(7))
    }
    for isTalking in [false, true] {
      // Each limit that is reached asks the test what comes before.
      let (limits, reached) = AsyncStream<AsyncStream<Void>.Continuation>.makeStream()
      try await resuming(
        Self.resume,
        sleep: { limit in
          guard limit == .seconds(7) else { return try await Pause.endless(limit) }
          let (gate, open) = AsyncStream<Void>.makeStream()
          reached.yield(open)
          for await _ in gate {}
          try Task.checkCancellation()
        }
      ) { stream, server in
        let asking = Task { try await stream.confirm(limit: .seconds(7)) }
        var incoming = stream.incoming.makeAsyncIterator()
        var waits = limits.makeAsyncIterator()
        for _ in 0..<(isTalking ? 6 : 1) {
          let open = try #require(await waits.next())
          if isTalking {
            try await server.send("<message from='bob@a.example/x'><body>kept</body></message>")
            _ = await incoming.next()
          }
          open.finish()
        }
        await #expect(throws: ChannelError.timedOut) { try await asking.value }
      }
    }
  }

  @Test(arguments: ["", " h='2'"])
  func `failed: a new session is bound, and the server's count is honoured`(h: String) async throws
  {
    try await resuming { server in
      try await server.send(
        "<failed xmlns='urn:xmpp:sm:3'\(h)><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>"
      )
      try await Self.bindAnew(server)
    } _: { stream, _ in
      #expect(!stream.isResumed)
      #expect(stream.acknowledgedEarlier == (h.isEmpty ? [] : ["m2"]))
    }
  }

  @Test(arguments: ["", "x", "-1", "2.0", "4294967296"])
  func `failed: a count that cannot be read acknowledges nothing, and a new session is bound`(
    h: String
  ) async throws {
    try await resuming { server in
      try await server.send("<failed xmlns='urn:xmpp:sm:3' h='\(h)'/>")
      try await Self.bindAnew(server)
    } _: { stream, _ in
      #expect(!stream.isResumed)
      #expect(stream.acknowledgedEarlier.isEmpty)
    }
  }

  @Test func `what ends the connection instead of an answer is reported as about the session`()
    async throws
  {
    await #expect(throws: StreamFailure.resuming(.ended)) {
      try await resuming {
        try await $0.send("</stream:stream>")
      } _: { _, _ in
      }
    }
    await #expect(
      throws: StreamFailure.resuming(.stream(StreamError(.internalServerError)))
    ) {
      try await resuming {
        try await $0.send(
          "<stream:error><internal-server-error xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>"
        )
      } _: { _, _ in
      }
    }
  }

  @Test func `a server that has more than was sent is not trusted`() async throws {
    await #expect(
      throws: StreamFailure.protocolViolation(.breach(.acknowledgedTooMuch))
    ) {
      try await resuming {
        try await $0.send("<resumed xmlns='urn:xmpp:sm:3' h='9'/>")
      } _: { _, _ in
      }
    }
  }

  @Test func `a connection that broke leaves what it takes to go on; one that was closed does not`()
    async throws
  {
    try await resuming { server in
      try await server.send("<failed xmlns='urn:xmpp:sm:3'/>")
      try await Self.bindAnew(server)
    } _: { stream, _ in
      try await stream.send(message("m9"))
      #expect(await stream.resumption == nil)
      await stream.drop()
      for await _ in stream.incoming {}
      let resumption = await stream.resumption
      #expect(resumption?.id == "new" && resumption?.sent == 1)
      #expect(resumption?.location == "[::1]:5299")
      #expect(resumption?.unacknowledged.map { $0["id"] } == ["m9"])
    }
  }

  /// A store that writes nothing while it is configured not to.
  private final class Keeper: ResumptionKeeping {
    private struct Full: Error {}
    private let state = Mutex<(changes: [ResumptionChange], isFull: Bool)>(([], false))
    var changes: [ResumptionChange] { state.withLock(\.changes) }
    func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }
    func keptSession() async throws -> StreamResumption? { nil }
    func forgetSession() async throws {}
    func keep(_ change: ResumptionChange) async throws {
      try state.withLock {
        if $0.isFull { throw Full() }
        $0.changes.append(change)
      }
    }
  }

  @Test
  func `what could not be kept is kept with what comes next, as far as it is still under way`()
    async throws
  {
    let keeper = Keeper()
    try await resuming { server in
      try await server.send("<failed xmlns='urn:xmpp:sm:3'/>")
      try await Self.bindAnew(server)
    } _: { stream, server in
      await stream.keep(in: keeper)
      var acknowledged = stream.acknowledged.makeAsyncIterator()
      keeper.setFull(true)
      try await stream.send(message("m1"))
      try await server.expect("<r xmlns='urn:xmpp:sm:3'/>")
      keeper.setFull(false)
      try await stream.send(message("m2"))
      try await server.expect("m2")
      #expect(keeper.changes.map(\.isFirst) == [true])
      #expect(keeper.changes.last?.appended.map { $0["id"] } == ["m1", "m2"])
      keeper.setFull(true)
      for id in ["m3", "m4"] {
        try await stream.send(message(id))
        try await server.expect(id)
      }
      try await server.send("<a xmlns='urn:xmpp:sm:3' h='3'/>")
      #expect(await acknowledged.next() == ["m1", "m2", "m3"])
      keeper.setFull(false)
      try await stream.send(message("m5"))
      try await server.expect("m5")
      // The question for the rest may have been written before, and with it what there was until
      // then.
      let rest = keeper.changes.dropFirst()
      #expect(rest.allSatisfy { !$0.isFirst })
      #expect(rest.flatMap { $0.appended.map { $0["id"] } } == ["m4", "m5"])
      #expect(rest.last?.sent == 5 && rest.last?.openCount == 2)
    }
  }
}
