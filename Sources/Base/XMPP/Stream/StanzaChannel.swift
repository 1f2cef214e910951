import XML

/// The operations that a connection offers to a service: sending stanzas and making requests.
package protocol StanzaChannel: Sendable {
  /// Passes `stanza` to the connection. Its return does not mean that the server has the stanza.
  /// - Throws: `ChannelError.notConnected`, or the connection's own error.
  func send(_ stanza: Element) async throws
  /// Sends an IQ of type get or set and waits for its result (RFC 6120 §8.2.3); adds an `id` when
  /// there is none.
  /// - Throws: `StanzaError` when the answer is an error, `ChannelError` when none came.
  func request(_ iq: Element, timeout: Duration) async throws -> Element
  /// Requests a page of an archive and gathers the results, which come before the response
  /// (XEP-0313 §4.2). Takes only what the archive itself sends for this query; no consumer sees it.
  /// - Parameter archive: The bare JID of its owner: the own account or a room.
  /// - Throws: `StanzaError` when the archive refuses or does not exist, `ChannelError` when no
  ///   response came.
  func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) async throws
    -> XEP0313Page
}

extension StanzaChannel {
  /// Sends a request with the default time limit, 30 s.
  package func request(_ iq: Element) async throws -> Element {
    try await request(iq, timeout: .seconds(30))
  }

  /// Requests a page with the default time limit, 30 s.
  package func archivePage(_ query: XEP0313Query, of archive: JID) async throws -> XEP0313Page {
    try await archivePage(query, of: archive, timeout: .seconds(30))
  }

  /// The default of a channel that supports no archives: throws `service-unavailable`.
  package func archivePage(_ query: XEP0313Query, of archive: JID, timeout: Duration) async throws
    -> XEP0313Page
  {
    throw StanzaError(.cancel, .serviceUnavailable)
  }
}

/// The reason why a stanza could not be sent, or a request got no response.
package enum ChannelError: Error, Hashable, Sendable {
  case notConnected
  case timedOut
}
