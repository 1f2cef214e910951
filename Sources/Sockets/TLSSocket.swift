import Dispatch
import Glibc

/// A connection in TLS 1.2 or later whose certificate was verified for the domain that was asked for (RFC 7590).
///
/// Bytes are read only while somebody receives. A cancelled `receive` ends with `.closed` and leaves the stream as it was; a
/// cancelled `send` closes it, since a part of the bytes may have left. A socket that is let go of closes itself.
package final class TLSSocket: ByteStream {
  private let engine: StreamEngine
  package let isSecure = true
  package let isLoopback: Bool
  package let channelBindings: [ChannelBinding]
  package let tlsVersion: String?
  package let tlsCipher: String?

  private init(_ engine: StreamEngine, isLoopback: Bool, of session: TLSSession) {
    self.engine = engine
    self.isLoopback = isLoopback
    channelBindings = session.channelBindings
    tlsVersion = session.version
    tlsCipher = session.cipher
  }

  deinit { engine.close() }

  package func receive() async throws(SocketError) -> [UInt8]? { try await engine.receive() }
  package func send(_ bytes: [UInt8]) async throws(SocketError) { try await engine.send(bytes) }
  package func close() { engine.close() }

  /// Connects with TLS from the first byte on (XEP-0368).
  /// - Parameter host: where to connect to: a name or an address.
  /// - Parameter domain: who has to be there: the JID's domain. It is sent as SNI, and the certificate must bear it.
  /// - Parameter limit: for look-up, connection and handshake together.
  /// - Throws: every case of `SocketError` but `.system`.
  package static func connect(
    host: String, port: Int, domain: String, trust: TrustOptions, limit: Duration = .seconds(20)
  ) async throws(SocketError) -> TLSSocket {
    let start = ContinuousClock.now
    let addresses = try await AddressLookup.addresses(of: host, port: port, limit: limit)
    return try await connect(
      to: addresses, host: host, port: port, domain: domain, trust: trust,
      limit: limit - start.duration(to: .now))
  }

  /// Connects to whichever of a host's addresses answers first.
  /// - Parameter port: that of all of them: libcurl takes one.
  static func connect(
    to addresses: [SocketAddress], host: String, port: Int, domain: String, trust: TrustOptions,
    limit: Duration
  ) async throws(SocketError) -> TLSSocket {
    try await establish(
      domain: domain, host: host, port: port, route: .addresses(addresses), trust: trust,
      isLoopback: nil, limit: limit)
  }

  /// Takes a plain connection over, on which both sides have agreed on TLS (RFC 6120 §5.4.3).
  ///
  /// `plain` is of no use afterwards, whether this succeeds or not.
  /// - Parameter domain: the JID's domain. It is sent as SNI, and the certificate must bear it.
  /// - Throws: `.certificate`, `.tls`, `.timedOut`, and `.closed` when the connection or the task ended.
  package static func upgrade(
    _ plain: PlainSocket, domain: String, trust: TrustOptions, limit: Duration = .seconds(20)
  ) async throws(SocketError) -> TLSSocket {
    guard let descriptor = await plain.detach() else { throw .closed }
    let relay = try TLSRelay(remote: descriptor)
    do {
      return try await establish(
        domain: domain, host: plain.host, port: plain.port,
        route: .abstractSocket(name: relay.name), trust: trust, isLoopback: plain.isLoopback,
        limit: limit)
    } catch {
      relay.close()
      throw error
    }
  }

  private static func establish(
    domain: String, host: String, port: Int, route: TLSSession.Route, trust: TrustOptions,
    isLoopback: Bool?, limit: Duration
  ) async throws(SocketError) -> TLSSocket {
    let queue = DispatchQueue(label: "natter.tls")
    let outcome = Outcome<Result<TLSSession, SocketError>>()
    let interruption = Interruption()
    let result = await withTaskCancellationHandler {
      queue.async {
        do throws(SocketError) {
          let session = try TLSSession(
            domain: domain, host: host, port: port, route: route, trust: trust,
            interruption: interruption)
          try session.handshake(limit: limit)
          outcome.settle(.success(session))
        } catch {
          outcome.settle(.failure(error))
        }
      }
      return await outcome.value()
    } onCancel: {
      interruption.interrupt()
    }
    let session = try result.get()
    return TLSSocket(
      StreamEngine(session, queue: queue),
      isLoopback: isLoopback
        ?? SocketAddress.asked({ getpeername($0, $1, $2) }, of: session.descriptor)?.isLoopback
        ?? false,
      of: session)
  }
}
