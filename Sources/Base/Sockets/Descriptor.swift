import CResolv
import Glibc

/// Operations on socket descriptors that several types share.
enum Descriptor {
  /// Creates a non-blocking stream socket that child processes do not inherit; −1 with `errno` set
  /// on failure.
  static func socket(family: CInt) -> CInt {
    Glibc.socket(family, natter_private_stream_socket, 0)
  }

  /// Accepts the next connection, non-blocking and not inherited; −1 with `errno` set when there is
  /// none.
  static func accept(_ listener: CInt) -> CInt {
    let descriptor = Glibc.accept(listener, nil, nil)
    if descriptor >= 0 {
      // `accept4` is not visible to Swift.
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
    return descriptor
  }

  /// Returns the error of an attempt to connect (`SO_ERROR`); 0 when it succeeded.
  static func pendingError(_ descriptor: CInt) -> CInt {
    var code: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    let asked = getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    return asked == 0 ? code : errno
  }

  /// Disables delays of small writes, and makes the kernel detect a lost peer within some two
  /// minutes.
  static func prepare(_ descriptor: CInt) {
    let tcp = CInt(IPPROTO_TCP)
    set(descriptor, tcp, TCP_NODELAY, 1)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    set(descriptor, tcp, TCP_KEEPIDLE, 60)
    set(descriptor, tcp, TCP_KEEPINTVL, 15)
    set(descriptor, tcp, TCP_KEEPCNT, 4)
    set(descriptor, tcp, TCP_USER_TIMEOUT, 120_000)
  }

  static func set(_ descriptor: CInt, _ level: CInt, _ option: CInt, _ value: CInt) {
    var value = value
    // A socket that does not support the option works without it.
    _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Returns the process and user of the peer of a Unix socket at the time of the connection
  /// (unix(7), `SO_PEERCRED`).
  static func peer(of descriptor: CInt) -> PeerCredentials? {
    var credentials = (pid: pid_t(0), uid: uid_t(0), gid: gid_t(0))
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard SocketAddress.asked({ getpeername($0, $1, $2) }, of: descriptor)?.family == AF_UNIX,
      getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0
    else { return nil }
    return PeerCredentials(processID: credentials.pid, userID: credentials.uid)
  }

  /// Returns the error of a call on a connected socket.
  static func error(_ code: CInt) -> SocketError {
    switch code {
    case ECONNRESET, EPIPE, ENOTCONN, ESHUTDOWN, EBADF: .closed
    default: .system(errno: code)
    }
  }
}

/// The process and user of the peer of a Unix socket.
package struct PeerCredentials: Hashable, Sendable {
  package let processID: pid_t
  package let userID: uid_t

  package init(processID: pid_t, userID: uid_t) {
    self.processID = processID
    self.userID = userID
  }
}
