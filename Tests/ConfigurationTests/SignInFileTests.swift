import Configuration
import Foundation
import NatterCore
import Testing
import XMPP

@Suite struct SignInFileTests {
  static let alice = JID(local: "alice", domain: "a.example")

  @Test func `how an account was signed in to is there for the next run, private`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("deep/sign-ins")
    let file = SignInFile(path: path)
    #expect(try await file.signIn(of: Self.alice) == nil)
    let bound = try JSONDecoder().decode(
      SignInProof.self,
      from: Data(#"{"strength":"bound-proof","binding":"tls-exporter"}"#.utf8))
    try await file.remember(bound, of: JID(local: "alice", domain: "a.example", resource: "desk"))
    let bob = JID(local: "bob", domain: "a.example")
    try await file.remember(SignInProof(.password), of: bob)
    let next = SignInFile(path: path)
    #expect(try await next.signIn(of: Self.alice) == bound)
    #expect(try await next.signIn(of: bob) == SignInProof(.password))
    #expect(try scratch.mode("deep/sign-ins") == 0o600)
    try await next.forget(Self.alice)
    #expect(try await file.signIn(of: Self.alice) == nil)
    #expect(try await file.signIn(of: bob) != nil)
  }

  @Test(arguments: [#"{"strength":"?"}"#, #"{"strength":"bound-proof","binding":"tls-future"}"#])
  func `what another version wrote of one account is no other account's trouble, and stays`(
    record: String
  ) async throws {
    let scratch = try Scratch()
    try scratch.write(#"{"alice@a.example":\#(record)}"#, to: "sign-ins")
    let file = SignInFile(path: scratch.path("sign-ins"))
    let bob = JID(local: "bob", domain: "a.example")
    #expect(try await file.signIn(of: bob) == nil)
    try await file.remember(SignInProof(.proof), of: bob)
    #expect(try await file.signIn(of: bob) == SignInProof(.proof))
    let damaged = ConfigurationError.damaged(path: scratch.path("sign-ins"))
    await #expect(throws: damaged) { try await file.signIn(of: Self.alice) }
    let kept = try JSONDecoder().decode(
      [String: [String: String]].self, from: try scratch.bytes("sign-ins"))
    let before = try JSONDecoder().decode([String: String].self, from: Data(record.utf8))
    #expect(kept["alice@a.example"] == before)
    try await file.forget(Self.alice)
    #expect(try await file.signIn(of: Self.alice) == nil)
  }

  @Test(arguments: [
    "", "{", #"{"alice@a.example":{"strength":"?"}}"#, #"{"alice@a.example":"proof"}"#,
  ])
  func `what cannot be read is not taken for nothing, and stays as it is`(text: String)
    async throws
  {
    let scratch = try Scratch()
    try scratch.write(text, to: "sign-ins")
    let file = SignInFile(path: scratch.path("sign-ins"))
    let damaged = ConfigurationError.damaged(path: scratch.path("sign-ins"))
    await #expect(throws: damaged) { try await file.signIn(of: Self.alice) }
    await #expect(throws: damaged) {
      try await file.remember(SignInProof(.proof), of: Self.alice)
    }
    #expect(try scratch.bytes("sign-ins") == Data(text.utf8))
  }
}
