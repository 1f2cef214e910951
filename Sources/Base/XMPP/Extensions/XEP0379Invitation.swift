import XML

/// The token that proves an invitation by a contact or by a server (XEP-0379 §3.2, XEP-0445 §4).
package struct XEP0379Invitation: Hashable, Sendable {
  package static let namespace = "urn:xmpp:pars:0"

  package let token: String

  package init(token: String) { self.token = token }

  /// The element that accompanies a subscription request, or precedes the form for an account.
  package var element: Element { Element("preauth", Self.namespace, ["token": token]) }
}
