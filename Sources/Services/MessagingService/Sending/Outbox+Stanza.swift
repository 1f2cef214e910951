import NatterCore
import XML
import XMPP

extension Outbox {
  /// What goes over the wire for `message`.
  func stanza(for message: Message, originID: String, _ route: MessageRoute) -> Element {
    if let effect = message.effect, let target = message.replaces {
      return stanza(for: message, doing: effect, to: target, originID: originID, route)
    }
    let room = route == .room ? message.conversation.bare : nil
    let (body, answer) =
      message.reply?.elements(above: message.body, inRoom: room) ?? (message.body, [])
    var element = Element(
      "message", Namespace.client,
      [
        "type": route == .room ? "groupchat" : "chat", "id": originID,
        "to": message.conversation.description,
      ],
      [
        Element("body", Namespace.client, text: body),
        Element("origin-id", Namespace.stanzaIDs, ["id": originID]),
      ])
    for part in (message.file?.elements ?? []) + answer { element.append(part) }
    if let replaced = message.replaces {
      element.append(XEP0308Correction.replacing(replaced))
    }
    // Messages to a room have no receipts (XEP-0184 §5.3).
    if route == .direct {
      element.append(Element("request", Namespace.receipts))
      for payload in payloads { element.append(payload) }
    }
    if route == .occupant { element.append(Element("x", XEP0045.user)) }
    // A room would reveal the address to all occupants.
    if route == .direct, message.sentAt < sessionStart || retried.contains(originID) {
      element.append(XEP0203Delay(stamp: message.sentAt, from: account).element)
    }
    return element
  }

  /// The stanza of a reaction (XEP-0444) or a retraction (XEP-0424).
  private func stanza(
    for message: Message, doing effect: Message.Effect, to target: String, originID: String,
    _ route: MessageRoute
  ) -> Element {
    var element = Element(
      "message", Namespace.client,
      [
        "type": route == .room ? "groupchat" : "chat", "id": originID,
        "to": message.conversation.description,
      ], [Element("origin-id", Namespace.stanzaIDs, ["id": originID])])
    var parts: [Element]
    switch effect {
    case .reaction:
      parts =
        XEP0444Reactions(
          id: target, emoji: message.body.split(separator: " ").map(String.init)
        ).elements
    case .retraction, .moderation:
      parts = [Element("body", Namespace.client, text: retractionText)]
      parts += XEP0424Retraction.elements(of: target)
    }
    if route == .occupant { parts.append(Element("x", XEP0045.user)) }
    for part in parts { element.append(part) }
    return element
  }
}
