/// Opens the connection to one endpoint.
package struct Connector: Sendable {
  package init() {}

  /// Connects, with TLS where it begins at once.
  /// - Parameter domain: the JID's domain, whose certificate the server has to show.
  /// - Parameter limit: for look-up, connection and handshake together.
  /// - Returns: a `TLSSocket` for `.directTLS`, otherwise a `PlainSocket`: one for `TLSSocket.upgrade` with `.startTLS`, and
  ///   one to this machine with `.plain`.
  /// - Throws: what kept it from the connection; `.clearTextRefused` before a byte is sent when `.plain` was asked for and the
  ///   host is another machine.
  package func connect(
    to endpoint: Endpoint, domain: String, trust: TrustOptions = TrustOptions(),
    limit: Duration = .seconds(15)
  ) async throws(SocketError) -> any ByteStream {
    switch endpoint.mode {
    case .directTLS:
      return try await TLSSocket.connect(
        host: endpoint.host, port: endpoint.port, domain: domain, trust: trust, limit: limit)
    case .startTLS, .plain:
      return try await PlainSocket.connect(
        host: endpoint.host, port: endpoint.port, limit: limit,
        onlyLoopback: endpoint.mode == .plain)
    }
  }
}
