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
  /// Waits until the server has answered a ping (XEP-0199) and the consumers have handled all that
  /// came before the answer: a server that refuses a stanza immediately has done so by then
  /// (RFC 6120 §10.1). An answer alone resumes the requester before that. A consumer must not call
  /// it in `SessionConsuming.receive`: it would wait for itself.
  /// - Throws: `ChannelError`, also where the connection ends before all is handled.
  func settle(timeout: Duration) async throws
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

  /// Waits until the server has answered a ping (XEP-0199).
  /// - Throws: `ChannelError`.
  package func ping(timeout: Duration) async throws {
    // A server that refuses to be pinged has answered, too.
    do { _ = try await request(XEP0199Ping.question(), timeout: timeout) } catch is StanzaError {}
  }

  /// The default of a channel without consumers: waits for the answer.
  package func settle(timeout: Duration) async throws { try await ping(timeout: timeout) }

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
