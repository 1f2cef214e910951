import XML

/// A violation of the protocol by a server. The text that the user sees is chosen elsewhere, in the
/// user's language.
package enum ProtocolFault: Hashable, Sendable {
  /// Malformed XML, or XML that XMPP does not allow.
  case xml(XMLError)
  /// A broken rule, with the name of what the server sent, where that helps.
  case breach(Rule, name: String = "")

  /// The rules that a server can break, by the part of the protocol.
  package enum Rule: String, Hashable, Sendable, CaseIterable {
    // The stream's header (RFC 6120 §4.7).
    case otherElement, otherNamespace, noNamespace, oldVersion, secondHeader
    // The features (§4.3), TLS (§5) and binding (§7).
    case noFeatures, dataBeforeTLS, noBinding, noAddress
    // Authentication (§6, XEP-0388).
    case unexpectedElement, challenge, scram, noProof, notBase64, unknownStep, tokenNotOffered
    // Stream management (XEP-0198).
    case noCount, acknowledgedTooMuch
  }
}
