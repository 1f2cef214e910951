import XML

/// Client state indication (XEP-0352).
extension XMPPStream {
  /// Reports whether the user is active, if the server supports it (XEP-0352).
  package func setActive(_ isActive: Bool) {
    guard session.features.offersClientState, !isClosing, endReason == nil else { return }
    // Not a stanza: it is not counted (XEP-0198 §4).
    queue(writer.bytes(Element(isActive ? "active" : "inactive", Namespace.clientState)))
  }
}
