import FoundationEssentials

/// A token with which a client signs in again without its password (XEP-0484).
package struct XEP0484Token: Hashable, Sendable {
  /// The mechanism of the token, the only one that accepts it.
  package let mechanism: String
  package let token: String
  /// The time until which the server accepts it; `nil` when unknown.
  package let expiry: Date?
  /// The id with which the client requested it (`<user-agent id/>`), the only one that may use it.
  package let clientID: String
  /// The server's offer at that time, which lets the client sign in before the server repeats it.
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
