/// Telling the other side how far a conversation was read (XEP-0333).
package enum XEP0333Marker {
  package static let namespace = "urn:xmpp:chat-markers:0"

  /// Asks for a marker; goes into a message with a body (§5.1).
  package static var request: Element { Element("markable", namespace) }

  /// Says that everything up to and with the message `id` was shown (§5.2).
  package static func displayed(_ id: String) -> Element {
    Element("displayed", namespace, ["id": id])
  }
}

extension MessageStanza {
  /// The id of the message that a client of the other side has, as old versions of XEP-0333 say it (§5.2 of 0.3).
  package var receivedMarkerID: String? {
    element.first("received", XEP0333Marker.namespace)?["id"]
  }

  /// Whether the sender wants to be told when it was read (XEP-0333 §5.1).
  package var isMarkable: Bool { element.first("markable", XEP0333Marker.namespace) != nil }

  /// The id of the message up to which the sender of this one has read (XEP-0333 §5.2).
  package var displayedID: String? {
    element.first("displayed", XEP0333Marker.namespace)?["id"]
  }
}
