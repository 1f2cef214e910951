/// A value that identifies one TLS connection (RFC 5056). Authentication is bound to it, because a
/// man in the middle has a different value on each side.
package struct ChannelBinding: Hashable, Sendable {
  /// The registered types for TLS (IANA, "Channel-Binding Types").
  package enum BindingType: String, Hashable, Sendable, CaseIterable, Codable {
    /// Keying material of the connection (RFC 9266).
    case exporter = "tls-exporter"
    /// The first Finished message (RFC 5929 §3).
    case unique = "tls-unique"
    /// The hash of the server's certificate (RFC 5929 §4): it identifies a server, not a
    /// connection.
    case serverEndPoint = "tls-server-end-point"
  }

  package let kind: BindingType
  /// The binding data, which both sides compare.
  package let data: [UInt8]

  package init(_ kind: BindingType, _ data: [UInt8]) {
    self.kind = kind
    self.data = data
  }
}
