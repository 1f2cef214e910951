import Glibc
import Synchronization

/// A Unix socket of one user for their own programs: in a folder that only they can enter, and for
/// a limited number of clients at once.
package final class UnixSocketListener: Sendable {
  package enum Failure: Error, Hashable, Sendable {
    /// The folder belongs to another user, or others may enter it.
    case openFolder(String)
    /// Another process listens there, or a file that is no socket is in the way.
    case inUse(path: String)
    case system(path: String, errno: CInt)
  }

  /// The clients that are served at once; others are disconnected at once.
  package static let maximumClients = 200

  package let path: String
  private let listener: ListeningSocket
  private let user: uid_t
  private let clients = Mutex(0)

  /// Begins to listen. A missing folder is created, for its owner only; a socket that no process
  /// listens on is replaced.
  /// - Parameters:
  ///   - path: an absolute path of at most 107 bytes.
  ///   - restrictsFolder: closes an own folder that others may enter, instead of refusing it.
  ///   - user: the only user whose processes are served.
  package init(
    path: String, restrictsFolder: Bool = false, user: uid_t = geteuid()
  ) throws(Failure) {
    self.path = path
    self.user = user
    try Self.prepareFolder(of: path, restricts: restrictsFolder)
    do { listener = try ListeningSocket(.unix(path: path), backlog: Self.maximumClients) } catch {
      switch error {
      case .system(EADDRINUSE): throw .inUse(path: path)
      case .system(let code): throw .system(path: path, errno: code)
      default: throw .system(path: path, errno: EIO)
      }
    }
  }

  /// Serves every client in a task of its own, until `close` or the task's cancellation; then the
  /// tasks are cancelled, and it returns when the last one has ended.
  /// - Parameter serve: its client is disconnected when it returns.
  package func run(_ serve: @escaping @Sendable (PlainSocket) async -> Void) async {
    await withDiscardingTaskGroup { group in
      while let client = try? await listener.accept() {
        guard client.peerCredentials?.userID == user, takesAnother() else {
          client.close()
          continue
        }
        group.addTask { [self] in
          await serve(client)
          client.close()
          clients.withLock { $0 -= 1 }
        }
      }
      // The path is free for the next process before the last client has gone.
      listener.close()
      group.cancelAll()
    }
  }

  /// Removes the socket's file, and ends `run`.
  package func close() { listener.close() }

  private func takesAnother() -> Bool {
    clients.withLock { count in
      guard count < Self.maximumClients else { return false }
      count += 1
      return true
    }
  }

  private static func prepareFolder(of path: String, restricts: Bool) throws(Failure) {
    guard let end = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      throw .system(path: path, errno: ENOENT)
    }
    let folder = end == path.utf8.startIndex ? "/" : String(path[..<end])
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw .system(path: folder, errno: errno) }
    var status = stat()
    guard lstat(folder, &status) == 0 else { throw .system(path: folder, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
      throw .openFolder(folder)
    }
    if status.st_mode & 0o077 == 0 { return }
    guard restricts, chmod(folder, 0o700) == 0 else { throw .openFolder(folder) }
  }
}
