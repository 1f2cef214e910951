/// What travels over a stream once it is set up (RFC 6120 §8).
package enum Stanza: Hashable, Sendable {
  case message(MessageStanza)
  case presence(PresenceStanza)
  case iq(IQ)

  /// The stanza in `element`, or `nil` when it is none of the three kinds.
  package init?(_ element: Element) {
    guard element.namespace == Namespace.client else { return nil }
    switch element.name {
    case "message": self = .message(MessageStanza(element))
    case "presence": self = .presence(PresenceStanza(element))
    case "iq": self = .iq(IQ(element))
    default: return nil
    }
  }

  package var element: Element {
    switch self {
    case .message(let message): message.element
    case .presence(let presence): presence.element
    case .iq(let iq): iq.element
    }
  }
}

/// What the three kinds of stanza have in common (RFC 6120 §8.1).
package protocol StanzaElement: Hashable, Sendable {
  var element: Element { get }
}

extension StanzaElement {
  package var id: String? { element["id"] }
  /// The sender; `nil` when there is none or it is not an address.
  package var from: JID? { element["from"].flatMap { JID(parsing: $0) } }
  package var to: JID? { element["to"].flatMap { JID(parsing: $0) } }
  /// Who it is of; what comes of the account itself, its server says (§8.1.2.1).
  private var speaker: JID? {
    guard let to, from == nil || from?.bare == to.bare else { return from }
    return JID(local: nil, domain: to.domain)
  }
  /// What an error stanza says was the matter (RFC 6120 §8.3).
  package var error: StanzaError? {
    element.first("error", Namespace.client).map { StanzaError($0, from: speaker) }
  }
}
