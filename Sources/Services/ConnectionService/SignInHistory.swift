import Diagnostics
import NatterCore
import Synchronization
import XMPP

/// The requirements of earlier sign-ins to an account for the next one.
struct SignInHistory: Sendable {
  private let memory: (any SignInRemembering)?
  private let log: Log
  private let spent = SpentConsents()

  /// - Parameter memory: `nil`: each sign-in is the first.
  init(_ memory: (any SignInRemembering)?, log: Log) {
    self.memory = memory
    self.log = log
  }

  /// - Parameter isAsked: `true` if the user is signing in just now, and `account` has their
  ///   consent to it. Otherwise an earlier consent to a weaker sign-in counts until the account was
  ///   signed in to: from then on that strength is expected.
  /// - Throws: `ConnectionProblem(.secretUnavailable)` where the stored history cannot be read:
  ///   that is not the same as an account without any sign-in.
  func demand(of account: Account, isAsked: Bool = false) async throws -> SignInDemand {
    let taken = spent.strength(of: account.jid)
    var demand = SignInDemand(
      acceptsWeaker: account.acceptsWeakerSignIn && (isAsked || taken == nil), taken: taken,
      exchangesPassword: account.httpURL != nil && !account.isLocal)
    guard let memory = memory(for: account) else { return demand }
    do { demand.last = try await memory.signIn(of: account.jid) } catch {
      try Task.checkCancellation()
      throw ConnectionProblem(secretUnavailable: error)
    }
    return demand
  }

  /// Remembers a sign-in that succeeded. A weaker one than before was allowed by the user, or by
  /// the server's proof of its offer: from now on that strength is expected.
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

  /// Returns `nil` for the built-in server, which is a part of this program.
  private func memory(for account: Account) -> (any SignInRemembering)? {
    account.isLocal ? nil : memory
  }
}

/// The accounts for which the user has accepted a weaker sign-in in this run, with its actual
/// strength.
private final class SpentConsents: Sendable {
  private let strengths = Mutex<[JID: SignInStrength]>([:])

  func strength(of account: JID) -> SignInStrength? { strengths.withLock { $0[account.bare] } }

  func add(_ strength: SignInStrength, of account: JID) {
    strengths.withLock { $0[account.bare] = strength }
  }
}
