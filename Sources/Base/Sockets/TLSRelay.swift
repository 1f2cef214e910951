import CResolv
import Dispatch
import Glibc
import System

/// Lets libcurl use TLS over an existing connection.
///
/// libcurl 7.88 cannot use a connected socket (`CURL_SOCKOPT_ALREADY_CONNECTED` fails in 7.88.0 and
/// 7.88.1). It can connect to a Unix socket: the relay listens on one with an unguessable name,
/// accepts one connection of this process only, and copies bytes between it and the server. It
/// sleeps while none arrive. It ends by itself when one side is closed.
///
/// `@unchecked Sendable`: all mutable state is accessed on `queue` only.
final class TLSRelay: @unchecked Sendable {
  /// One side: a descriptor, the bytes still to be written to it, and whether it has sent its last
  /// byte.
  ///
  /// `@unchecked Sendable`: used on the relay's queue only.
  private final class Side: @unchecked Sendable {
    let descriptor: CInt
    var watch: DescriptorSource?
    var pending: ArraySlice<UInt8> = []
    var hasEnded = false
    init(_ descriptor: CInt) { self.descriptor = descriptor }
  }

  /// The socket's name in the abstract namespace, without the leading NUL.
  let name: String

  private let queue = DispatchQueue(label: "natter.relay")
  private let remote: Side
  private var local: Side?
  private let listenerDescriptor: CInt
  private var listener: DescriptorSource?
  private var scratch: [UInt8] = []
  private var libcurlIsGone = false
  private var isClosed = false

  /// The number of bytes copied in one direction before the other is served.
  private static let chunkLimit = 512 * 1024
  private static let block = 64 * 1024

  /// - Parameter remote: the connection to the server; the relay owns it from now on, even if this
  ///   throws.
  /// - Throws: `.system` when the process has no descriptors left.
  init(remote descriptor: CInt) throws(SocketError) {
    let random = (0..<4).map { _ in UInt64.random(in: 0...UInt64.max) }
    let name = "natter-" + random.map { String($0, radix: 36) }.joined()
    let listener = Descriptor.socket(family: AF_UNIX)
    let bound =
      listener >= 0
      && SocketAddress.abstract(name: name).withPointer { Glibc.bind(listener, $0, $1) } == 0
      && listen(listener, 4) == 0
    guard bound else {
      let code = errno
      if listener >= 0 { Glibc.close(listener) }
      Glibc.close(descriptor)
      throw .system(errno: code)
    }
    self.name = name
    remote = Side(descriptor)
    listenerDescriptor = listener
    let watch = DescriptorSource(
      descriptor: listener, queue: queue, onReadable: { [self] in admit(from: listener) })
    self.listener = watch
    queue.async { watch.armRead() }
  }

  /// Ends the relay at once; bytes in transit are lost.
  func close() { queue.async { [self] in end() } }

  // MARK: On the queue

  private func admit(from descriptor: CInt) {
    let connection = Descriptor.accept(descriptor)
    guard connection >= 0 else {
      if errno == EMFILE || errno == ENFILE { end() } else { listener?.armRead() }
      return
    }
    let ourselves = PeerCredentials(processID: getpid(), userID: geteuid())
    guard Descriptor.peer(of: connection) == ourselves else {
      Glibc.close(connection)
      listener?.armRead()
      return
    }
    endListener()
    let local = Side(connection)
    self.local = local
    scratch = [UInt8](repeating: 0, count: Self.block)
    for (side, other) in [(remote, local), (local, remote)] {
      side.watch = DescriptorSource(
        descriptor: side.descriptor, queue: queue,
        onReadable: { [self] in carry(from: side, to: other) },
        onWritable: { [self] in carry(from: other, to: side) })
    }
    carry(from: remote, to: local)
    carry(from: local, to: remote)
  }

  private func carry(from source: Side, to target: Side) {
    var carried = 0
    while !isClosed {
      if !target.pending.isEmpty {
        switch write(to: target) {
        case 0: break
        case EAGAIN, EWOULDBLOCK:
          target.watch?.armWrite()
          return
        default:
          if target === remote { return end() }
          // libcurl has closed without reading everything. Its last bytes still go to the server.
          libcurlIsGone = true
          target.pending = []
          return carry(from: target, to: source)
        }
        continue
      }
      if libcurlIsGone, source === remote { return }
      if source.hasEnded {
        if source === local { return end() }
        shutdown(target.descriptor, CInt(SHUT_WR))
        return
      }
      if carried >= Self.chunkLimit {
        queue.async { [self] in carry(from: source, to: target) }
        return
      }
      let count = recv(source.descriptor, &scratch, scratch.count, 0)
      if count > 0 {
        carried += count
        target.pending = scratch[..<count]
        continue
      }
      let code = count == 0 ? 0 : errno
      switch code {
      case EINTR: continue
      case EAGAIN, EWOULDBLOCK:
        source.watch?.armRead()
        return
      case 0 where source === remote:
        source.hasEnded = true
      case _ where source === local:
        source.hasEnded = true
        // The last bytes of libcurl still go out, but the server must not delay the end forever.
        queue.asyncAfter(deadline: .now() + .seconds(5)) { [weak self] in self?.end() }
      default:
        end()
        return
      }
    }
  }

  /// Writes the pending bytes of `side`.
  /// - Returns: 0 when some of them were written, otherwise the error.
  private func write(to side: Side) -> CInt {
    while true {
      let count = side.pending.withUnsafeBytes {
        Glibc.send(side.descriptor, $0.baseAddress, $0.count, natter_no_signal)
      }
      if count >= 0 {
        // An empty slice would still reference `scratch` and cause a copy at the next read.
        side.pending = count < side.pending.count ? side.pending.dropFirst(count) : []
        return 0
      }
      if errno != EINTR { return errno }
    }
  }

  private func endListener() {
    let descriptor = listenerDescriptor
    listener?.cancel { Glibc.close(descriptor) }
    listener = nil
  }

  private func end() {
    if isClosed { return }
    isClosed = true
    endListener()
    for side in [remote, local].compactMap(\.self) {
      let descriptor = side.descriptor
      if let watch = side.watch {
        side.watch = nil
        watch.cancel { Glibc.close(descriptor) }
      } else {
        Glibc.close(descriptor)
      }
    }
    local = nil
  }
}
