import XML

/// A message that replaces an earlier one (XEP-0308).
package enum XEP0308Correction {
  package static let namespace = "urn:xmpp:message-correct:0"

  /// Returns the element that makes a message replace the message with the stanza id `id` (§3).
  package static func replacing(_ id: String) -> Element {
    Element("replace", namespace, ["id": id])
  }
}

extension MessageStanza {
  /// The id of the message that this one replaces (XEP-0308 §3).
  package var correctedID: String? {
    element.first("replace", XEP0308Correction.namespace)?["id"]?.nonEmpty?.identifier
  }
}
