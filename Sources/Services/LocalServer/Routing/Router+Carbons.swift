import XML
import XMPP

/// Copies of an account's conversations for its other clients (XEP-0280).
extension Router {
  /// Returns whether a message is of a conversation that all clients of an account show (§6.1).
  func isCarbonCopied(_ message: Element, _ kind: MessageKind) -> Bool {
    guard message.first("private", Names.carbons) == nil,
      message.first("no-copy", Names.hints) == nil,
      message.first("sent", Names.carbons) == nil,
      message.first("received", Names.carbons) == nil
    else { return false }
    switch kind {
    case .chat: return true
    case .normal:
      return message.elements.contains {
        $0.is("body", Namespace.client)
          || [Names.chatStates, Names.conference, Names.markers, Names.roomUser].contains(
            $0.namespace)
          || $0.namespace == Namespace.receipts
      }
    case .groupchat, .headline, .error: return false
    }
  }

  mutating func sendCarbons(
    of message: Element, _ direction: String, of account: String, except: Set<ConnectionID>
  ) {
    for session in sessions(of: account) where session.hasCarbons && !except.contains(session.id) {
      let forwarded = Element("forwarded", Names.forward, [:], [message])
      let copy = Element(
        "message", Namespace.client,
        [
          "from": address(of: account).description, "to": session.jid.description,
          "type": message["type"] ?? "normal",
        ], [Element(direction, Names.carbons, [:], [forwarded])])
      send(copy, to: session.id)
    }
  }
}
