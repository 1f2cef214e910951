/// Where a server does not keep to the protocol. What a person is told of it is said in the person's language, elsewhere.
package enum ProtocolFault: Hashable, Sendable {
  /// XML that is none, or that XMPP does not allow.
  case xml(XMLError)
  /// A rule that it breaks; with the name of what it sent, where that says more.
  case breach(Rule, name: String = "")

  package enum Rule: String, Hashable, Sendable, CaseIterable {
    // The stream's header (RFC 6120 §4.7).
    case otherElement, otherNamespace, noNamespace, oldVersion, secondHeader
    // What is offered (§4.3), TLS (§5) and binding (§7).
    case noFeatures, dataBeforeTLS, noBinding, noAddress
    // Signing in (§6, XEP-0388).
    case unexpectedElement, challenge, scram, noProof, notBase64, unknownStep, tokenNotOffered
    // Stream management (XEP-0198).
    case noCount, acknowledgedTooMuch
  }
}
