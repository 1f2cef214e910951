import NatterCore
import XML

extension Outbox {
  /// Returns the stanza of `message`.
  func stanza(for message: Message, originID: String, _ route: MessageRoute) -> Element {
    let encoder = MessageEncoder(
      account: account, retractionText: retractionText, besideText: payloads)
    return encoder.encode(
      message, originID: originID, route,
      isLate: message.sentAt < sessionStart || retried.contains(originID))
  }
}
