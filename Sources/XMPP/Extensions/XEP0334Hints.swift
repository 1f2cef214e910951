/// Hints on what servers are to do with a message (XEP-0334).
package enum XEP0334Hints {
  package static let namespace = "urn:xmpp:hints"

  /// It is to be kept, though it has no text (§3.4).
  package static let store = Element("store", namespace)
}
