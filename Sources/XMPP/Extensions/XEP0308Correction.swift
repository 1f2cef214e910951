/// A message that takes the place of an earlier one (XEP-0308).
package enum XEP0308Correction {
  package static let namespace = "urn:xmpp:message-correct:0"

  /// Says that the message takes the place of the one whose stanza had `id` (§3).
  package static func replacing(_ id: String) -> Element {
    Element("replace", namespace, ["id": id])
  }
}

extension MessageStanza {
  /// The id of the message that this one takes the place of (XEP-0308 §3).
  package var correctedID: String? {
    element.first("replace", XEP0308Correction.namespace)?["id"].flatMap { $0.isEmpty ? nil : $0 }
  }
}
