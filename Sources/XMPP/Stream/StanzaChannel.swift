/// What a service may do with a connection: send, and ask.
package protocol StanzaChannel: Sendable {
  /// Hands `stanza` to the connection. That it returns does not mean that the server has it.
  /// - Throws: `ChannelError.notConnected`, or the connection's own error.
  func send(_ stanza: Element) async throws
  /// Sends an IQ of type get or set and waits for its result (RFC 6120 §8.2.3); an `id` is added when there is none.
  /// - Throws: `StanzaError` when the answer is an error, `ChannelError` when none came.
  func request(_ iq: Element, timeout: Duration) async throws -> Element
}

extension StanzaChannel {
  /// The same with the usual time limit, 30 s.
  package func request(_ iq: Element) async throws -> Element {
    try await request(iq, timeout: .seconds(30))
  }
}

/// Why a stanza could not be sent, or a question got no answer.
package enum ChannelError: Error, Hashable, Sendable {
  case notConnected
  case timedOut
}
