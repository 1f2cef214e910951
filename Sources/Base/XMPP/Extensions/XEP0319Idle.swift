import FoundationEssentials
import XML

/// The time since which a client has been idle, as its presence reports it (XEP-0319).
package enum XEP0319Idle {
  package static let namespace = "urn:xmpp:idle:1"

  /// Returns the time in `presence`; `nil` when it is missing or malformed.
  package static func since(in presence: PresenceStanza) -> Date? {
    presence.element.first("idle", namespace)?["since"].flatMap { XEP0082DateTime.date(from: $0) }
  }

  /// Returns the `<idle/>` for a presence.
  package static func element(since date: Date) -> Element {
    Element("idle", namespace, ["since": XEP0082DateTime.text(for: date)])
  }
}
