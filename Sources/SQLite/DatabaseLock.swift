import Glibc

/// The right to be the only program that uses a database: a lock on a file beside it.
///
/// It is given back when this object goes, and by the kernel when the program ends in whatever way.
package final class DatabaseLock: Sendable {
  package enum Failure: Error, Hashable, Sendable {
    /// Another program holds it; its process id, or `nil` when it has not said.
    case held(by: Int32?)
    /// The lock file could not be made or locked.
    case system(SQLiteError)
  }

  private let descriptor: Int32

  /// Takes the lock without waiting. The file stays when the lock goes.
  /// - Parameter path: of the lock file, not of the database.
  package init(path: String) throws(Failure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw .system(SQLiteError(errno: errno, path: path)) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let reason = errno
      let holder = Self.holder(in: descriptor)
      close(descriptor)
      throw reason == EWOULDBLOCK
        ? .held(by: holder) : .system(SQLiteError(errno: reason, path: path))
    }
    PrivateFile.restrict(descriptor)
    // The number only serves the other program's message: the lock holds without it, even on a full disk.
    let text = "\(getpid())\n"
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.utf8.count, 0) }
    self.descriptor = descriptor
  }

  deinit {
    // Not left to `close`: a program that was being started at that moment may still hold a copy of the descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func holder(in descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    let line = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
    return Int32(String(decoding: line, as: UTF8.self))
  }
}
