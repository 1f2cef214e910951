import XML

/// Hints for servers on processing a message (XEP-0334).
package enum XEP0334Hints {
  package static let namespace = "urn:xmpp:hints"

  /// The hint to store a message although it has no text (§3.4).
  package static let store = Element("store", namespace)
}
