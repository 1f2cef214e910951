import NatterCore
import XMPP

/// The rights that a request needs, in the accounts that it concerns.
struct RightsQuestion: Sendable {
  /// The conversations of accounts in which rights are held.
  typealias Holding = [JID: [BridgePermission: BridgeScope]]

  /// All of them are needed; never empty.
  let permissions: [BridgePermission]
  /// The account that the request names, bare; `nil`: all in which the rights are held.
  private let named: JID?
  private let accounts: [JID]
  /// Whether the user may be asked: not for a request that fails all the same.
  var mayAsk = true

  /// - Parameter accounts: those of the bridge, bare.
  init(_ permissions: [BridgePermission], in named: JID?, of accounts: [JID]) {
    (self.permissions, self.named, self.accounts) = (permissions, named, accounts)
  }

  private var asked: [JID] { named.map { [$0] } ?? accounts }

  /// Returns what is held, at once if it is; otherwise the user is asked.
  /// - Parameter revocations: how often the rights were taken back until now.
  /// - Throws: `BridgeError.Code.permission` if nothing is; `CancellationError`.
  func holding(
    by rights: BridgeRights, isolation: isolated (any Actor)? = #isolation,
    _ revocations: () -> Int
  ) async throws -> Holding {
    // Without a suspension: requests keep their order.
    if let holding = try? held(by: rights) {
      noteUse(of: holding, by: rights)
      return holding
    }
    let before = revocations()
    let decision: Result<Holding, BridgeError>
    do { decision = .success(try await decided(by: rights)) } catch { decision = .failure(error) }
    // A question that was not waited for has another answer.
    try Task.checkCancellation()
    if case .success = decision, revocations() != before {
      // Given and taken back, or given once: only what is held now is sure.
      guard let holding = try? held(by: rights) else {
        throw BridgeError.permission(permissions[0], .revoked)
      }
      return holding
    }
    return try decision.get()
  }

  private func noteUse(of holding: Holding, by rights: BridgeRights) {
    for (account, scopes) in holding {
      for permission in scopes.keys { rights.noteUse(of: permission, in: account) }
    }
  }

  /// Returns what is held now, without asking.
  /// - Throws: `BridgeError.Code.permission` if nothing is.
  private func held(by rights: BridgeRights) throws(BridgeError) -> Holding {
    var holding: Holding = [:]
    var refusal: BridgeError?
    for account in asked {
      do throws(BridgeError) {
        var scopes: [BridgePermission: BridgeScope] = [:]
        for permission in permissions {
          scopes[permission] = try rights.scope(of: permission, in: account)
        }
        holding[account] = scopes
      } catch {
        refusal = refusal ?? error
      }
    }
    if holding.isEmpty, let refusal { throw refusal }
    return holding
  }

  /// Returns what is held once the user was asked for what is not, account by account until the
  /// first refusal. The user is not asked about an account that is not there.
  /// - Throws: `BridgeError.Code.permission` if nothing is.
  private func decided(by rights: BridgeRights) async throws(BridgeError) -> Holding {
    guard mayAsk, named.map(accounts.contains) ?? true else { return try held(by: rights) }
    var holding: Holding = [:]
    for account in asked {
      var scopes: [BridgePermission: BridgeScope] = [:]
      for permission in permissions {
        switch await rights.decision(permission, in: account) {
        case .held(let scope): scopes[permission] = scope
        case .refused(let reason):
          if holding.isEmpty { throw .permission(permission, reason) }
          return holding
        }
      }
      holding[account] = scopes
    }
    return holding
  }
}
