import NatterCore
import XML
import XMPP

/// The activity of the sender in the conversation (XEP-0085).
package enum ChatStatePayload: SentMessagePayload {
  package static let features: Set<String> = [XEP0085ChatState.namespace]

  package static func decode(_ stanza: MessageStanza) -> XEP0085ChatState? { stanza.chatState }

  /// Returns the elements of a state by itself, which is worthless later.
  package static func encode(_ state: XEP0085ChatState) -> [Element] {
    [state.element, Element("no-store", XEP0334Hints.namespace)]
  }

  /// The state that a message has beside its text (§5.1): it shows the recipient that states are
  /// supported.
  package static var besideText: Element { XEP0085ChatState.active.element }

  /// Returns the state to send for `activity`; `nil` if it has none of its own.
  static func state(for activity: ChatActivity) -> XEP0085ChatState? {
    switch activity {
    case .composing: .composing
    case .paused: .paused
    case .active: .active
    case .sent: nil
    case .gone: .gone
    }
  }
}
