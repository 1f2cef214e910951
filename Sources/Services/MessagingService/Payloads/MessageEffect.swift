import NatterCore
import XMPP

/// The effect of a message on another one: its reactions, or its retraction.
package struct MessageEffect: Hashable, Sendable {
  package let kind: Message.Effect
  /// The id of the other message: the sender's, or in a room the room's.
  package let target: String
  /// The emoji of a reaction, separated by spaces; of a retraction, the text for clients that do
  /// not support it.
  package let text: String

  package init(_ kind: Message.Effect, on target: String, text: String = "") {
    self.kind = kind
    self.target = target
    self.text = text
  }

  /// The effect of `stanza`; `nil` if it has none.
  package init?(_ stanza: MessageStanza) {
    guard let effect = ReactionPayload.decode(stanza) ?? RetractionPayload.decode(stanza) else {
      return nil
    }
    self = effect
  }
}
