import XML

/// Reports to the other side how far a conversation was displayed (XEP-0333).
package enum XEP0333Marker {
  package static let namespace = "urn:xmpp:chat-markers:0"

  /// The request for a marker, for a message with a body (§5.1).
  package static var request: Element { Element("markable", namespace) }

  /// Returns the marker that everything up to and including the message `id` was displayed (§5.2).
  package static func displayed(_ id: String) -> Element {
    Element("displayed", namespace, ["id": id])
  }
}

extension MessageStanza {
  /// The id of a message that a client of the peer received, as old versions of XEP-0333 report it
  /// (§5.2 of 0.3).
  package var receivedMarkerID: String? {
    element.first("received", XEP0333Marker.namespace)?["id"]?.nonEmpty?.identifier
  }

  /// Indicates whether the sender requests a marker when it is displayed (XEP-0333 §5.1).
  package var isMarkable: Bool { element.first("markable", XEP0333Marker.namespace) != nil }

  /// The id of the message up to which the sender of this one has read (XEP-0333 §5.2).
  package var displayedID: String? {
    element.first("displayed", XEP0333Marker.namespace)?["id"]?.nonEmpty?.identifier
  }
}
