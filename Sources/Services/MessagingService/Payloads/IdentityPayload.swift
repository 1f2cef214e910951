import XML
import XMPP

/// The id that the sender gave a message (XEP-0359 §3.2), which is the stanza's own `id` where an
/// older client sets no other.
enum IdentityPayload: SentMessagePayload {
  static let features: Set<String> = [Namespace.stanzaIDs]

  static func decode(_ stanza: MessageStanza) -> String? { stanza.originID ?? stanza.id }

  static func encode(_ id: String) -> [Element] {
    [Element("origin-id", Namespace.stanzaIDs, ["id": id])]
  }
}
