import NatterCore
import XML
import XMPP

/// Encodes the messages of an account for the wire.
struct MessageEncoder {
  let account: JID
  /// The text of a retraction for clients that do not support it.
  let retractionText: String
  /// The elements of each message to a contact beside its text, such as the request for a marker.
  let besideText: [Element]

  /// Returns the stanza of `message`.
  /// - Parameter isLate: `true` if it was written before this session, or is sent again.
  func encode(_ message: Message, originID: String, _ route: MessageRoute, isLate: Bool)
    -> Element
  {
    let payloads: [Element]
    if let effect = message.effect, let target = message.replaces {
      payloads =
        IdentityPayload.encode(originID) + encode(effect, on: target, text: message.body)
    } else {
      payloads = encode(message, originID: originID, route)
    }
    var element = Element(
      "message", Namespace.client,
      [
        "type": route == .room ? "groupchat" : "chat", "id": originID,
        "to": message.conversation.description,
      ], payloads)
    if route == .occupant { element.append(Element("x", XEP0045.user)) }
    // A room would reveal the address to all occupants.
    if isLate, route == .direct, message.effect == nil || message.replaces == nil {
      element.append(XEP0203Delay(stamp: message.sentAt, from: account).element)
    }
    return element
  }

  /// Returns the payloads of a message with a text.
  private func encode(_ message: Message, originID: String, _ route: MessageRoute) -> [Element] {
    let reply = message.reply.map {
      route == .room ? ReplyPayload.disclosed($0, inRoom: message.conversation.bare) : $0
    }
    let quotation = reply.map(ReplyPayload.quotation) ?? ""
    let location = message.location
    let text = location?.address ?? message.body
    var payloads = BodyPayload.encode(quotation + text) + IdentityPayload.encode(originID)
    if let location { payloads += LocationPayload.encode(location) }
    if let file = message.file { payloads += FilePayload.encode(file) }
    if let reply { payloads += ReplyPayload.encode(reply) }
    if let thread = message.thread { payloads += ThreadPayload.encode(thread) }
    if let replaced = message.replaces { payloads += CorrectionPayload.encode(replaced) }
    // Messages to a room have no receipts (XEP-0184 §5.3).
    if route == .direct { payloads += [ReceiptPayload.request] + besideText }
    return payloads
  }

  /// Returns the payloads of a message with an effect on another one.
  private func encode(_ effect: Message.Effect, on target: String, text: String) -> [Element] {
    switch effect {
    case .reaction: ReactionPayload.encode(MessageEffect(.reaction, on: target, text: text))
    case .retraction, .moderation:
      RetractionPayload.encode(MessageEffect(.retraction, on: target, text: retractionText))
    }
  }
}
