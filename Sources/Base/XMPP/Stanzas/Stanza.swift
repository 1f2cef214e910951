import XML

/// A stanza: the unit that travels over a stream once it is set up (RFC 6120 §8).
package enum Stanza: Hashable, Sendable {
  case message(MessageStanza)
  case presence(PresenceStanza)
  case iq(IQ)

  /// Reads the stanza in `element`, as it came from the stream; `nil` when it is none of the three
  /// kinds, too little of it was read (`Element.readable`), or it cannot be answered: it has a
  /// `from` or `to` that is not an address, so that its sender is unknown, or it is an IQ with a
  /// very long id.
  package init?(_ element: Element) {
    guard element.namespace == Namespace.client, let element = element.readable else { return nil }
    switch element.name {
    case "message":
      let message = MessageStanza(element)
      guard message.hasReadableAddresses else { return nil }
      self = .message(message)
    case "presence":
      let presence = PresenceStanza(element)
      guard presence.hasReadableAddresses else { return nil }
      self = .presence(presence)
    case "iq":
      let iq = IQ(element)
      guard iq.hasReadableAddresses, iq.hasRepeatableID else { return nil }
      self = .iq(iq)
    default: return nil
    }
  }

  /// Returns whether `element` is one of the three kinds, even one that `init` rejects.
  package static func isStanza(_ element: Element) -> Bool {
    element.namespace == Namespace.client && ["message", "presence", "iq"].contains(element.name)
  }

  package var element: Element {
    switch self {
    case .message(let message): message.element
    case .presence(let presence): presence.element
    case .iq(let iq): iq.element
    }
  }
}

/// The common part of the three kinds of stanza (RFC 6120 §8.1).
package protocol StanzaElement: Hashable, Sendable {
  var element: Element { get }
  /// The sender as the stanza names it. Without one, the stanza is from the own account or its
  /// server (RFC 6120 §8.1.2.1).
  var sender: AddressAttribute { get }
}

extension StanzaElement {
  package var id: String? { element["id"] }
  package var sender: AddressAttribute { element.address("from") }
  package var recipient: AddressAttribute { element.address("to") }
  /// The sender; `nil` when it is missing or not an address. `sender` distinguishes the two.
  package var from: JID? { sender.jid }
  package var to: JID? { recipient.jid }

  /// Indicates whether `from` and `to` are valid addresses or absent.
  var hasReadableAddresses: Bool { sender != .unreadable && recipient != .unreadable }

  /// Returns whether it is from `account` itself: with exactly that address, or with none
  /// (RFC 6120 §8.1.2.1).
  package func isFrom(_ account: JID) -> Bool { sender.jid(ifAbsent: account) == account }

  /// The entity that the stanza is from. For a stanza from the account itself, that is its server
  /// (§8.1.2.1).
  private var speaker: JID? {
    guard let to, sender.jid(ifAbsent: to)?.bare == to.bare else { return from }
    return JID(local: nil, domain: to.domain)
  }
  /// The error that an error stanza carries (RFC 6120 §8.3).
  package var error: StanzaError? {
    element.first("error", Namespace.client).map { StanzaError($0, from: speaker, to: to) }
  }
}
