import NatterCore
import Testing
import XMPP

@testable import SessionService

@Suite struct SessionCredentialsTests {
  private static let alice = JID(local: "alice", domain: "natter.test", resource: nil)

  /// A store whose disk may be full.
  private actor Store: CredentialStoring {
    private(set) var stored: Credential?
    private var isFull = false

    init(_ stored: Credential?) { self.stored = stored }

    func fill(_ isFull: Bool) { self.isFull = isFull }
    func credential(for account: JID) -> Credential? { stored }
    func hasCredential(for account: JID) -> Bool { stored != nil }
    func save(_ credential: Credential, for account: JID) throws {
      if isFull { throw NatterError(.storage, "error.files.diskFull") }
      stored = credential
    }
    func replace(_ credential: Credential, for account: JID) throws {
      try save(credential, for: account)
    }
    func removeCredential(for account: JID) { stored = nil }
  }

  private func token(_ value: String) -> Credential {
    Credential(
      .token(
        AccessToken(
          value: value, refreshToken: "r-" + value,
          login: HTTPLogin(
            tokenEndpoint: "https://natter.test/token", grants: [.refreshToken], scope: "x"))))
  }

  @Test func `a renewed token that the store cannot take is used until it can`() async throws {
    let store = Store(token("first"))
    let credentials = SessionCredentials(over: store)
    await store.fill(true)
    await #expect(throws: NatterError.self) {
      try await credentials.replace(token("second"), for: Self.alice)
    }
    #expect(try await credentials.credential(for: Self.alice) == token("second"))
    #expect(await store.stored == token("first"))
    await store.fill(false)
    try await credentials.replace(token("third"), for: Self.alice)
    #expect(await store.stored == token("third"))
    #expect(try await credentials.credential(for: Self.alice) == token("third"))
    try await credentials.removeCredential(for: Self.alice)
    #expect(try await credentials.credential(for: Self.alice) == nil)
  }

  @Test func `a credential that was set meanwhile is not replaced`() async throws {
    let store = Store(token("first"))
    let credentials = SessionCredentials(over: store)
    await store.fill(true)
    await #expect(throws: NatterError.self) {
      try await credentials.replace(token("first"), by: token("second"), for: Self.alice)
    }
    try await credentials.replace(token("first"), by: token("other"), for: Self.alice)
    #expect(try await credentials.credential(for: Self.alice) == token("second"))
    await store.fill(false)
    // The store still has the one before.
    try await credentials.replace(token("second"), by: token("third"), for: Self.alice)
    #expect(await store.stored == token("third"))
    let changed = Credential(password: "changed")
    try await credentials.save(changed, for: Self.alice)
    try await credentials.replace(token("third"), by: token("fourth"), for: Self.alice)
    #expect(try await credentials.credential(for: Self.alice) == changed)
    // One that is not to be stored, too.
    let kept = Credential(password: "kept")
    await credentials.keep(kept, for: Self.alice)
    try await credentials.replace(changed, by: token("fourth"), for: Self.alice)
    #expect(try await credentials.credential(for: Self.alice) == kept)
    try await credentials.replace(kept, by: token("fourth"), for: Self.alice)
    #expect(try await credentials.credential(for: Self.alice) == token("fourth"))
    #expect(await store.stored == changed)
  }
}
