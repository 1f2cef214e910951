import Diagnostics
import NatterCore
import Synchronization
import XMPP

/// What earlier sign-ins to an account ask of the next one.
struct SignInHistory: Sendable {
  private let memory: (any SignInRemembering)?
  private let log: Log
  private let spent = SpentConsents()

  /// - Parameter memory: `nil`: each sign-in is the first.
  init(_ memory: (any SignInRemembering)?, log: Log) {
    self.memory = memory
    self.log = log
  }

  /// - Parameter isAsked: whether the user is signing in just now, and `account` has what they say to it. Otherwise what they said
  ///   to a weaker way counts until the account was signed in to: from then on that is what is expected.
  /// - Throws: `ConnectionProblem(.secretUnavailable)` where what is kept cannot be read: that an account was never signed in to
  ///   is something else.
  func demand(of account: Account, isAsked: Bool = false) async throws -> SignInDemand {
    let taken = spent.strength(of: account.jid)
    var demand = SignInDemand(
      acceptsWeaker: account.acceptsWeakerSignIn && (isAsked || taken == nil), taken: taken)
    guard let memory = memory(for: account) else { return demand }
    do { demand.last = try await memory.signIn(of: account.jid) } catch {
      try Task.checkCancellation()
      throw ConnectionProblem(secretUnavailable: error)
    }
    return demand
  }

  /// Remembers a sign-in that succeeded. A weaker one than before got here because the user, or the server's proof of what it
  /// offers, allowed it: from now on it is what is expected.
  func note(_ proof: SignInProof?, of account: Account, after demand: SignInDemand) async {
    if demand.acceptsWeaker {
      spent.add(proof?.strength ?? demand.last?.strength ?? .boundProof, of: account.jid)
    }
    guard let memory = memory(for: account), let proof, proof != demand.last else { return }
    do { try await memory.remember(proof, of: account.jid) } catch {
      // The next sign-in is compared with the one before this.
      log.warning("how the account was signed in to could not be kept")
    }
  }

  /// The built-in server is this program's own.
  private func memory(for account: Account) -> (any SignInRemembering)? {
    account.isLocal ? nil : memory
  }
}

/// The accounts of which the user has taken a weaker sign-in in this run, with what came of it.
private final class SpentConsents: Sendable {
  private let strengths = Mutex<[JID: SignInStrength]>([:])

  func strength(of account: JID) -> SignInStrength? { strengths.withLock { $0[account.bare] } }

  func add(_ strength: SignInStrength, of account: JID) {
    strengths.withLock { $0[account.bare] = strength }
  }
}
