import Sockets
import XML

/// The view of a connection that negotiation needs: elements in order, in both directions.
package protocol ElementExchange: AnyObject, Sendable {
  /// Sends a stream header and waits for the server's header and features (RFC 6120 §4.2, §4.3).
  /// - Parameter first: An element that goes out with the header, without waiting for the features.
  func openStream(_ options: StreamOptions, followedBy first: Element?)
    async throws(StreamFailure) -> StreamFeatures
  func write(_ element: Element) async throws(StreamFailure)
  /// Returns the next element of the stream.
  /// - Throws: A stream error, or the end of the stream.
  func next() async throws(StreamFailure) -> Element
  /// Starts TLS under the stream; the stream has to be opened again afterwards.
  func startTLS() async throws(StreamFailure)
  /// Makes `elements` come again before anything else: they were read too early.
  func putBack(_ elements: [Element]) async
  /// Keeps a stanza that came before the session was complete, for the consumers of stanzas.
  /// - Throws: `.protocolViolation` when there are too many.
  func setAside(_ stanza: Element) async throws(StreamFailure)
  /// The channel bindings of the TLS connection, the preferred one first; empty without any.
  var channelBindings: [ChannelBinding] { get async }
  /// Indicates whether only the server can read what is written.
  var isSecure: Bool { get async }
  /// Indicates whether the server is on this machine.
  var isLoopback: Bool { get async }
}

extension ElementExchange {
  func openStream(_ options: StreamOptions) async throws(StreamFailure) -> StreamFeatures {
    try await openStream(options, followedBy: nil)
  }
}
