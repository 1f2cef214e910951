/// Client state indication (XEP-0352).
extension XMPPStream {
  /// Tells the server whether a person looks, where it wants to know; it holds back what can wait while nobody does.
  package func setActive(_ isActive: Bool) {
    guard session.features.offersClientState, !isClosing, endReason == nil else { return }
    // Not a stanza: it is not counted (XEP-0198 §4).
    queue(writer.bytes(Element(isActive ? "active" : "inactive", Namespace.clientState)))
  }
}
