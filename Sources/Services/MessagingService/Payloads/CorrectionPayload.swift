import XML
import XMPP

/// The id of the message that another one replaces (XEP-0308).
enum CorrectionPayload: SentMessagePayload {
  static let features: Set<String> = [XEP0308Correction.namespace]

  static func decode(_ stanza: MessageStanza) -> String? { stanza.correctedID }

  static func encode(_ id: String) -> [Element] { [XEP0308Correction.replacing(id)] }
}
