import FoundationEssentials
import XML

/// A carbon copy of a message that another client of the account sent or received (XEP-0280 §5,
/// §6).
package struct XEP0280Carbon: Hashable, Sendable {
  package static let namespace = "urn:xmpp:carbons:2"
  package static let forwardNamespace = "urn:xmpp:forward:0"

  /// The direction of the copied message, seen from the account.
  package enum Direction: String, Hashable, Sendable { case sent, received }

  package let direction: Direction
  /// The copied message.
  package let message: MessageStanza
  /// The time when it was sent, if the wrapper has it (XEP-0297 §3.1).
  package let delay: Date?

  /// Reads the copy in `wrapper`; `nil` when there is none, or when it does not come from the
  /// account itself: any other sender could forge messages of anyone with it (§11).
  /// - Parameter account: The own JID.
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
      self.message = message.inLanguages(wrapper.languages).believingDelays(
        since: wrapper.earliest)
      delay = forwarded.first("delay", Namespace.delay).flatMap { XEP0203Delay($0) }?.stamp
      return
    }
    return nil
  }

  /// The IQ that enables carbon copies (§4).
  package static var enabling: Element {
    Element("iq", Namespace.client, ["type": "set"], [Element("enable", namespace)])
  }
}
