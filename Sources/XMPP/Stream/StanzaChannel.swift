/// What a service may do with a connection: send, and ask.
package protocol StanzaChannel: Sendable {
  /// Hands `stanza` to the connection. That it returns does not mean that the server has it.
  /// - Throws: `ChannelError.notConnected`, or the connection's own error.
  func send(_ stanza: Element) async throws
  /// Sends an IQ of type get or set and waits for its result (RFC 6120 §8.2.3); an `id` is added when there is none.
  /// - Throws: `StanzaError` when the answer is an error, `ChannelError` when none came.
  func request(_ iq: Element, timeout: Duration) async throws -> Element
  /// Asks an archive for a page and gathers the results, which come before the answer (XEP-0313 §4.2). Only what the
  /// archive itself sends for this query is taken; none of it is seen by anybody else.
  /// - Parameter archive: the bare address of its owner: the own account or a room.
  /// - Throws: `StanzaError` when the archive refuses or there is none, `ChannelError` when no answer came.
  func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) async throws
    -> XEP0313Page
}

extension StanzaChannel {
  /// The same with the usual time limit, 30 s.
  package func request(_ iq: Element) async throws -> Element {
    try await request(iq, timeout: .seconds(30))
  }

  /// The same with the usual time limit, 30 s.
  package func archivePage(_ query: XEP0313Query, of archive: JID) async throws -> XEP0313Page {
    try await archivePage(query, of: archive, timeout: .seconds(30))
  }

  /// A channel that knows of no archives.
  package func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) async throws
    -> XEP0313Page
  {
    throw StanzaError(.cancel, .serviceUnavailable)
  }
}

/// Why a stanza could not be sent, or a question got no answer.
package enum ChannelError: Error, Hashable, Sendable {
  case notConnected
  case timedOut
}
