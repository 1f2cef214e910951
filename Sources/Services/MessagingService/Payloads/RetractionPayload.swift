import NatterCore
import XML
import XMPP

/// The retraction of another message, by its author (XEP-0424) or by a moderator (XEP-0425).
enum RetractionPayload: SentMessagePayload {
  static let features: Set<String> = [
    XEP0424Retraction.namespace, XEP0428Fallback.namespace,
  ]

  /// Returns the retraction without its text, which is meant for other clients.
  static func decode(_ stanza: MessageStanza) -> MessageEffect? {
    stanza.retraction.map { retraction in
      let isOfRoom = stanza.kind == .groupchat && stanza.from?.isBare == true
      return MessageEffect(
        isOfRoom || retraction.isModerated ? .moderation : .retraction, on: retraction.id)
    }
  }

  /// Returns the elements of a retraction by the author, with its text as the body.
  static func encode(_ effect: MessageEffect) -> [Element] {
    BodyPayload.encode(effect.text) + XEP0424Retraction.elements(of: effect.target)
  }

  /// Returns the party that retracted the message that `stanza` is an archive's tombstone of; `nil`
  /// if it is none.
  static func tombstone(_ stanza: MessageStanza) -> Message.Retraction? {
    stanza.tombstone.map { $0 ? .moderator : .author }
  }
}
