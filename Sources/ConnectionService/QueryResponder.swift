import NatterCore
import XMPP

/// Answers what other entities ask of this client: who it is, what it can do, whether it lives.
///
/// Every IQ of type get or set gets an answer (RFC 6120 §8.2.3): what nobody here knows is `service-unavailable`.
package actor QueryResponder: SessionConsuming {
  private let answers: [String: @Sendable (IQ) async -> Element?]
  /// Payload namespaces that another consumer answers, by the IQ's kind being `set`.
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
      // Who asks learns nothing when the connection breaks now: his own time limit tells him.
      try? await channel.send(reply)
    }
  }
}
