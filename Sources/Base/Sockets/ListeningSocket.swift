import Dispatch
import Glibc
import System

/// Accepts connections from this machine.
///
/// `@unchecked Sendable`: all mutable state is accessed on `queue` only.
package final class ListeningSocket: @unchecked Sendable {
  /// The address to listen on. Port 0 selects any free one.
  package enum Address: Hashable, Sendable {
    case ipv4Loopback(port: Int)
    case ipv6Loopback(port: Int)
    /// A path of at most 107 bytes. The socket is created for its owner alone (0600). It replaces a
    /// socket without a listener; any other file at the path is preserved.
    case unix(path: String)
  }

  private let queue = DispatchQueue(label: "natter.listen")
  private let file: SocketFile?
  private var watch: DescriptorSource?
  private let descriptor: CInt
  private var accepting: OneShot<Result<PlainSocket, SocketError>>?
  /// The port of the listener; 0 for a Unix socket.
  package let port: Int

  /// Begins to listen at once.
  /// - Throws: `.system` with `EADDRINUSE` when another process listens there, or another error of
  ///   the system.
  package init(_ bindAddress: Address, backlog: Int = 64) throws(SocketError) {
    let address: SocketAddress
    let path: String?
    switch bindAddress {
    case .ipv4Loopback(let port):
      address = .ipv4Loopback(port: port)
      path = nil
    case .ipv6Loopback(let port):
      address = .ipv6Loopback(port: port)
      path = nil
    case .unix(let unixPath):
      guard let unix = SocketAddress.unix(path: unixPath) else {
        throw .system(errno: ENAMETOOLONG)
      }
      address = unix
      path = unixPath
    }
    let descriptor = Descriptor.socket(family: address.family)
    guard descriptor >= 0 else { throw .system(errno: errno) }
    if path == nil { Descriptor.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1) }
    var code = Self.bind(descriptor, address)
    if code == EADDRINUSE, let path, Self.isAbandoned(path, address) {
      unlink(path)
      code = Self.bind(descriptor, address)
    }
    // Connections are impossible before `listen`, so the mode is effective from the first moment
    // on.
    if code == 0, let path { code = chmod(path, 0o600) == 0 ? 0 : errno }
    if code == 0 { code = listen(descriptor, CInt(backlog)) == 0 ? 0 : errno }
    guard code == 0 else {
      Glibc.close(descriptor)
      throw .system(errno: code)
    }
    self.descriptor = descriptor
    file = path.flatMap { SocketFile($0) }
    port = SocketAddress.asked({ getsockname($0, $1, $2) }, of: descriptor)?.port ?? 0
    watch = nil
    watch = DescriptorSource(
      descriptor: descriptor, queue: queue, onReadable: { [weak self] in self?.pump() })
  }

  deinit {
    guard let watch else { return }
    let (descriptor, file) = (descriptor, file)
    queue.async { Self.end(watch, descriptor, file) }
  }

  /// Waits for the next connection. One task at a time.
  /// - Throws: `.closed` after `close()` or when the task is cancelled; `.system` for another
  ///   reason.
  package func accept() async throws(SocketError) -> PlainSocket {
    let outcome = OneShot<Result<PlainSocket, SocketError>>()
    let result = await withTaskCancellationHandler {
      queue.async { [self] in start(outcome) }
      return await outcome.value()
    } onCancel: {
      queue.async { [self] in
        if accepting === outcome { accepting = nil }
        outcome.settle(.failure(.closed))
      }
    }
    return try result.get()
  }

  /// Stops listening and removes the Unix socket's file; a waiting `accept` ends with `.closed`.
  package func close() {
    queue.async { [self] in
      guard let watch else { return }
      self.watch = nil
      // First: who waits for the end finds the file removed.
      Self.end(watch, descriptor, file)
      accepting?.settle(.failure(.closed))
      accepting = nil
    }
  }

  // MARK: On the queue

  private func start(_ outcome: OneShot<Result<PlainSocket, SocketError>>) {
    if outcome.isSettled { return }
    guard watch != nil else {
      outcome.settle(.failure(.closed))
      return
    }
    precondition(accepting == nil, "one task at a time accepts")
    accepting = outcome
    pump()
  }

  private func pump() {
    while let accepting, let watch {
      let connection = Descriptor.accept(descriptor)
      if connection >= 0 {
        self.accepting = nil
        accepting.settle(.success(PlainSocket(descriptor: connection)))
        return
      }
      switch errno {
      case EINTR, ECONNABORTED, EPROTO: continue
      case EAGAIN, EWOULDBLOCK:
        watch.armRead()
        return
      case EMFILE, ENFILE, ENOBUFS, ENOMEM:
        // The connection stays in the kernel's queue, so arming at once would only spin.
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in self?.pump() }
        return
      case let code:
        self.accepting = nil
        accepting.settle(.failure(.system(errno: code)))
        return
      }
    }
  }

  private static func end(_ watch: DescriptorSource, _ descriptor: CInt, _ file: SocketFile?) {
    // The file is removed first: later another process may listen there.
    file?.remove()
    watch.cancel { Glibc.close(descriptor) }
  }

  private static func bind(_ descriptor: CInt, _ address: SocketAddress) -> CInt {
    address.withPointer { Glibc.bind(descriptor, $0, $1) == 0 ? 0 : errno }
  }

  /// Returns whether the file at `path` is a socket that no process listens on.
  private static func isAbandoned(_ path: String, _ address: SocketAddress) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
    let probe = Descriptor.socket(family: AF_UNIX)
    guard probe >= 0 else { return false }
    defer { Glibc.close(probe) }
    return address.withPointer { connect(probe, $0, $1) != 0 && errno == ECONNREFUSED }
  }
}

/// The file of a Unix socket.
private struct SocketFile: Sendable {
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// The file that is at `path` now; `nil` if there is none.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    (self.path, device, inode) = (path, status.st_dev, status.st_ino)
  }

  /// Removes it, unless another file has its name by now.
  func remove() {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode else { return }
    unlink(path)
  }
}
