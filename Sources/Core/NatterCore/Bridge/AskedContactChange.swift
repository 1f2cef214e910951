import XMPP

/// A change of the user's contacts or blocked addresses that a client of the bridge asks for.
package struct AskedContactChange: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case add, remove, block, unblock
  }

  package let kind: Kind
  /// The account, bare.
  package let account: JID
  /// The contact, bare.
  package let address: JID

  package init(_ kind: Kind, _ address: JID, in account: JID) {
    (self.kind, self.address, self.account) = (kind, address.bare, account.bare)
  }
}
