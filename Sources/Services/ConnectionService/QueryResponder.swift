import NatterCore
import XML
import XMPP

/// The responder to queries of other entities: identity, features, ping.
///
/// Every IQ of type get or set gets one answer (RFC 6120 §8.2.3), even before the session is set
/// up: `service-unavailable` for an unknown payload.
package actor QueryResponder: ChannelHolding {
  private let answers: [String: @Sendable (IQ) async -> Element?]
  private let isAnsweredElsewhere: @Sendable (IQ) -> Bool
  package var channel: (any StanzaChannel)?

  /// - Parameters:
  ///   - answers: payload namespace → payload of the result, for IQs of type get.
  ///   - isAnsweredElsewhere: returns whether another service answers a request itself.
  package init(
    answers: [String: @Sendable (IQ) async -> Element?],
    isAnsweredElsewhere: @escaping @Sendable (IQ) -> Bool
  ) {
    self.answers = answers
    self.isAnsweredElsewhere = isAnsweredElsewhere
  }

  package func receive(_ stanzas: [Stanza]) async {
    for case .iq(let iq) in stanzas {
      guard let channel, iq.kind == .get || iq.kind == .set, !isAnsweredElsewhere(iq) else {
        continue
      }
      let reply: Element
      guard let payload = iq.payload else {
        try? await channel.send(iq.errorReply(StanzaError(.modify, .badRequest)))
        continue
      }
      if iq.kind == .get, payload.namespace == Namespace.ping {
        reply = iq.resultReply()
      } else if iq.kind == .get, let answer = await answers[payload.namespace]?(iq) {
        reply = iq.resultReply(answer)
      } else {
        reply = iq.errorReply(StanzaError(.cancel, .serviceUnavailable))
      }
      // If the connection breaks now, the sender gets no answer and their own time limit applies.
      try? await channel.send(reply)
    }
  }
}
