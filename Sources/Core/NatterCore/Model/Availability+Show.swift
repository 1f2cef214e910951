import XML
import XMPP

extension Availability {
  /// The availability for a `<show/>` (RFC 6121 §4.7.2.1); an unknown value counts as online.
  package init(show: String?) {
    switch show {
    case "away": self = .away
    case "xa": self = .extendedAway
    case "dnd": self = .busy
    case "chat": self = .chatty
    default: self = .online
    }
  }

  /// The text of its `<show/>`; `nil` if it has none.
  package var show: String? {
    switch self {
    case .away: "away"
    case .extendedAway: "xa"
    case .busy: "dnd"
    case .chatty: "chat"
    case .online, .offline: nil
    }
  }
}

extension OwnPresence {
  /// The elements of a presence stanza for it: `<show/>` and `<status/>` (RFC 6121 §4.7.2.1,
  /// §4.7.2.2).
  package var elements: [Element] {
    var elements: [Element] = []
    if let show = availability.show {
      elements.append(Element("show", Namespace.client, text: show))
    }
    if let status { elements.append(Element("status", Namespace.client, text: status)) }
    return elements
  }
}
