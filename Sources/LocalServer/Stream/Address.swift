import XMPP

/// Addresses that come from outside.
enum Address {
  /// The prepared address, or `nil` when the text is none.
  static func parse(_ text: String) -> JID? {
    JID(parsing: text)
  }
}
