import NatterCore
import XMPP

extension Outbox {
  /// What goes over the wire for `message`.
  func stanza(for message: Message, originID: String, _ route: MessageRoute) -> Element {
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
    // Nobody in a room sends receipts to all (XEP-0184 §5.3).
    if route == .direct {
      element.append(Element("request", Namespace.receipts))
      for payload in payloads { element.append(payload) }
    }
    if route == .occupant { element.append(Element("x", XEP0045.user)) }
    // A room would tell everybody there whose address that is.
    if route == .direct, message.sentAt < sessionStart || retried.contains(originID) {
      element.append(XEP0203Delay(stamp: message.sentAt, from: account).element)
    }
    return element
  }
}
