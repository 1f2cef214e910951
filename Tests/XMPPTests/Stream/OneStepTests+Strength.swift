import Sockets
import Testing

@testable import XMPP

// A token for returning is no weaker than the sign-in that it replaces.
extension OneStepTests {
  @Test func `after a sign-in that was bound a token that is tied to nothing is not used`()
    async throws
  {
    var options = Self.options(token: Self.token)
    options.demand.last = SignInProof(.boundProof, binding: .exporter)
    let (result, transcript) = try await Self.open(options) { server in
      try await server.open(Self.offer)
    }
    guard case .failure(.weakerSignIn(["PLAIN"])) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(!transcript.contains("<authenticate"))
    // Where the user says so it is, and where it is to be forgotten.
    var accepting = options
    accepting.demand.acceptsWeaker = true
    var withdrawing = options
    withdrawing.withdrawsToken = true
    for options in [accepting, withdrawing] {
      let (_, transcript) = try await Self.open(options) { server in
        try await server.open(Self.offer)
        try await server.expect("</authenticate>")
        try await server.send("</stream:stream>")
      }
      #expect(transcript.contains("mechanism='HT-SHA-256-NONE'"))
    }
  }

  @Test(arguments: [("SCRAM-SHA-1-PLUS", false), ("SCRAM-SHA-1", true)])
  func `after signing in with channel binding no token without is asked for`(
    mechanism: String, isAsked: Bool
  ) async throws {
    let (result, transcript) = try await Self.open(
      Self.options(), channelBindings: [ChannelBinding(.unique, [1, 2])]
    ) { server in
      try await server.open(Self.offer.replacing(">PLAIN<", with: ">\(mechanism)<"))
      try await server.expect("</authenticate>")
      try await server.send(
        "<failure xmlns='urn:xmpp:sasl:2'><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>"
      )
    }
    guard case .failure(.authentication) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(transcript.contains("mechanism='\(mechanism)'"))
    #expect(transcript.contains("request-token") == isAsked)
  }
}
