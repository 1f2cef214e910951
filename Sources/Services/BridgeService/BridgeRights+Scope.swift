import NatterCore
import XMPP

extension BridgeRights {
  /// Returns the conversations of an account in which a right is held, without asking.
  /// - Throws: `BridgeError.Code.permission`.
  func scope(of permission: BridgePermission, in account: JID) throws(BridgeError) -> BridgeScope {
    switch current(permission, in: account) {
    case .held(let scope): return scope
    case .refused(let reason): throw .permission(permission, reason)
    }
  }

  /// Returns whether a right is held in all conversations of a scope.
  func covers(_ scope: BridgeScope, of permission: BridgePermission, in account: JID) -> Bool {
    guard case .held(let left) = current(permission, in: account) else { return false }
    return left.isSuperset(of: scope)
  }
}

extension BridgeRights.Revocation {
  /// Indicates whether the right was taken back in an account, which is bare.
  func concerns(_ account: JID) -> Bool { self.account.map { $0 == account } ?? true }
}
