import Dispatch
import FoundationEssentials
import Glibc

/// Small files that only their owner may read, replaced as a whole or not at all.
package enum PrivateFile {
  package struct Failure: Error, Hashable, Sendable {
    package enum FailureReason: Hashable, Sendable {
      case full, notAllowed, tooLarge, readOnly, other
    }
    /// The path that the user is shown.
    package var path: String
    package let kind: FailureReason
    /// The number of the system's error, for `{reason:system}` of a text.
    package let reason: String

    package init(_ path: String, errno number: Int32) {
      self.path = path
      reason = String(number)
      kind =
        switch number {
        case ENOSPC, EDQUOT: .full
        case EACCES, EPERM, EROFS: .notAllowed
        default: .other
        }
    }

    init(readOnly path: String) {
      self.path = path
      kind = .readOnly
      reason = String(EACCES)
    }

    init(tooLarge path: String, limit: Int) {
      self.path = path
      kind = .tooLarge
      reason = String(EFBIG)
    }
  }

  /// Returns the file's content; `nil` if it does not exist.
  /// - Parameter prepare: called with the open file before it is read.
  package static func read(
    _ path: String, limit: Int, prepare: (Int32) throws(Failure) -> Void = { _ in }
  ) throws(Failure) -> Data? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Failure(path, errno: errno)
    }
    defer { close(descriptor) }
    try prepare(descriptor)
    var content = Data()
    var chunk = [UInt8](repeating: 0, count: 16384)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return content }
      if count < 0 {
        if errno == EINTR { continue }
        throw Failure(path, errno: errno)
      }
      content.append(contentsOf: chunk[..<count])
      guard content.count <= limit else { throw Failure(tooLarge: path, limit: limit) }
    }
  }

  /// Replaces a file that the user edits, too: keeps its permissions, and does not change a
  /// read-only file. Of a symbolic link the target is replaced. A missing file is created with
  /// 0600.
  package static func replaceKeepingMode(_ path: String, with content: Data) throws(Failure) {
    let path = URL(filePath: path).resolvingSymlinksInPath().path
    var information = stat()
    guard stat(path, &information) == 0 else {
      guard errno == ENOENT else { throw Failure(path, errno: errno) }
      return try replace(path, with: content)
    }
    // Replacing a file does not require permission to write it. The bits are checked too: root may
    // write everything.
    guard information.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH) != 0, access(path, W_OK) == 0 else {
      throw Failure(readOnly: path)
    }
    try replace(path, with: content, mode: information.st_mode & 0o777)
  }

  /// Replaces the content of `path`: it is on the disk when this returns, and never partially.
  /// - Parameter mode: the permissions.
  package static func replace(
    _ path: String, with content: Data, mode: mode_t = 0o600
  ) throws(Failure) {
    // A unique name, so that two concurrent writers do not write into the same file.
    let part = "\(path).\(getpid())-\(UInt32.random(in: 0...UInt32.max)).part"
    try makeDirectory(URL(filePath: path).deletingLastPathComponent().path)
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure(path, errno: errno) }
    var failure: Int32?
    if fchmod(descriptor, mode) != 0 { failure = errno }
    content.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = write(
          descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          failure = errno
          return
        }
        written += count
      }
    }
    if failure == nil, fsync(descriptor) != 0 { failure = errno }
    if close(descriptor) != 0, failure == nil { failure = errno }
    if failure == nil, rename(part, path) != 0 { failure = errno }
    if let failure {
      unlink(part)
      throw Failure(path, errno: failure)
    }
    syncFolder(of: path)
  }

  /// Writes the name of a new file to the disk, where the file system can do that. Only the name
  /// can still be lost, and only by a power failure: that does not justify an error.
  package static func syncFolder(of path: String) {
    let folder = open(
      URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  /// Waits for exclusive access to change the file, among all tasks and processes; the lock lasts
  /// until the result is released.
  ///
  /// The lock is on an empty file beside it: the file itself is replaced by another one at each
  /// change.
  /// - Throws: `Failure` if another process holds it for longer than a change can take.
  package static func locked(_ path: String) async throws(Failure) -> Lock {
    try makeDirectory(URL(filePath: path).deletingLastPathComponent().path)
    let lock = Lock(open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600))
    guard lock.descriptor >= 0 else { throw Failure(path, errno: errno) }
    var tries = 0
    while flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK:
        // A change takes milliseconds; a process that was stopped during one must not block this
        // one forever.
        guard tries < lockTries else { throw Failure(path, errno: EBUSY) }
        tries += 1
        await pause()
      // Some file systems have no locks: then the change proceeds without one.
      case ENOLCK, ENOTSUP, ENOSYS: return lock
      default: throw Failure(path, errno: errno)
      }
    }
    return lock
  }

  /// Ten seconds, in steps of five milliseconds.
  private static let lockTries = 2000

  /// Does `change` with exclusive access to change the files in the directory of `path`, among all
  /// callers of this method in all processes. It waits for another one without suspending, because
  /// the main actor changes small files in the middle of its work.
  ///
  /// The lock is on the directory: it leaves no file among those that the user edits.
  /// - Throws: `Failure` if another process holds it for longer than a change can take; the errors
  ///   of `change`.
  package static func changing<Result>(_ path: String, _ change: () throws -> Result) throws
    -> Result
  {
    let directory = URL(filePath: path).deletingLastPathComponent().path
    // If it cannot be opened, the change itself creates it, or reports what is wrong.
    let lock = Lock(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    defer { withExtendedLifetime(lock) {} }
    var tries = 0
    while lock.descriptor >= 0, flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0 {
      // Some file systems have no such locks: then the change proceeds without one.
      guard errno == EWOULDBLOCK || errno == EINTR else { break }
      guard tries < directoryTries else { throw Failure(path, errno: EBUSY) }
      tries += 1
      poll(nil, 0, directoryPause)
    }
    return try change()
  }

  /// Half a second, in steps of five milliseconds.
  private static let (directoryTries, directoryPause) = (100, Int32(5))

  /// Not cancellable: even a cancelled task has to store its data.
  private static func pause() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(5)) {
        continuation.resume()
      }
    }
  }

  /// The lock on a file, as long as the object exists.
  package final class Lock: Sendable {
    fileprivate let descriptor: Int32
    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }
    // `close` alone does not suffice: a program that is being started at that moment may hold a
    // copy of the descriptor.
    deinit {
      guard descriptor >= 0 else { return }
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
  }

  /// Creates `path` and its missing parents, with 0700.
  package static func makeDirectory(_ path: String) throws(Failure) {
    var information = stat()
    if stat(path, &information) == 0 { return }
    let parent = URL(filePath: path).deletingLastPathComponent().path
    if parent != path, path != "/" { try makeDirectory(parent) }
    if mkdir(path, 0o700) == 0 {
      chmod(path, 0o700)
    } else if errno != EEXIST {
      throw Failure(path, errno: errno)
    }
  }
}

/// Small text files.
package enum PrivateText {
  /// Replaces a file that the user edits, too, by the rules of `PrivateFile.replaceKeepingMode`.
  /// - Returns: `true` on success; otherwise the file is as it was.
  package static func replaceEdited(_ path: String, with text: String) -> Bool {
    do {
      try PrivateFile.replaceKeepingMode(path, with: Data(text.utf8))
      return true
    } catch {
      return false
    }
  }

  /// Replaces a file of the program's own at `path`, with 0600, as a whole or not at all.
  /// - Returns: `true` on success.
  package static func write(_ text: String, to path: String) -> Bool {
    do {
      try PrivateFile.replace(path, with: Data(text.utf8))
      return true
    } catch {
      return false
    }
  }
}
