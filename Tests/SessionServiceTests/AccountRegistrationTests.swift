import NatterCore
import SessionService
import Testing
import XML
import XMPP

/// Changes of an account on its server, and of its stored data.
@Suite struct AccountRegistrationTests {
  private let account = Account(jid: JID(local: "alice", domain: "a.example"))

  private func registration(_ store: Store) -> AccountRegistration {
    AccountRegistration(
      account: account, channel: Server(), credentials: store, probe: store, remove: { _ in })
  }

  @Test func `a new password replaces the old one`() async throws {
    let store = Store(credential: Credential(password: "old"))
    #expect(try await registration(store).changePassword(to: "new") == nil)
    #expect(await store.credential?.password == "new")
  }

  @Test func `what could not be kept here is no refusal of the server's`() async throws {
    let store = Store(
      credential: Credential(password: "old"),
      failure: NatterError(.storage, "error.storage.full"))
    #expect(
      try await registration(store).changePassword(to: "new")
        == NatterError(.storage, "error.storage.full"))
  }

  @Test func `an account is deleted whatever the store of secrets does`() async throws {
    let store = Store(
      credential: Credential(password: "old"),
      failure: NatterError(.storage, "error.storage.full"))
    try await registration(store).deleteAccount()
  }

  @Test
  func `an unconfirmed deletion is checked with the password, and reported where only a token is`()
    async
  {
    func delete(_ credential: Credential, takesIn: Bool) async throws {
      let store = Store(credential: credential, takesIn: takesIn)
      try await AccountRegistration(
        account: account, channel: Server(), credentials: store, probe: store,
        remove: { _ in throw ChannelError.notConnected }
      ).deleteAccount()
    }
    let offline = NatterError(.offline, "account.offline")
    await #expect(throws: Never.self) {
      try await delete(Credential(password: "x"), takesIn: false)
    }
    await #expect(throws: offline) { try await delete(Credential(password: "x"), takesIn: true) }
    let login = HTTPLogin(tokenEndpoint: "https://a.example/t", grants: [], scope: "x")
    let token = Credential(.token(AccessToken(value: "t", login: login)))
    // A token may outlive its account.
    await #expect(throws: offline) { try await delete(token, takesIn: false) }
  }
}

/// A server that takes everything.
private struct Server: StanzaChannel {
  func send(_ stanza: Element) {}
  func request(_ iq: Element, timeout: Duration) -> Element {
    Element("iq", Namespace.client, ["type": "result"])
  }
  func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) throws
    -> XEP0313Page
  { throw ChannelError.notConnected }
}

private actor Store: CredentialStoring, SessionProbing {
  var credential: Credential?
  let failure: NatterError?
  let takesIn: Bool

  init(credential: Credential?, failure: NatterError? = nil, takesIn: Bool = true) {
    self.takesIn = takesIn
    self.credential = credential
    self.failure = failure
  }

  func credential(for account: JID) -> Credential? { credential }
  func save(_ credential: Credential, for account: JID) throws {
    try replace(credential, for: account)
  }
  func removeCredential(for account: JID) throws {
    if let failure { throw failure }
    credential = nil
  }
  func replace(_ credential: Credential, for account: JID) throws {
    if let failure { throw failure }
    self.credential = credential
  }
  func verify(
    _ account: Account, _ credential: Credential,
    progress: @escaping @Sendable (SignInProgress) -> Void
  ) throws {
    if !takesIn { throw ConnectionProblem(.wrongPassword) }
  }
  func signInOffer(
    of account: Account, progress: @escaping @Sendable (SignInProgress) -> Void
  ) -> SignInOffer { SignInOffer(takesTokens: false, hidesPassword: true) }
  func registrationForm(for account: Account) -> RegistrationForm {
    RegistrationForm(instructions: nil, url: nil)
  }
  func register(_ account: Account, _ credential: Credential, answers: [String: [String]]) {}
}
