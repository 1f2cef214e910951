/// What tells one TLS connection from every other (RFC 5056), so that signing in can be tied to it: a peer in the middle has
/// another one on each side.
package struct ChannelBinding: Hashable, Sendable {
  /// The registered types that TLS has (IANA, "Channel-Binding Types").
  package enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    /// Keying material of the connection (RFC 9266).
    case exporter = "tls-exporter"
    /// The first Finished message (RFC 5929 §3).
    case unique = "tls-unique"
    /// The hash of the server's certificate (RFC 5929 §4): it tells servers apart, and not connections.
    case serverEndPoint = "tls-server-end-point"
  }

  package let kind: Kind
  package let data: [UInt8]

  package init(_ kind: Kind, _ data: [UInt8]) {
    self.kind = kind
    self.data = data
  }
}
