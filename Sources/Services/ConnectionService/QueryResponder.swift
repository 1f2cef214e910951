import NatterCore
import XML
import XMPP

/// The responder to queries of other entities: identity, features, ping.
///
/// Every IQ of type get or set gets an answer (RFC 6120 §8.2.3): `service-unavailable` for an
/// unknown payload.
package actor QueryResponder: SessionConsuming {
  private let answers: [String: @Sendable (IQ) async -> Element?]
  /// Payload namespaces of sets that another consumer answers.
  private let claimedSets: Set<String>
  private var channel: (any StanzaChannel)?

  /// - Parameters:
  ///   - answers: payload namespace → payload of the result, for IQs of type get.
  ///   - claimedSets: namespaces of sets that other services answer themselves.
  package init(
    answers: [String: @Sendable (IQ) async -> Element?], claimedSets: Set<String>
  ) {
    self.answers = answers
    self.claimedSets = claimedSets
  }

  package func sessionStarted(_ session: Session, over channel: any StanzaChannel) async {
    self.channel = channel
  }

  package func sessionEnded() async { channel = nil }

  package func receive(_ stanzas: [Stanza]) async {
    for case .iq(let iq) in stanzas {
      guard let channel, iq.kind == .get || iq.kind == .set else { continue }
      let reply: Element
      guard let payload = iq.payload else {
        try? await channel.send(iq.errorReply(StanzaError(.modify, .badRequest)))
        continue
      }
      switch iq.kind {
      case .get:
        if payload.namespace == Namespace.ping {
          reply = iq.resultReply()
        } else if let answer = await answers[payload.namespace]?(iq) {
          reply = iq.resultReply(answer)
        } else {
          reply = iq.errorReply(StanzaError(.cancel, .serviceUnavailable))
        }
      case .set:
        if claimedSets.contains(payload.namespace) { continue }
        reply = iq.errorReply(StanzaError(.cancel, .serviceUnavailable))
      default: continue
      }
      // If the connection breaks now, the sender gets no answer and their own time limit applies.
      try? await channel.send(reply)
    }
  }
}
