import Crypto
import Sockets
import TestSupport
import Testing

@testable import XMPP

/// SCRAM tied to the TLS connection (RFC 5802 §6), and a server's proof of what it offered
/// (XEP-0474).
@Suite(.timeLimit(.minutes(1))) struct ChannelBindingTests {
  typealias Server = ScriptedServer

  let crypto = CryptoLibrary()

  // MARK: - Vectors

  static let announcement = SASLAnnouncement(
    mechanisms: ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"],
    bindings: ["tls-server-end-point", "tls-exporter"])

  @Test func `the digest of an offer is that of the example in XEP-0474`() throws {
    #expect(
      try Self.announcement.digest(by: .sha1, crypto) == "G6k/rBLDqgOhRRaCuuatSDFkJ08=")
    // A server that says nothing of bindings has no part of them.
    #expect(
      try SASLAnnouncement(mechanisms: ["SCRAM-SHA-256", "PLAIN"], bindings: nil)
        .digest(by: .sha256, crypto) == "Rgy1OtqF8B/re2ip4rVzs2herVHnECfKbsLqKQgUMgo=")
  }

  /// The exchange of XEP-0474's example, but for the attribute of its client that means nothing.
  private func client(
    _ announcement: SASLAnnouncement? = announcement, requiresAnnouncement: Bool = false
  ) throws -> SCRAMClient {
    try SCRAMClient(
      .sha1, user: "user", password: "pencil", crypto: crypto,
      nonce: "12C4CD5C-E38E-4A98-8F6D-15C38F51CCC6",
      binding: .bound(ChannelBinding(.exporter, Array("THIS IS FAKE CB DATA".utf8))),
      announcement: announcement, requiresAnnouncement: requiresAnnouncement)
  }

  static let nonce =
    "r=12C4CD5C-E38E-4A98-8F6D-15C38F51CCC6a09117a6-ac50-4f2f-93f1-93799c2bddf6"
  static let challenge = "\(nonce),s=QSXCR+Q6sek8bf92,i=4096"

  @Test func `the proof has the binding in it`() throws {
    var client = try client()
    #expect(client.first == "p=tls-exporter,,n=user,r=12C4CD5C-E38E-4A98-8F6D-15C38F51CCC6")
    #expect(
      try client.final(answering: Self.challenge + ",h=G6k/rBLDqgOhRRaCuuatSDFkJ08=")
        == "c=cD10bHMtZXhwb3J0ZXIsLFRISVMgSVMgRkFLRSBDQiBEQVRB,\(Self.nonce),"
        + "p=NWgTsQJvWgbXKxbqd3P4BNurjkU=")
    try client.verify("v=EMsYR2n9LecK8qm5xR19xuvM1jw=")
  }

  @Test func `that a server offers none is under the proof as well`() throws {
    var client = try SCRAMClient(
      .sha256, user: "user", password: "pencil", crypto: crypto, nonce: "rOprNGfwEbeRWgbNEkqO",
      binding: .notOffered)
    #expect(client.first == "y,,n=user,r=rOprNGfwEbeRWgbNEkqO")
    let nonce = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    #expect(
      try client.final(answering: "\(nonce),s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096")
        == "c=eSws,\(nonce),p=FoqiHTtQEDE8lz1CdaEe3tK4mS+iMDTl77SPyDS53DY=")
    try client.verify("v=dI4KpiQJwBr1+V+K6U1dA6l6I4I9DUNXWND4pcpRU3U=")
  }

  @Test(arguments: ["AAAA", "", "?", "Rgy1OtqF8B/re2ip4rVzs2herVHnECfKbsLqKQgUMgo="])
  func `an offer that was changed on the way is noticed before the proof`(digest: String) throws {
    var client = try client()
    #expect(throws: SCRAMError.announcementChanged) {
      try client.final(answering: "\(Self.challenge),h=\(digest)")
    }
  }

  @Test func `a server without XEP-0474 is taken, but where it has to be known`() throws {
    var client = try client()
    _ = try client.final(answering: Self.challenge)
    var strict = try self.client(requiresAnnouncement: true)
    #expect(throws: SCRAMError.announcementMissing) {
      try strict.final(answering: Self.challenge)
    }
  }

  // MARK: - On a stream

  static let bindings = [
    ChannelBinding(.exporter, [1, 2, 3]), ChannelBinding(.serverEndPoint, [4, 5]),
  ]

  private static func features(_ mechanisms: String..., types: [String]? = nil) -> String {
    let list = mechanisms.map { "<mechanism>\($0)</mechanism>" }.joined()
    let taken = types.map { types in
      "<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'>"
        + types.map { "<channel-binding type='\($0)'/>" }.joined() + "</sasl-channel-binding>"
    }
    return "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(list)</mechanisms>"
      + (taken ?? "")
  }

  private func proof(
    _ demand: SignInDemand = SignInDemand(),
    script: @escaping @Sendable (Server) async throws -> Void
  ) async throws -> (Result<Session, StreamFailure>, String) {
    var options = StreamClient.options()
    options.demand = demand
    return try await StreamClient.negotiate(
      isSecure: true, channelBindings: Self.bindings, options
    ) { server in
      try await script(server)
      try await server.open(Server.bind)
      try await server.acceptBind()
    }
  }

  @Test(arguments: [HashFunction.sha1, .sha256, .sha512])
  func `Natter signs in to a server that offers only -PLUS`(function: HashFunction) async throws {
    let (result, transcript) = try await proof { server in
      try await server.open(
        Self.features(
          "SCRAM-\(function.rawValue)-PLUS", types: ["tls-server-end-point", "tls-exporter"]))
      try await server.acceptSCRAM(function, header: "p=tls-exporter,,", binding: [1, 2, 3])
    }
    #expect(try result.get().jid.resource == "desk")
    #expect(transcript.split(separator: "<auth ").count == 2)
  }

  @Test func `an accepted channel binding is used, and the digest of the offer is checked`()
    async throws
  {
    let digest = try SASLAnnouncement(
      mechanisms: ["PLAIN", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"],
      bindings: ["tls-server-end-point"]
    ).digest(by: .sha256, crypto)
    for (attribute, isTaken) in [("h=\(digest)", true), ("h=\(digest.reversed())", false)] {
      let (result, _) = try await proof { server in
        try await server.open(
          Self.features(
            "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS", "PLAIN", types: ["tls-server-end-point"]))
        try await server.acceptSCRAM(
          .sha256, header: "p=tls-server-end-point,,", binding: [4, 5],
          attributes: ",\(attribute)")
      }
      if isTaken {
        #expect(try result.get().jid.resource == "desk")
      } else {
        #expect(result == .failure(.scram(.announcementChanged)))
      }
    }
  }

  @Test func `without -PLUS the server learns that this client could have bound`() async throws {
    let (result, _) = try await proof { server in
      try await server.open(Self.features("SCRAM-SHA-256", "PLAIN"))
      try await server.acceptSCRAM(.sha256, header: "y,,")
    }
    #expect(try result.get().jid.resource == "desk")
  }

  @Test func `an attacker in the middle of the connection gets no session`() async throws {
    let (result, transcript) = try await proof { server in
      try await server.open(
        Self.features("SCRAM-SHA-1-PLUS", "SCRAM-SHA-1", "PLAIN", types: ["tls-exporter"]))
      // The real server has another connection to them.
      try await server.acceptSCRAM(.sha1, header: "p=tls-exporter,,", binding: [9, 9, 9])
    }
    #expect(result == .failure(.authentication(SASLFailure(.notAuthorized))))
    #expect(transcript.split(separator: "<auth ").count == 2)
  }

  @Test func `after SCRAM nothing is said to a server that offers PLAIN only`() async throws {
    let (result, transcript) = try await proof(SignInDemand(last: SignInProof(.proof))) { server in
      try await server.open(Self.features("PLAIN"))
    }
    #expect(result == .failure(.weakerSignIn(offered: ["PLAIN"])))
    #expect(!transcript.contains("<auth"))
  }

  @Test(arguments: [
    "eve@a.example/desk", "alice@b.example/desk", "a.example/desk", "alice2@a.example/x",
  ])
  func `an address of another account is refused`(jid: String) async throws {
    let (result, _) = try await StreamClient.negotiate(isSecure: true) { server in
      try await server.open(Server.mechanisms("SCRAM-SHA-1"))
      try await server.acceptSCRAM(.sha1)
      try await server.open(Server.bind)
      try await server.acceptBind(jid)
    }
    let other = try #require(JID(parsing: jid))
    #expect(result == .failure(.otherAccount(other)))
  }
}
