import XML
import XMPP

/// A feature of messages, in one file: how it is read from a stanza, how it is written into one,
/// and the features of service discovery that announce it.
///
/// Payloads know neither the way by which a message arrived nor the conversation that it belongs
/// to: that is the `MessageEnvelope`. `MessageDecoder` and `MessageEncoder` compose them.
package protocol MessagePayload: SendableMetatype {
  associatedtype Value
  /// The features of the client that announce it (XEP-0030); empty if no specification asks for
  /// any.
  static var features: Set<String> { get }
  /// Returns what `stanza` has of it; `nil` if it has none. Everything in it is untrusted.
  static func decode(_ stanza: MessageStanza) -> Value?
}

/// A payload that this client also sends.
package protocol SentMessagePayload: MessagePayload {
  /// Returns the elements of a message with `value`.
  static func encode(_ value: Value) -> [Element]
}

/// The payloads of messages.
package enum MessagePayloads {
  /// All payloads that are read from a stanza.
  package static let all: [any MessagePayload.Type] = [
    IdentityPayload.self, BodyPayload.self, LocationPayload.self, SubjectPayload.self,
    ContentPayload.self, FilePayload.self, ReplyPayload.self, CorrectionPayload.self,
    ThreadPayload.self, ReactionPayload.self,
    RetractionPayload.self, InvitationPayload.self, ReceiptPayload.self, MarkerPayload.self,
    ChatStatePayload.self,
  ]

  /// Returns the features that announce all payloads except `disabled`, which the user does not
  /// want to send.
  package static func features(without disabled: [any MessagePayload.Type] = []) -> Set<String> {
    let omitted = Set(disabled.map { ObjectIdentifier($0) })
    return all.reduce(into: []) { features, payload in
      if !omitted.contains(ObjectIdentifier(payload)) { features.formUnion(payload.features) }
    }
  }
}
