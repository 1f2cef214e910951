import NatterCore
import XML
import XMPP

/// All reactions of the sender to another message (XEP-0444).
enum ReactionPayload: SentMessagePayload {
  static let features: Set<String> = [XEP0444Reactions.namespace]

  static func decode(_ stanza: MessageStanza) -> MessageEffect? {
    stanza.reactions.map {
      MessageEffect(.reaction, on: $0.id, text: $0.emoji.joined(separator: " "))
    }
  }

  static func encode(_ effect: MessageEffect) -> [Element] {
    XEP0444Reactions(id: effect.target, emoji: XEP0444Reactions.emoji(in: effect.text)).elements
  }
}
