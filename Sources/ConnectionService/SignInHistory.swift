import Diagnostics
import NatterCore
import XMPP

/// What earlier sign-ins to an account ask of the next one.
struct SignInHistory: Sendable {
  private let memory: (any SignInRemembering)?
  private let log: Log

  /// - Parameter memory: `nil`: each sign-in is the first.
  init(_ memory: (any SignInRemembering)?, log: Log) {
    self.memory = memory
    self.log = log
  }

  /// - Throws: `ConnectionProblem(.secretUnavailable)` where what is kept cannot be read: that an account was never signed in to
  ///   is something else.
  func demand(of account: Account) async throws -> SignInDemand {
    var demand = SignInDemand(acceptsWeaker: account.acceptsWeakerSignIn)
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
