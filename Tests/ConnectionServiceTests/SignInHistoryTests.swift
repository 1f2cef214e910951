import Diagnostics
import NatterCore
import Testing
import XMPP

@testable import ConnectionService

/// The period for which an accepted weaker sign-in counts.
@Suite struct SignInHistoryTests {
  private actor Memory: SignInRemembering {
    private var proofs: [JID: SignInProof] = [:]
    func signIn(of account: JID) -> SignInProof? { proofs[account.bare] }
    func remember(_ proof: SignInProof, of account: JID) { proofs[account.bare] = proof }
    func forget(_ account: JID) { proofs[account.bare] = nil }
  }

  private func account(_ name: String) -> Account {
    var account = Account(jid: JID(local: name, domain: "a.example"))
    account.acceptsWeakerSignIn = true
    return account
  }

  @Test(arguments: [SignInProof(.boundProof), SignInProof(.proof), SignInProof(.password), nil])
  func `what the user takes counts until the account is signed in to`(proof: SignInProof?)
    async throws
  {
    let memory = Memory()
    let history = SignInHistory(memory, log: .none)
    let (alice, bob) = (account("alice"), account("bob"))
    await memory.remember(SignInProof(.boundProof), of: alice.jid)
    // A connection that comes to nothing does not use it up.
    for _ in 0..<2 { #expect(try await history.demand(of: alice).acceptsWeaker) }
    await history.note(proof, of: alice, after: try await history.demand(of: alice))
    let next = try await history.demand(of: alice)
    #expect(!next.acceptsWeaker)
    #expect(next.taken == proof?.strength ?? .boundProof)
    #expect(next.last == proof ?? SignInProof(.boundProof))
    #expect(try await history.demand(of: bob).acceptsWeaker)
    // Somebody who is asked again, and takes it again, is heard.
    #expect(try await history.demand(of: alice, isAsked: true).acceptsWeaker)
  }

  @Test func `an address that was set for the password is known to the sign-in`() async throws {
    let history = SignInHistory(nil, log: .none)
    var named = account("alice")
    #expect(!(try await history.demand(of: named).exchangesPassword))
    named.httpURL = "https://login.a.example/"
    #expect(try await history.demand(of: named).exchangesPassword)
  }

  @Test func `a sign-in that asked for nothing uses nothing up`() async throws {
    let history = SignInHistory(Memory(), log: .none)
    var strict = account("alice")
    strict.acceptsWeakerSignIn = false
    let demand = try await history.demand(of: strict)
    await history.note(SignInProof(.proof), of: strict, after: demand)
    #expect(try await history.demand(of: account("alice")).acceptsWeaker)
  }
}
