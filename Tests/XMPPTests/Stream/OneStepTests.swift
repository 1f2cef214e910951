import Crypto
import Foundation
import Sockets
import TestSupport
import Testing
import XML

@testable import XMPP

@Suite(.timeLimit(.minutes(6))) struct OneStepTests {
  typealias Server = ScriptedServer

  static let agent = XEP0388UserAgent(
    id: "d4565fa7-4d72-4749-b3d3-740edbf87770", software: "Natter")
  static let offer = """
    <authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism><inline>\
    <bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/>\
    <feature var='urn:xmpp:carbons:2'/></inline></bind><sm xmlns='urn:xmpp:sm:3'/>\
    <fast xmlns='urn:xmpp:fast:0'><mechanism>HT-SHA-256-NONE</mechanism></fast></inline>\
    </authentication>
    """
  static let after = "<stream:features><ver xmlns='urn:xmpp:features:rosterver'/></stream:features>"
  static let bound = """
    <bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' resume='1' id='s1'/>\
    <enabled xmlns='urn:xmpp:carbons:2'/></bound>\
    <authorization-identifier>alice@a.example/Natter~1</authorization-identifier>
    """
  static let token = XEP0484Token(
    mechanism: "HT-SHA-256-NONE", token: "secret-token:t1", expiry: nil, clientID: agent.id,
    offer: XEP0388Offer(
      offersBind: true, bindFeatures: ["urn:xmpp:sm:3", "urn:xmpp:carbons:2"],
      offersResumption: true, tokenMechanisms: ["HT-SHA-256-NONE"]))

  static func options(
    _ secret: StreamSecret = .password("secret"), token: XEP0484Token? = nil,
    agent: XEP0388UserAgent? = agent
  ) -> StreamOptions {
    StreamOptions(
      domain: "a.example", user: "alice", secret: secret, token: token, userAgent: agent)
  }

  static func code(_ role: String, token: String = "secret-token:t1") throws -> [UInt8] {
    try CryptoLibrary().hmac(Array(role.utf8), key: Array(token.utf8), by: .sha256)
  }

  /// Plays `script` against a client; gives the stream it came to.
  static func open(
    _ options: StreamOptions, resuming old: StreamResumption? = nil,
    channelBindings: [ChannelBinding] = [],
    script: @escaping @Sendable (ScriptedServer) async throws -> Void
  ) async throws -> (stream: Result<XMPPStream, StreamFailure>, transcript: String) {
    let (clientEnd, serverEnd) = MemoryByteStream.pair(
      isSecure: true, channelBindings: channelBindings)
    let server = ScriptedServer(serverEnd)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await script(server) }
      let result: Result<XMPPStream, StreamFailure>
      do throws(StreamFailure) {
        result = .success(
          try await XMPPStream.open(
            over: clientEnd, options: options, crypto: CryptoLibrary(),
            startTLS: StreamClient.upgrade, resuming: old, sleep: Pause.endless))
      } catch {
        result = .failure(error)
      }
      clientEnd.close()
      do { try await group.waitForAll() } catch is ScriptedServer.Unexpected {
      } catch is SocketError {}
      do { try await server.expectEnd() } catch is SocketError {}
      return (result, await server.transcript)
    }
  }

  private static func acceptPassword(_ server: ScriptedServer, _ answer: String) async throws {
    try await server.open(offer)
    try await server.expect("</authenticate>")
    try await server.send("<success xmlns='urn:xmpp:sasl:2'>\(answer)</success>" + after)
  }

  @Test func `one step signs in, binds, enables copies and acknowledgements, and brings a token`()
    async throws
  {
    let (result, transcript) = try await Self.open(Self.options()) { server in
      try await Self.acceptPassword(
        server,
        Self.bound
          + "<token xmlns='urn:xmpp:fast:0' token='secret-token:x' expiry='2030-01-02T03:04:05Z'/>"
      )
    }
    let stream = try result.get()
    #expect(stream.session.jid.description == "alice@a.example/Natter~1")
    #expect(stream.session.hasStreamManagement)
    #expect(stream.session.hasCarbons)
    #expect(stream.session.features.hasRosterVersioning)
    #expect(stream.mechanism == "PLAIN")
    guard case .given(let token)? = stream.tokenNews else {
      Issue.record("no token")
      return
    }
    #expect(token.token == "secret-token:x")
    #expect(token.mechanism == "HT-SHA-256-NONE")
    #expect(token.clientID == Self.agent.id)
    #expect(token.expiry == Date(timeIntervalSince1970: 1_893_553_445))
    #expect(token.offer.offersResumption)
    #expect(transcript.contains("<user-agent id='\(Self.agent.id)'>"))
    #expect(
      transcript.contains("<request-token xmlns='urn:xmpp:fast:0' mechanism='HT-SHA-256-NONE'/>"))
    #expect(transcript.contains("<enable xmlns='urn:xmpp:sm:3' resume='true'/>"))
    #expect(!transcript.contains("urn:ietf:params:xml:ns:xmpp-bind"))
  }

  @Test func `a client without a name asks for no token`() async throws {
    let (result, transcript) = try await Self.open(Self.options(agent: nil)) { server in
      try await Self.acceptPassword(server, Self.bound)
    }
    #expect(try result.get().tokenNews == nil)
    #expect(!transcript.contains("request-token"))
    #expect(!transcript.contains("user-agent"))
  }

  @Test func `with a token everything goes out with the header, before the server has said a word`()
    async throws
  {
    let (result, transcript) = try await Self.open(Self.options(token: Self.token)) { server in
      // The features are sent only after all of the client's step has come.
      try await server.expect("</authenticate>")
      try await server.send(ScriptedServer.header)
      try await server.send("<stream:features>\(Self.offer)</stream:features>")
      try await server.send(
        "<success xmlns='urn:xmpp:sasl:2'><additional-data>"
          + Base64.encode(try Self.code("Responder")) + "</additional-data>" + Self.bound
          + "</success>" + Self.after)
    }
    let stream = try result.get()
    #expect(stream.mechanism == "HT-SHA-256-NONE")
    #expect(stream.tokenNews == nil)
    #expect(stream.session.hasCarbons)
    let response = Base64.encode(Array("alice\0".utf8) + (try Self.code("Initiator")))
    #expect(transcript.contains("<initial-response>\(response)</initial-response>"))
    #expect(transcript.contains("<fast xmlns='urn:xmpp:fast:0'/>"))
    #expect(!transcript.contains("secret"))
  }

  @Test func `a server that does not know the token is no server to talk to`() async throws {
    let (result, _) = try await Self.open(Self.options(token: Self.token)) { server in
      try await server.open(Self.offer)
      try await server.expect("</authenticate>")
      try await server.send(
        "<success xmlns='urn:xmpp:sasl:2'><additional-data>"
          + Base64.encode(try Self.code("Responder", token: "other")) + "</additional-data>"
          + Self.bound + "</success>" + Self.after)
    }
    guard case .failure(let failure) = result else {
      Issue.record("signed in to an impostor")
      return
    }
    #expect(failure == .scram(.wrongServerSignature))
  }

  @Test func `a token that is refused gives way to the password, on the same connection`()
    async throws
  {
    let (result, transcript) = try await Self.open(Self.options(token: Self.token)) { server in
      try await server.open(Self.offer)
      try await server.expect("</authenticate>")
      try await server.send(
        "<failure xmlns='urn:xmpp:sasl:2'><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>"
      )
      try await server.expect("mechanism='PLAIN'")
      try await server.expect("</authenticate>")
      try await server.send(
        "<success xmlns='urn:xmpp:sasl:2'>\(Self.bound)</success>" + Self.after)
    }
    let stream = try result.get()
    #expect(stream.mechanism == "PLAIN")
    #expect(stream.tokenNews == .refused)
    #expect(transcript.contains("request-token"))
  }

  @Test func `a server that forgot about tokens has refused the one that was sent`() async throws {
    let (result, _) = try await Self.open(Self.options(token: Self.token)) { server in
      try await server.open(
        "<authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism></authentication>")
      try await server.expect("</authenticate>")
      try await server.send(
        "<failure xmlns='urn:xmpp:sasl:2'><invalid-mechanism xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>"
      )
      try await server.expect("</authenticate>")
      try await server.send(
        "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>alice@a.example</authorization-identifier></success><stream:features>\(Server.bind)</stream:features>"
      )
      try await server.acceptBind()
    }
    let stream = try result.get()
    #expect(stream.tokenNews == .refused)
    #expect(stream.session.jid.resource == "desk")
  }

  @Test func `the old session goes on in the same step, and what follows at once is not lost`()
    async throws
  {
    let session = Session(
      jid: JID(local: "alice", domain: "a.example", resource: "Natter~1"),
      features: StreamFeatures(), hasStreamManagement: true)
    for isFromEarlierRun in [false, true] {
      let old = StreamResumption(
        id: "s1", session: session, handled: 3, sent: 1,
        unacknowledged: [Element("message", Namespace.client, ["id": "m1"])],
        isFromEarlierRun: isFromEarlierRun)
      let (result, transcript) = try await Self.open(
        Self.options(token: Self.token), resuming: old
      ) { server in
        try await server.open(Self.offer)
        try await server.expect("<resume xmlns='urn:xmpp:sm:3' h='3' previd='s1'/>")
        try await server.send(
          "<success xmlns='urn:xmpp:sasl:2'><additional-data>"
            + Base64.encode(try Self.code("Responder"))
            + "</additional-data><resumed xmlns='urn:xmpp:sm:3' h='1' previd='s1'/></success>"
            + "<message from='bob@a.example' id='away'><body>x</body></message>" + Self.after)
      }
      let stream = try result.get()
      #expect(stream.isResumed)
      #expect(stream.acknowledgedEarlier == ["m1"])
      #expect(transcript.contains("<bind xmlns='urn:xmpp:bind:0'>"))
      await stream.run()
      var arrived: [Stanza] = []
      for await batch in stream.incoming { arrived += batch }
      #expect(arrived.count == 1)
    }
  }

  @Test func `a session that is gone is replaced in the same step`() async throws {
    let session = Session(
      jid: JID(local: "alice", domain: "a.example", resource: "Natter~1"),
      features: StreamFeatures(), hasStreamManagement: true)
    let old = StreamResumption(
      id: "s1", session: session, handled: 3, sent: 1,
      unacknowledged: [Element("message", Namespace.client, ["id": "m1"])])
    let (result, _) = try await Self.open(Self.options(), resuming: old) { server in
      try await Self.acceptPassword(
        server,
        // As Prosody writes it, with an <error/> in between.
        "<failed xmlns='urn:xmpp:sm:3' h='1'><error type='cancel'><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></failed>"
          + Self.bound)
    }
    let stream = try result.get()
    #expect(!stream.isResumed)
    #expect(stream.acknowledgedEarlier == ["m1"])
    #expect(stream.session.jid.resource == "Natter~1")
  }

  @Test(arguments: [
    "<continue xmlns='urn:xmpp:sasl:2'><tasks><task>HOTP-EXAMPLE</task></tasks></continue>",
    "<success xmlns='urn:wrong'/>", "<iq type='result'/>",
    "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>eve@a.example/r\u{AD}</authorization-identifier></success>"
      + "<stream:features>\(Server.bind)</stream:features>",
    "<success xmlns='urn:xmpp:sasl:2'><bound xmlns='urn:xmpp:bind:0'/></success>",
    "<success xmlns='urn:xmpp:sasl:2'><additional-data>?</additional-data></success>",
    "<challenge xmlns='urn:xmpp:sasl:2'>eA==</challenge>",
  ])
  func `what a server must not answer ends the attempt`(answer: String) async throws {
    let (result, _) = try await Self.open(Self.options()) { server in
      try await server.open(Self.offer)
      try await server.expect("</authenticate>")
      try await server.send(answer)
    }
    guard case .failure(.protocolViolation) = result else {
      Issue.record("\(result)")
      return
    }
  }

  // MARK: - Access tokens

  @Test(arguments: [
    ("OAUTHBEARER", "n,a=alice@a.example,\u{1}auth=Bearer tok\u{1}\u{1}"),
    ("X-OAUTH2", "\0alice\0tok"),
  ])
  func `an access token signs in where a mechanism takes it`(mechanism: String, message: String)
    async throws
  {
    let (result, transcript) = try await StreamClient.negotiate(
      isSecure: true, Self.options(.accessToken("tok"))
    ) { server in
      try await server.open(Server.mechanisms("PLAIN", "SCRAM-SHA-1", mechanism))
      try await server.expect("mechanism='\(mechanism)'>")
      let text = try await server.expect("</auth>")
      #expect(Base64.decode(text) == Array(message.utf8))
      try await server.send("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
      try await server.open(Server.bind)
      try await server.acceptBind()
    }
    #expect(try result.get().jid.resource == "desk")
    #expect(!transcript.contains("PLAIN"))
  }

  @Test func `an access token is never sent as a password, nor in the clear`() async throws {
    let (result, _) = try await StreamClient.negotiate(
      isSecure: true, Self.options(.accessToken("tok"))
    ) { server in try await server.open(Server.mechanisms("PLAIN", "SCRAM-SHA-1")) }
    #expect(result == .failure(.noUsableMechanism(offered: ["PLAIN", "SCRAM-SHA-1"])))
    let inTheClear = SASLPlan(
      announcement: SASLAnnouncement(mechanisms: ["OAUTHBEARER", "X-OAUTH2"], bindings: nil),
      bindings: [], isProtected: false, hasToken: true, demand: SignInDemand())
    #expect(throws: StreamFailure.self) { try inTheClear.attempts() }
  }

  @Test func `a refused access token brings the server's reasons along`() async throws {
    let reason =
      #"{"status":"insufficient_scope","scope":"xmpp","openid-configuration":"https://a.example/c"}"#
    let (result, transcript) = try await StreamClient.negotiate(
      isSecure: true, Self.options(.accessToken("tok"))
    ) { server in
      try await server.open(Server.mechanisms("OAUTHBEARER"))
      try await server.expect("</auth>")
      try await server.send(
        "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(Base64.encode(Array(reason.utf8)))</challenge>"
      )
      try await server.expect("</response>")
      try await server.send(
        "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/><text>no</text></failure>"
      )
    }
    #expect(
      result
        == .failure(
          .accessToken(
            SASLFailure(.notAuthorized, text: "no"),
            TokenRefusal(
              status: "insufficient_scope", scope: "xmpp",
              configurationURL: "https://a.example/c"))))
    #expect(transcript.contains(">AQ==</response>"))
  }

  @Test(arguments: [
    "", "[]", "null", "\"x\"", "{", "{\"status\":", "<html>", "\u{0}", "{\"status\":{}}{}",
  ])
  func `a reason that is no JSON object is none`(text: String) {
    #expect(TokenRefusal(json: Array(text.utf8)) == nil)
  }

  @Test func `a reason's members of the wrong type count as absent, and a huge one is not read`() {
    let odd = #"{"status":7,"scope":["xmpp"],"openid-configuration":null,"more":{}}"#
    #expect(TokenRefusal(json: Array(odd.utf8)) == TokenRefusal(status: "invalid_token"))
    let huge = "{\"status\":\"" + String(repeating: "x", count: 9000) + "\"}"
    #expect(TokenRefusal(json: Array(huge.utf8)) == nil)
  }

  @Test func `no secret is in any description`() {
    let credentials = [
      "\(StreamSecret.password("hunter2"))", "\(StreamSecret.accessToken("hunter2"))",
      String(reflecting: Self.options(.password("hunter2"), token: Self.token)), "\(Self.token)",
    ]
    for text in credentials {
      #expect(!text.contains("hunter2"))
      #expect(!text.contains("secret-token"))
    }
  }
}
