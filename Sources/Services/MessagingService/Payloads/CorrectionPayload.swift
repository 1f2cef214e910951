import XML
import XMPP

/// The id of the message that another one replaces (XEP-0308).
package enum CorrectionPayload: SentMessagePayload {
  package static let features: Set<String> = [XEP0308Correction.namespace]

  package static func decode(_ stanza: MessageStanza) -> String? { stanza.correctedID }

  package static func encode(_ id: String) -> [Element] { [XEP0308Correction.replacing(id)] }
}
