import NatterCore
import XMPP

extension BridgeRights {
  /// Returns the conversations of an account in which a right is held.
  /// - Throws: `BridgeError.Code.permission`.
  func scope(of permission: BridgePermission, in account: JID) throws(BridgeError) -> BridgeScope {
    switch current(permission, in: account) {
    case .held(let scope): return scope
    case .refused(let reason): throw .permission(permission, reason)
    }
  }
}
