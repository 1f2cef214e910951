/// A connected, ordered, reliable stream of bytes in both directions.
///
/// One task may receive while another sends; two concurrent calls of the same kind are a
/// programming error.
package protocol ByteStream: AnyObject, Sendable {
  /// Waits for bytes and returns all that can be read at once (1 to some 100 KiB), or `nil` at the
  /// end of the stream.
  /// - Throws: `SocketError` when the connection broke; `.closed` after `close()`.
  func receive() async throws(SocketError) -> [UInt8]?
  /// Passes all of `bytes` to the operating system (or the TLS layer), waiting while its buffers
  /// are full.
  func send(_ bytes: [UInt8]) async throws(SocketError)
  /// Closes the connection; a waiting `receive` or `send` ends with `.closed`. Further calls do
  /// nothing.
  func close()
  /// Indicates whether the connection is encrypted and the peer's certificate was verified.
  var isSecure: Bool { get }
  /// Indicates whether the peer is on this machine (loopback address or Unix socket).
  var isLoopback: Bool { get }
  /// The channel bindings of this TLS connection for authentication, the preferred first; empty
  /// without TLS, or where the TLS library does not expose them.
  var channelBindings: [ChannelBinding] { get }
  /// The version of TLS, as "TLSv1.3"; `nil` without TLS, or if unknown.
  var tlsVersion: String? { get }
  /// The cipher suite, as "TLS_AES_256_GCM_SHA384"; `nil` without TLS, or if unknown.
  var tlsCipher: String? { get }
  /// The endpoint of the connection; `nil` if unknown.
  var endpoint: Endpoint? { get }
}

extension ByteStream {
  package var channelBindings: [ChannelBinding] { [] }
  package var tlsVersion: String? { nil }
  package var tlsCipher: String? { nil }
  package var endpoint: Endpoint? { nil }
}
