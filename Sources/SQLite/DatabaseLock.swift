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

  /// Leaves word for the holder of the lock at `path` that this program wants it, and is about to end it.
  package static func claim(_ path: String) throws(SQLiteError) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw SQLiteError(errno: errno, path: path) }
    defer { close(descriptor) }
    let text = "\(getpid())\n"
    guard write(descriptor, text, text.utf8.count) == text.utf8.count else {
      throw SQLiteError(errno: errno, path: path)
    }
  }

  /// The living program that has claimed the lock at `path` last; `nil`: none has since it was taken.
  package static func claimant(of path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return numbers(in: descriptor).dropFirst().last { kill($0, 0) == 0 || errno == EPERM }
  }

  private static func holder(in descriptor: Int32) -> Int32? { numbers(in: descriptor).first }

  /// The process ids in a lock's file: its holder's, then those of who has claimed it.
  private static func numbers(in descriptor: Int32) -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return [] }
    return bytes[..<count].split(separator: UInt8(ascii: "\n")).compactMap {
      Int32(String(decoding: $0, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    }
  }
}
