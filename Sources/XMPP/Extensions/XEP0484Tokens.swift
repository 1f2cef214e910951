import FoundationEssentials

/// A token with which a client comes back without its password (XEP-0484).
package struct XEP0484Token: Hashable, Sendable {
  /// The mechanism it was made for; it works with no other.
  package let mechanism: String
  package let token: String
  /// Until when the server takes it; `nil`: it did not say.
  package let expiry: Date?
  /// The name under which the client asked for it (`<user-agent id/>`): it works with no other.
  package let clientID: String
  /// What the server offered then, for saying everything before it offers it again.
  package let offer: XEP0388Offer

  package init(
    mechanism: String, token: String, expiry: Date?, clientID: String, offer: XEP0388Offer
  ) {
    self.mechanism = mechanism
    self.token = token
    self.expiry = expiry
    self.clientID = clientID
    self.offer = offer
  }
}

extension XEP0484Token: CustomStringConvertible, CustomReflectable {
  package var description: String { "XEP0484Token(redacted)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
