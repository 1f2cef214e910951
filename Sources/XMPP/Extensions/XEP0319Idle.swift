import FoundationEssentials

/// The time since which a client has been idle, as its presence reports it (XEP-0319).
package enum XEP0319Idle {
  package static let namespace = "urn:xmpp:idle:1"

  package static func since(in presence: PresenceStanza) -> Date? {
    presence.element.first("idle", namespace)?["since"].flatMap { XEP0082DateTime.date(from: $0) }
  }

  package static func element(since date: Date) -> Element {
    Element("idle", namespace, ["since": XEP0082DateTime.text(for: date)])
  }
}
