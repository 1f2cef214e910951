import NatterCore
import XML
import XMPP

/// A reply to another message (XEP-0461), whose text precedes the body as a quotation for clients
/// without replies (XEP-0428).
enum ReplyPayload: SentMessagePayload {
  static let features: Set<String> = [XEP0461Reply.namespace, XEP0428Fallback.namespace]

  static func decode(_ stanza: MessageStanza) -> Message.Reply? {
    stanza.reply.map { reply in
      let quoted = stanza.body(withoutFallbackFor: XEP0461Reply.namespace)?.dropped ?? ""
      return Message.Reply(
        id: reply.id, author: reply.author,
        text: Message.Reply.shortened(XEP0461Reply.text(ofQuotation: quoted)))
    }
  }

  /// Returns the elements beside the body, which begins with `quotation(for:)`.
  static func encode(_ reply: Message.Reply) -> [Element] {
    let element = XEP0461Reply(id: reply.id, author: reply.author).element
    let quotation = quotation(for: reply)
    guard !quotation.isEmpty else { return [element] }
    let range = 0..<quotation.unicodeScalars.count
    return [element, XEP0428Fallback.element(for: XEP0461Reply.namespace, range)]
  }

  /// Returns the text that the body of a message with `reply` begins with.
  static func quotation(for reply: Message.Reply) -> String {
    reply.text.isEmpty ? "" : XEP0461Reply.quotation(of: reply.text)
  }

  /// Returns `reply` as it is sent to `room`: an address outside of the room is not disclosed.
  static func disclosed(_ reply: Message.Reply, inRoom room: JID) -> Message.Reply {
    Message.Reply(
      id: reply.id, author: reply.author?.bare == room ? reply.author : nil, text: reply.text)
  }

  /// Returns the body of a reply without the quotation; `nil` if `stanza` is no reply, or nothing
  /// else is in its body.
  static func text(of stanza: MessageStanza) -> String? {
    guard let reply = stanza.reply,
      let parts = stanza.body(withoutFallbackFor: XEP0461Reply.namespace), !reply.id.isEmpty,
      !parts.kept.saysNothing
    else { return nil }
    return parts.kept
  }
}
