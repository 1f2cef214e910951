import Glibc

/// The right to be the only program that uses a database: a lock on a file beside it.
///
/// It is released when this object is deinitialized, and by the kernel however the program ends.
package final class DatabaseLock: Sendable {
  /// The reason why the lock could not be taken.
  package enum Failure: Error, Hashable, Sendable {
    /// Another program holds the lock; its process id, or `nil` when it is not in the file.
    case held(by: Int32?)
    /// The lock file could not be created or locked.
    case system(SQLiteError)
  }

  private let descriptor: Int32

  /// Takes the lock without waiting. The file remains when the lock is released.
  /// - Parameter path: The path of the lock file, not of the database.
  package init(path: String) throws(Failure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw .system(SQLiteError(errno: errno, path: path)) }
    do { try Self.take(descriptor, path) } catch {
      Self.giveBack(descriptor)
      throw error
    }
    PrivatePath.restrict(descriptor)
    // The process id only serves the other program's message: the lock holds without it, even on a
    // full disk.
    let text = "\(getpid())\n"
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.utf8.count, 0) }
    self.descriptor = descriptor
  }

  /// Checks whether another program holds the lock at `path`, without taking it: another program
  /// may take it right after.
  /// - Throws: `Failure`, also when there is no such file.
  package static func check(_ path: String) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw .system(SQLiteError(errno: errno, path: path)) }
    defer { giveBack(descriptor) }
    var wanted = wholeFile(F_WRLCK)
    guard fcntl(descriptor, getLock, &wanted) == 0 else {
      if errno == EINVAL { return try share(descriptor, path) }
      throw .system(SQLiteError(errno: errno, path: path))
    }
    guard wanted.l_type == Int16(F_UNLCK) else { throw .held(by: holder(in: descriptor)) }
    try share(descriptor, path)
  }

  deinit { Self.giveBack(descriptor) }

  // MARK: Locking

  // F_OFD_GETLK and F_OFD_SETLK, which Glibc's module omits: a lock that belongs to the open file,
  // not to the process, and that can be queried without taking it.
  private static let (getLock, setLock) = (Int32(36), Int32(37))

  private static func wholeFile(_ type: Int32) -> flock {
    flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 0, l_pid: 0)
  }

  private static func take(_ descriptor: Int32, _ path: String) throws(Failure) {
    var wanted = wholeFile(F_WRLCK)
    guard fcntl(descriptor, setLock, &wanted) == 0 else {
      // Where the system has no such locks, flock(2) alone has to suffice.
      if errno == EINVAL, flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      throw failure(descriptor, path)
    }
    try share(descriptor, path)
  }

  /// Takes a shared flock(2) lock, which earlier versions take exclusively: so neither version
  /// starts while the other runs, and two programs of this version do not block each other here.
  private static func share(_ descriptor: Int32, _ path: String) throws(Failure) {
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { throw failure(descriptor, path) }
  }

  /// Returns the reason why it could not be locked, by `errno`.
  private static func failure(_ descriptor: Int32, _ path: String) -> Failure {
    errno == EWOULDBLOCK || errno == EACCES
      ? .held(by: holder(in: descriptor)) : .system(SQLiteError(errno: errno, path: path))
  }

  /// Unlocks and closes the file. `close` alone does not suffice: a program that is being started
  /// at that moment may hold a copy of the descriptor.
  private static func giveBack(_ descriptor: Int32) {
    var nothing = wholeFile(F_UNLCK)
    _ = fcntl(descriptor, setLock, &nothing)
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  // MARK: Holder and claimants

  /// Records for the holder of the lock at `path` that this program wants the lock and is about to
  /// end the holder.
  /// - Throws: `SQLiteError` when the file cannot be opened or written.
  package static func claim(_ path: String) throws(SQLiteError) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw SQLiteError(errno: errno, path: path) }
    defer { close(descriptor) }
    let text = "\(getpid())\n"
    guard write(descriptor, text, text.utf8.count) == text.utf8.count else {
      throw SQLiteError(errno: errno, path: path)
    }
  }

  /// Returns the running program that claimed the lock at `path` last; `nil` when none has since it
  /// was taken.
  package static func claimant(of path: String) -> Int32? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return numbers(in: descriptor).dropFirst().last(where: isAlive)
  }

  /// Returns the holder of the lock as the file names it. A new holder may not have written its
  /// process id yet, so that the file still names the previous one.
  private static func holder(in descriptor: Int32) -> Int32? {
    numbers(in: descriptor).first.flatMap { isAlive($0) ? $0 : nil }
  }

  private static func isAlive(_ process: Int32) -> Bool {
    kill(process, 0) == 0 || errno == EPERM
  }

  /// Returns the process ids in a lock's file: the holder's, then those of the programs that
  /// claimed it.
  private static func numbers(in descriptor: Int32) -> [Int32] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return [] }
    return bytes[..<count].split(separator: UInt8(ascii: "\n")).compactMap {
      Int32(String(decoding: $0, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    }
  }
}
