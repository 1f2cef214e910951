import XML

// Changes of a list that a server sends to the clients of an account. Each is answered by the
// service that keeps the list, and by that alone: these are the conditions for both sides.
extension IQ {
  /// Indicates whether it changes the roster (RFC 6121 §2.1.6). Anyone can send it: a roster is
  /// changed only by the own account's.
  package var isRosterSet: Bool {
    kind == .set && payload?.is("query", Namespace.roster) == true
  }

  /// Returns whether it is a push of the block list of `account` (XEP-0191 §3.3, §3.4). Only one
  /// from the account itself is.
  /// - Parameter account: The account's bare address.
  package func isBlockListPush(of account: JID) -> Bool {
    guard kind == .set, isFrom(account), let payload else { return false }
    return ["block", "unblock"].contains { payload.is($0, Self.blocking) }
  }

  private static let blocking = "urn:xmpp:blocking"
}
