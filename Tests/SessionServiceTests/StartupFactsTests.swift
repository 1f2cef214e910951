import NatterCore
import SessionService
import Testing
import XMPP

/// flows.md, "Start-up", branch by branch.
@Suite struct StartupFactsTests {
  let account = Account(jid: JID(local: "alice", domain: "example.org"))

  private func step(
    _ account: Account?, named: Bool = false, credential: Bool = false, seen: Bool = false
  ) -> StartupStep {
    StartupFacts(account: account, isNamed: named, hasCredential: credential, guideWasSeen: seen)
      .step
  }

  @Test func `signed in: yes, the shell opens`() {
    #expect(step(account, credential: true) == .shell(account))
    #expect(step(account, credential: true, seen: true) == .shell(account))
  }

  @Test func `signed in: no, on the first run the guide comes first`() {
    #expect(step(nil) == .guide)
  }

  @Test func `signed in: no, later the form comes at once, with the known address`() {
    #expect(step(nil, seen: true) == .signIn(prefilled: nil))
    #expect(step(account, seen: true) == .signIn(prefilled: account))
  }

  @Test func `an account that was named goes to the form when its secret is missing`() {
    #expect(step(account, named: true) == .signIn(prefilled: account))
  }

  @Test func `an account that does not sign in by itself does when it is named`() {
    var account = account
    account.signsInAtStart = false
    #expect(step(account, credential: true, seen: true) == .signIn(prefilled: account))
    #expect(step(account, named: true, credential: true) == .shell(account))
  }
}
