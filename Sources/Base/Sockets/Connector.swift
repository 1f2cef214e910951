/// Opens the connection to an endpoint.
package struct Connector: Sendable {
  package init() {}

  /// Connects, and starts TLS if the endpoint uses direct TLS.
  /// - Parameter domain: the JID's domain, which the server's certificate must contain.
  /// - Parameter limit: for look-up, connection and handshake together.
  /// - Returns: a `TLSSocket` for `.directTLS`, otherwise a `PlainSocket`: with `.startTLS` for
  ///   `TLSSocket.upgrade`, with `.plain` connected to this machine.
  /// - Throws: the reason of the failure; `.clearTextRefused` before a byte is sent if the mode is
  ///   `.plain` and the host is another machine.
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
