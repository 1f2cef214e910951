import Sockets

/// What negotiation needs of a connection: one element after the other, in both directions.
package protocol ElementExchange: AnyObject, Sendable {
  /// Sends a stream header and waits for the server's header and its features (RFC 6120 §4.2, §4.3).
  /// - Parameter first: goes out with the header, without waiting for the features.
  func openStream(_ options: StreamOptions, followedBy first: Element?)
    async throws(StreamFailure) -> StreamFeatures
  func write(_ element: Element) async throws(StreamFailure)
  /// The next element of the stream; a stream error or the stream's end is thrown.
  func next() async throws(StreamFailure) -> Element
  /// Puts TLS under the stream; it has to be opened anew afterwards.
  func startTLS() async throws(StreamFailure)
  /// Has `elements` come again, before anything else: they were read too early.
  func putBack(_ elements: [Element]) async
  /// Keeps a stanza that came before the session was complete, for those who take stanzas.
  func setAside(_ stanza: Element) async
  /// What signing in can be tied to of the TLS connection, the preferred first; empty: nothing.
  var channelBindings: [ChannelBinding] { get async }
  /// Whether what is written can be read by the server only.
  var isSecure: Bool { get async }
  /// Whether the server is on this machine.
  var isLoopback: Bool { get async }
}

extension ElementExchange {
  func openStream(_ options: StreamOptions) async throws(StreamFailure) -> StreamFeatures {
    try await openStream(options, followedBy: nil)
  }
}
