import XML
import XMPP

/// A marker: the id of the message up to which the sender has read (XEP-0333).
package enum MarkerPayload: SentMessagePayload {
  package static let features: Set<String> = [XEP0333Marker.namespace]

  package static func decode(_ stanza: MessageStanza) -> String? { stanza.displayedID }

  /// Returns the elements of a marker, with a hint to store it for devices that are offline.
  package static func encode(_ id: String) -> [Element] {
    [XEP0333Marker.displayed(id), XEP0334Hints.store]
  }

  /// The request that a message has beside its text (§5.1).
  package static var request: Element { XEP0333Marker.request }

  /// Returns whether the sender of `stanza` requests a marker.
  static func isRequested(by stanza: MessageStanza) -> Bool { stanza.isMarkable }

  /// Returns the id of a message that a client of the peer received, as old versions of XEP-0333
  /// report it.
  static func received(_ stanza: MessageStanza) -> String? { stanza.receivedMarkerID }
}
