import Crypto
import Sockets
import TestSupport
import Testing
import XML
import XMPP

@Suite(.timeLimit(.minutes(6))) struct NegotiationTests {
  typealias Server = ScriptedServer

  @Test func `STARTTLS, SCRAM, binding and acknowledgements lead to a session`() async throws {
    let (result, transcript) = try await StreamClient.negotiate { server in
      try await server.open(Server.startTLS)
      try await server.expect("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
      try await server.send("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
      try await server.open(Server.mechanisms("PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-256"))
      try await server.acceptSCRAM(.sha256)
      try await server.open(
        Server.bind + "<sm xmlns='urn:xmpp:sm:3'/><ver xmlns='urn:xmpp:features:rosterver'/>")
      try await server.acceptBind()
      try await server.expect("<enable xmlns='urn:xmpp:sm:3' resume='true'/>")
      try await server.send("<enabled xmlns='urn:xmpp:sm:3'/>")
    }
    let session = try result.get()
    #expect(session.jid == JID(local: "alice", domain: "a.example", resource: "desk"))
    #expect(session.hasStreamManagement)
    #expect(session.features.hasRosterVersioning)
    #expect(!transcript.contains("secret"))
    #expect(transcript.contains("<resource>desk</resource>"))
    // The account's name is sent only when the connection is encrypted.
    let parts = transcript.split(separator: "<starttls")
    #expect(parts.count == 2)
    #expect(!parts[0].contains("alice"))
    #expect(parts[1].contains("from='alice@a.example'"))
  }

  @Test func `nothing but a header goes to a server without TLS`() async throws {
    let (result, transcript) = try await StreamClient.negotiate { server in
      try await server.open(Server.mechanisms("PLAIN", "SCRAM-SHA-1"))
    }
    #expect(result == .failure(.tlsUnavailable))
    #expect(!transcript.contains("<auth"))
    #expect(!transcript.contains("alice"))
  }

  @Test(arguments: [
    "<failure xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:stream>",
    "<proceed xmlns='urn:wrong'/>", "<message/>",
  ])
  func `a server that does not begin TLS gets no more`(answer: String) async throws {
    let (result, transcript) = try await StreamClient.negotiate { server in
      try await server.open(Server.startTLS + Server.mechanisms("PLAIN"))
      try await server.expect("<starttls")
      try await server.send(answer)
    }
    #expect(result == .failure(.tlsUnavailable))
    #expect(!transcript.contains("<auth"))
  }

  @Test(arguments: [
    "<stream:features/>", "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", "<broken", "&x;",
  ])
  func `what comes in the clear behind proceed is never taken for the server's`(
    injected: String
  ) async throws {
    let (result, _) = try await StreamClient.negotiate { server in
      try await server.open(Server.startTLS)
      try await server.expect("<starttls")
      try await server.send("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>" + injected)
      try await server.open(Server.mechanisms("EXTERNAL"))
    }
    if injected == "<broken" {
      // Not an element yet: thrown away with the plain stream.
      #expect(result == .failure(.noUsableMechanism(offered: ["EXTERNAL"])))
    } else {
      #expect(result == .failure(.protocolViolation(.breach(.dataBeforeTLS))))
    }
  }

  @Test func `the reason why TLS failed is passed on`() async throws {
    let expired = SocketError.certificate(.expired, host: "a.example", detail: "expired")
    let (result, _) = try await StreamClient.negotiate(
      upgrade: { _ throws(SocketError) in throw expired },
      script: { server in
        try await server.open(Server.startTLS)
        try await server.expect("<starttls")
        try await server.send("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
      })
    #expect(result == .failure(.socket(expired)))
  }

  @Test func `an upgrade that is not secure is not used`() async throws {
    let (result, transcript) = try await StreamClient.negotiate(
      upgrade: { transport throws(SocketError) in transport },
      script: { server in
        try await server.open(Server.startTLS)
        try await server.expect("<starttls")
        try await server.send("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        try await server.open(Server.mechanisms("SCRAM-SHA-1"))
      })
    #expect(result == .failure(.tlsUnavailable))
    #expect(!transcript.contains("<auth"))
  }

  @Test func `without TLS on this machine, where it was asked for, the stream is plain`()
    async throws
  {
    let (result, transcript) = try await StreamClient.negotiate(
      isLoopback: true, StreamClient.options(allowsPlaintext: true)
    ) { server in
      try await server.open(
        "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
          + Server.mechanisms("PLAIN", "SCRAM-SHA-1"))
      try await server.acceptSCRAM(.sha1)
      try await server.open(Server.bind)
      try await server.acceptBind()
    }
    #expect(try result.get().jid.resource == "desk")
    #expect(!transcript.contains("<starttls"))
  }

  @Test func `without TLS the password is not shown to a port of this machine either`() async throws
  {
    let (result, transcript) = try await StreamClient.negotiate(
      isLoopback: true, StreamClient.options(allowsPlaintext: true)
    ) { server in
      try await server.open(Server.mechanisms("PLAIN"))
    }
    #expect(result == .failure(.noUsableMechanism(offered: ["PLAIN"])))
    #expect(!transcript.contains("<auth"))
  }

  @Test(arguments: [
    Server.startTLS + Server.mechanisms("PLAIN"),
    "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
  ])
  func `with TLS disabled, a server that wants it gets neither TLS nor a name`(features: String)
    async throws
  {
    let (result, transcript) = try await StreamClient.negotiate(
      isLoopback: true, StreamClient.options(allowsPlaintext: true)
    ) { server in
      try await server.open(features)
    }
    #expect(result == .failure(.tlsRequired))
    #expect(!transcript.contains("<starttls") && !transcript.contains("<auth"))
  }

  @Test(arguments: [(true, false), (false, true), (false, false)])
  func `without TLS and without both permission and loopback there is no stream`(
    allows: Bool, isLoopback: Bool
  ) async throws {
    let (result, transcript) = try await StreamClient.negotiate(
      isLoopback: isLoopback, StreamClient.options(allowsPlaintext: allows)
    ) { server in
      try await server.open(Server.mechanisms("PLAIN", "SCRAM-SHA-1"))
    }
    #expect(result == .failure(.tlsUnavailable))
    #expect(!transcript.contains("<auth"))
  }

  @Test(arguments: [
    (["SCRAM-SHA-1-PLUS", "EXTERNAL"]), ([]), (["DIGEST-MD5"]),
  ])
  func `without a mechanism that is known there is no session`(offered: [String]) async throws {
    let (result, _) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(
        "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
          + offered.map { "<mechanism> \($0)\n</mechanism>" }.joined() + "</mechanisms>")
    }
    #expect(result == .failure(.noUsableMechanism(offered: offered)))
  }

  @Test(arguments: SASLFailure.Condition.allCases)
  func `the server's refusal is reported`(condition: SASLFailure.Condition) async throws {
    let (result, _) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(Server.mechanisms("PLAIN"))
      try await server.expect("</auth>")
      try await server.send(
        "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><\(condition.rawValue)/><text>no</text></failure>"
      )
    }
    #expect(result == .failure(.authentication(SASLFailure(condition, text: "no"))))
  }

  @Test func `a wrong password is not tried again in another way`() async throws {
    let (result, transcript) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(Server.mechanisms("SCRAM-SHA-1", "PLAIN"))
      try await server.acceptSCRAM(.sha1, password: "another")
      try await server.expect("<auth")
    }
    #expect(result == .failure(.authentication(SASLFailure(.notAuthorized))))
    #expect(transcript.split(separator: "<auth ").count == 2)
  }

  @Test func `a mechanism that is offered and yet refused gives way to the next`() async throws {
    let (result, _) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(Server.mechanisms("SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"))
      try await server.expect("</auth>")
      try await server.send(
        "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><invalid-mechanism/></failure>")
      try await server.acceptSCRAM(.sha1)
      try await server.open(Server.bind)
      try await server.acceptBind()
    }
    #expect(try result.get().hasStreamManagement == false)
  }

  @Test func `a server that cannot prove that it knows the password is no server`() async throws {
    let (result, transcript) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(Server.mechanisms("SCRAM-SHA-1"))
      try await server.acceptSCRAM(.sha1, signature: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
      try await server.open(Server.bind)
    }
    #expect(result == .failure(.scram(.wrongServerSignature)))
    #expect(!transcript.contains("<iq"))
  }

  @Test func `success without the proof is no success`() async throws {
    let (result, _) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(Server.mechanisms("SCRAM-SHA-1"))
      try await server.expect("</auth>")
      try await server.send("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>")
    }
    guard case .failure(.protocolViolation) = result else {
      Issue.record("\(result)")
      return
    }
  }

  static let endings: [(String, StreamFailure)] = [
    (
      "HTTP/1.1 400 Bad Request\r\n\r\n",
      .notXMPP(.xml(XMLError(.unexpectedCharacter, offset: 0)))
    ),
    (
      "SSH-2.0-OpenSSH_9.2p1\r\n",
      .notXMPP(.xml(XMLError(.unexpectedCharacter, offset: 0)))
    ),
    ("<!DOCTYPE html><html>", .notXMPP(.xml(XMLError(.doctype, offset: 0)))),
    ("<html><head/></html>", .notXMPP(.breach(.otherElement, name: "html"))),
    (
      "<stream:stream xmlns='jabber:server' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>",
      .notXMPP(.breach(.otherNamespace, name: "jabber:server"))
    ),
    (
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>",
      .protocolViolation(.breach(.oldVersion))
    ),
    (
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='0.9'>",
      .protocolViolation(.breach(.oldVersion))
    ),
    (ScriptedServer.header + "<message/>", .protocolViolation(.breach(.noFeatures))),
    (ScriptedServer.header + "</stream:stream>", .ended),
    (
      ScriptedServer.header
        + "<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>",
      .stream(StreamError(.hostUnknown))
    ),
    (
      "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'><stream:error><unsupported-version xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>",
      .stream(StreamError(.unsupportedVersion))
    ),
    (
      ScriptedServer.header
        + "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>[::1]:5223</see-other-host><text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>moved</text></stream:error>",
      .stream(StreamError(.seeOtherHost, text: "moved", otherHost: "[::1]:5223"))
    ),
    (
      ScriptedServer.header + "<a><b></a>",
      .protocolViolation(
        .xml(XMLError(.mismatchedTag, offset: ScriptedServer.header.utf8.count + 8)))
    ),
  ]

  @Test(arguments: endings)
  func `servers that are none, or do not want to be, are known for what they are`(
    text: String, failure: StreamFailure
  ) async throws {
    let (result, transcript) = try await StreamClient.negotiate { server in
      try await server.expect("<stream:stream ")
      try await server.send(text)
    }
    #expect(result == .failure(failure))
    if case .protocolViolation(.xml(let error)) = failure {
      #expect(transcript.contains("<\(error.condition.rawValue)"))
    }
  }

  @Test func `a server that says nothing and hangs up has ended the stream`() async throws {
    let (result, _) = try await StreamClient.negotiate { server in
      try await server.expect("<stream:stream ")
      await server.close()
    }
    #expect(result == .failure(.ended))
  }

  @Test func `a name that is taken gives way to one the server chooses`() async throws {
    let (result, transcript) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(Server.mechanisms("PLAIN"))
      try await server.acceptPlain()
      try await server.open(Server.bind)
      let tag = try await server.expect("</iq>")
      try await server.send(
        "<iq type='error' id='\(Server.id(in: tag))'><error type='cancel'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
      )
      try await server.acceptBind("alice@a.example/other")
    }
    #expect(try result.get().jid.resource == "other")
    #expect(transcript.split(separator: "<resource>").count == 2)
  }

  @Test(arguments: [
    (
      "<error type='cancel'><not-allowed xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>",
      StreamFailure.bind(StanzaError(.cancel, .notAllowed))
    )
  ])
  func `a refused binding is reported`(error: String, failure: StreamFailure) async throws {
    let (result, _) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(Server.mechanisms("PLAIN"))
      try await server.acceptPlain()
      try await server.open(Server.bind)
      let tag = try await server.expect("</iq>")
      try await server.send("<iq type='error' id='\(Server.id(in: tag))'>\(error)</iq>")
    }
    #expect(result == .failure(failure))
  }

  @Test(arguments: [
    ("", false), ("<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/>", true),
    ("<session xmlns='urn:ietf:params:xml:ns:xmpp-session'><optional/></session>", false),
  ])
  func `the session of old is begun only where it has to be`(feature: String, isAsked: Bool)
    async throws
  {
    let (result, transcript) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(Server.mechanisms("PLAIN"))
      try await server.acceptPlain()
      try await server.open(Server.bind + feature)
      try await server.acceptBind()
      if isAsked {
        let tag = try await server.expect("</iq>")
        try await server.send("<iq type='result' id='\(Server.id(in: tag))'/>")
      }
    }
    #expect(try result.get().jid.local == "alice")
    #expect(transcript.contains("<session ") == isAsked)
  }

  @Test func `the password is in no description of the options`() {
    let options = StreamClient.options(password: "hunter2")
    var dumped = ""
    dump(options, to: &dumped)
    #expect(!"\(options)".contains("hunter2"))
    #expect(!String(reflecting: options).contains("hunter2"))
    #expect(!dumped.contains("hunter2"))
  }
}
