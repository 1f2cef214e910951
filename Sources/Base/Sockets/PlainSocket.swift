import CResolv
import Dispatch
import Glibc

/// A TCP connection or a Unix socket, without TLS.
///
/// Bytes are read only while a `receive` waits. A cancelled `receive` ends with `.closed` and
/// leaves the stream intact; a cancelled `send` closes it, because a part of the bytes may have
/// been sent. The socket closes when its object is released.
package final class PlainSocket: ByteStream {
  private let engine: StreamEngine
  /// The requested host or path, and the port (0 for a Unix socket): for messages.
  package let host: String
  package let port: Int
  /// The peer's address; `nil` if it was disconnected already.
  package let peerAddress: SocketAddress?
  /// The process and user of the peer of a Unix socket.
  package let peerCredentials: PeerCredentials?

  package var isSecure: Bool { false }
  package var isLoopback: Bool { peerAddress?.isLoopback ?? false }

  /// Takes ownership of a connected, non-blocking descriptor.
  init(descriptor: CInt, host: String? = nil, port: Int? = nil) {
    let peer = SocketAddress.asked({ getpeername($0, $1, $2) }, of: descriptor)
    peerAddress = peer
    peerCredentials = Descriptor.peer(of: descriptor)
    self.host = host ?? peer?.numericHost ?? ""
    self.port = port ?? peer?.port ?? 0
    if let peer, peer.family != AF_UNIX { Descriptor.prepare(descriptor) }
    engine = StreamEngine(
      DescriptorTransport(descriptor), queue: DispatchQueue(label: "natter.socket"))
  }

  deinit { engine.close() }

  /// Connects by TCP to the first of a host's addresses that answers.
  /// - Parameter host: a name or a numeric address; one that begins with `/` is the path of a Unix
  ///   socket.
  /// - Parameter limit: for look-up and connection together.
  /// - Parameter onlyLoopback: ignores every address that is not this machine's.
  /// - Throws: `.unknownHost`, `.refused`, `.timedOut`, `.unreachable`, `.clearTextRefused` when
  ///   only loopback is allowed and the host has no such address, `.closed` when the task is
  ///   cancelled.
  package static func connect(
    host: String, port: Int, limit: Duration = .seconds(15), onlyLoopback: Bool = false
  ) async throws(SocketError) -> PlainSocket {
    if host.hasPrefix("/") { return try await connect(path: host, limit: limit) }
    let start = ContinuousClock.now
    var addresses = try await AddressLookup.addresses(of: host, port: port, limit: limit)
    if onlyLoopback {
      addresses.removeAll { !$0.isLoopback }
      if addresses.isEmpty { throw .clearTextRefused(host: host) }
    }
    return try await connect(
      to: addresses, host: host, port: port, limit: limit - start.duration(to: .now))
  }

  /// Connects to the Unix socket at `path`.
  /// - Throws: `.refused` without a listener, `.unreachable` with the system's error otherwise.
  package static func connect(
    path: String, limit: Duration = .seconds(15)
  ) async throws(SocketError) -> PlainSocket {
    guard let address = SocketAddress.unix(path: path) else {
      throw .unreachable(host: path, port: 0, errno: ENAMETOOLONG)
    }
    return try await connect(to: [address], host: path, port: 0, limit: limit)
  }

  /// Connects to the first of `addresses` that answers; `host` and `port` are for messages.
  package static func connect(
    to addresses: [SocketAddress], host: String, port: Int, limit: Duration
  ) async throws(SocketError) -> PlainSocket {
    let race = ConnectionRace(addresses, host: host, port: port)
    let descriptor = try await race.winner(limit: limit)
    return PlainSocket(descriptor: descriptor, host: host, port: port)
  }

  /// Returns two sockets that are connected to each other.
  /// - Throws: `.system` when the process has no descriptors left.
  package static func pair() throws(SocketError) -> (PlainSocket, PlainSocket) {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, natter_private_stream_socket, 0, &ends) == 0 else {
      throw .system(errno: errno)
    }
    return (PlainSocket(descriptor: ends[0]), PlainSocket(descriptor: ends[1]))
  }

  package func receive() async throws(SocketError) -> [UInt8]? { try await engine.receive() }
  package func send(_ bytes: [UInt8]) async throws(SocketError) { try await engine.send(bytes) }
  package func close() { engine.close() }

  /// Ends this object and returns its descriptor; `nil` when it is closed or in use.
  func detach() async -> CInt? { await engine.detach() }
}

/// Reads and writes a descriptor with plain system calls.
private final class DescriptorTransport: Transport {
  let descriptor: CInt
  /// The size of the next read in bytes. It follows the received amount, so that an idle connection
  /// holds no large buffer.
  private var capacity = 4096

  init(_ descriptor: CInt) { self.descriptor = descriptor }

  func read() -> TransportRead {
    var received = 0
    var code: CInt = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      repeat {
        received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        code = received < 0 ? errno : 0
      } while code == EINTR
      count = max(received, 0)
    }
    if received > 0 {
      if received == capacity, capacity < 128 * 1024 {
        capacity *= 2
      } else if received < capacity / 4, capacity > 4096 {
        capacity /= 2
      }
      return .bytes(bytes)
    }
    if received == 0 { return .end }
    return code == EAGAIN || code == EWOULDBLOCK ? .again : .failed(Descriptor.error(code))
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> TransportWrite {
    while true {
      let sent = Glibc.send(descriptor, bytes.baseAddress, bytes.count, natter_no_signal)
      if sent >= 0 { return .wrote(sent) }
      switch errno {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK: return .again
      case let code: return .failed(Descriptor.error(code))
      }
    }
  }

  func dispose() { Glibc.close(descriptor) }
}
