import XML

/// The activity of a peer in a conversation (XEP-0085 §5.1).
package enum XEP0085ChatState: String, Hashable, Sendable, CaseIterable {
  case active, composing, paused, inactive, gone

  package static let namespace = "http://jabber.org/protocol/chatstates"

  package var element: Element { Element(rawValue, Self.namespace) }
}

extension MessageStanza {
  package var chatState: XEP0085ChatState? {
    element.all(in: XEP0085ChatState.namespace).lazy
      .compactMap { XEP0085ChatState(rawValue: $0.name) }.first
  }
}
