import Dispatch
import Glibc

/// A connection with TLS 1.2 or later whose certificate was verified for the requested domain (RFC
/// 7590).
///
/// Bytes are read only while a `receive` waits. A cancelled `receive` ends with `.closed` and
/// leaves the stream intact; a cancelled `send` closes it, because a part of the bytes may have
/// been sent. The socket closes when its object is released.
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

  /// Connects with direct TLS (XEP-0368).
  /// - Parameter host: the destination: a name or an address.
  /// - Parameter domain: the expected peer: the JID's domain. It is sent as SNI, and the
  ///   certificate must contain it.
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

  /// Connects to the first of a host's addresses that answers.
  /// - Parameter port: the port of all of them, because libcurl accepts one.
  static func connect(
    to addresses: [SocketAddress], host: String, port: Int, domain: String, trust: TrustOptions,
    limit: Duration
  ) async throws(SocketError) -> TLSSocket {
    try await establish(
      domain: domain, host: host, port: port, route: .addresses(addresses), trust: trust,
      isLoopback: nil, limit: limit)
  }

  /// Starts TLS on a plain connection after both sides have agreed on it (RFC 6120 §5.4.3).
  ///
  /// `plain` is unusable afterwards, even if this throws.
  /// - Parameter domain: the JID's domain. It is sent as SNI, and the certificate must contain it.
  /// - Throws: `.certificate`, `.tls`, `.timedOut`, and `.closed` when the connection or the task
  ///   ended.
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
    let outcome = OneShot<Result<TLSSession, SocketError>>()
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
