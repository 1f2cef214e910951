import Crypto
import TestSupport
import Testing
import XMPP

@Suite(.timeLimit(.minutes(6))) struct RegistrationTests {
  typealias Server = ScriptedServer

  /// Plays `script` against a client that does `work`.
  func play<Result: Sendable>(
    _ work: (MemoryByteStream, CryptoLibrary) async throws -> Result,
    script: @escaping @Sendable (ScriptedServer) async throws -> Void
  ) async throws -> Result {
    let (clientEnd, serverEnd) = MemoryByteStream.pair(isSecure: true)
    let crypto = CryptoLibrary()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await script(ScriptedServer(serverEnd)) }
      let result = try await work(clientEnd, crypto)
      try await group.waitForAll()
      return result
    }
  }

  static func offerForm(_ server: ScriptedServer, _ content: String) async throws {
    try await server.open(Server.mechanisms("PLAIN"))
    let tag = try await server.expect("</iq>")
    try await server.send(
      "<iq type='result' id='\(Server.id(in: tag))'><query xmlns='jabber:iq:register'>\(content)</query></iq>"
    )
  }

  @Test func `the form is fetched without signing in`() async throws {
    let form = try await play { transport, crypto in
      try await XMPPStream.registration(
        over: transport, options: StreamClient.options(), crypto: crypto,
        startTLS: StreamClient.upgrade)
    } script: {
      try await Self.offerForm($0, "<instructions>Hi</instructions><username/><password/><email/>")
    }
    #expect(form.fields == ["username", "password", "email"])
    #expect(form.instructions == "Hi")
  }

  @Test func `the answer has the name, the password and the rest`() async throws {
    let isSent = Observed(false)
    try await play { transport, crypto in
      try await XMPPStream.register(
        over: transport, options: StreamClient.options(), answers: ["email": ["a@b"]],
        crypto: crypto, onSending: { isSent.update { $0 = true } }, startTLS: StreamClient.upgrade)
    } script: { server in
      #expect(!isSent.value)
      try await Self.offerForm(server, "<username/><password/><email/>")
      let answer = try await server.expect("</iq>")
      #expect(isSent.value)
      #expect(
        answer.contains(
          "<username>alice</username><password>secret</password><email>a@b</email>"))
      try await server.send("<iq type='result' id='\(Server.id(in: answer))'/>")
    }
  }

  @Test func `a data form is answered as a data form`() async throws {
    try await play { transport, crypto in
      try await XMPPStream.register(
        over: transport, options: StreamClient.options(), answers: ["x": ["1"]],
        crypto: crypto, startTLS: StreamClient.upgrade)
    } script: { server in
      try await Self.offerForm(
        server,
        "<username/><x xmlns='jabber:x:data' type='form'><field type='hidden' var='FORM_TYPE'><value>jabber:iq:register</value></field><field var='username'/><field type='text-private' var='password'/><field var='x'/></x>"
      )
      let answer = try await server.expect("</iq>")
      #expect(answer.contains("type='submit'"))
      #expect(answer.contains("<field var='username'><value>alice</value></field>"))
      #expect(answer.contains("<value>secret</value>"))
      #expect(answer.contains("<field var='x'><value>1</value></field>"))
      try await server.send("<iq type='result' id='\(Server.id(in: answer))'/>")
    }
  }

  @Test(arguments: [
    ("conflict", StanzaError.Condition.conflict), ("not-acceptable", .notAcceptable),
    ("resource-constraint", .resourceConstraint),
  ])
  func `a refusal is reported`(name: String, condition: StanzaError.Condition) async throws {
    await #expect(throws: StreamFailure.registration(StanzaError(.cancel, condition))) {
      try await play { transport, crypto in
        try await XMPPStream.register(
          over: transport, options: StreamClient.options(), answers: [:],
          crypto: crypto, startTLS: StreamClient.upgrade)
      } script: { server in
        try await Self.offerForm(server, "<username/><password/>")
        let answer = try await server.expect("</iq>")
        try await server.send(
          "<iq type='error' id='\(Server.id(in: answer))'><error type='cancel'><\(name) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
        )
      }
    }
  }

  @Test func `a server that takes no one says so`() async throws {
    await #expect(throws: StreamFailure.registrationNotOffered) {
      try await play { transport, crypto in
        try await XMPPStream.registration(
          over: transport, options: StreamClient.options(), crypto: crypto,
          startTLS: StreamClient.upgrade)
      } script: { server in
        try await server.open(Server.mechanisms("PLAIN"))
        let tag = try await server.expect("</iq>")
        try await server.send(
          "<iq type='error' id='\(Server.id(in: tag))'><error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
        )
      }
    }
  }
}
