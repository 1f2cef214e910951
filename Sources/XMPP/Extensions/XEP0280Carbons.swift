import FoundationEssentials

/// A copy of a message that another of the account's clients sent or received (XEP-0280 §5, §6).
package struct XEP0280Carbon: Hashable, Sendable {
  package static let namespace = "urn:xmpp:carbons:2"
  package static let forwardNamespace = "urn:xmpp:forward:0"

  package enum Direction: String, Hashable, Sendable { case sent, received }

  package let direction: Direction
  /// The message itself.
  package let message: MessageStanza
  /// When it was sent, where the wrapping says so (XEP-0297 §3.1).
  package let delay: Date?

  /// Reads the copy in `wrapper`; `nil` when it holds none, or when it does not come from the account itself: anybody
  /// else could put any words into anybody's mouth with it (§11).
  /// - Parameter account: the own address.
  package init?(_ wrapper: MessageStanza, of account: JID) {
    guard wrapper.from == account.bare else { return nil }
    for direction in [Direction.sent, .received] {
      guard
        let forwarded = wrapper.element.first(direction.rawValue, Self.namespace)?
          .first("forwarded", Self.forwardNamespace),
        let element = forwarded.first("message", Namespace.client),
        let message = MessageStanza(forwarded: element)
      else { continue }
      self.direction = direction
      self.message = message.inLanguages(wrapper.languages)
      delay = forwarded.first("delay", Namespace.delay).flatMap { XEP0203Delay($0) }?.stamp
      return
    }
    return nil
  }

  /// The IQ that has the server send copies from now on (§4).
  package static var enabling: Element {
    Element("iq", Namespace.client, ["type": "set"], [Element("enable", namespace)])
  }
}
