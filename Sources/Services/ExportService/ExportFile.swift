import Crypto
import FoundationEssentials
import Glibc
import System

/// A new file that appears under its name only when it is whole, readable by its owner only.
///
/// Until then it has the name `PATH.natter-part`, and a lock while it is written; a part that an
/// ended program left is overwritten. Only Natter has such names: `PATH.part` may be a file of the
/// user's.
package final class ExportFile {
  /// The name under which the file appears.
  package let path: String
  /// The name of the part that is being written.
  package let part: String
  private let mayReplace: Bool
  private var descriptor: CInt
  private var waiting: [UInt8] = []
  /// The bytes before `waiting`.
  private var written = 0

  /// The end of the name of a part.
  static let ending = ".natter-part"
  /// The most bytes that wait to be written.
  private static let limit = 64 << 10
  /// The most attempts to lock a part that other programs replace meanwhile.
  private static let attempts = 10

  /// Creates the part.
  /// - Parameter mayReplace: whether an existing file at `path` is replaced in the end.
  /// - Throws: `ExportFailure`.
  package init(_ path: String, mayReplace: Bool) throws(ExportFailure) {
    self.path = path
    self.mayReplace = mayReplace
    part = path + Self.ending
    try Self.check(path, mayReplace)
    descriptor = try Self.openPart(part, for: path)
  }

  deinit { abandon() }

  /// The bytes written so far.
  package var count: Int { written + waiting.count }

  /// Adds bytes.
  /// - Throws: `ExportFailure`.
  package func write(_ bytes: some Sequence<UInt8>) throws(ExportFailure) {
    waiting.append(contentsOf: bytes)
    if waiting.count >= Self.limit { try flush() }
  }

  /// Adds a line.
  /// - Throws: `ExportFailure`.
  package func print(_ line: String) throws(ExportFailure) {
    waiting.append(contentsOf: line.utf8)
    try write(CollectionOfOne(UInt8(ascii: "\n")))
  }

  /// Replaces bytes that were written before.
  /// - Throws: `ExportFailure`.
  func replace(at offset: Int, with bytes: [UInt8]) throws(ExportFailure) {
    try flush()
    try put(bytes, at: offset)
  }

  /// Removes everything from an offset on.
  /// - Throws: `ExportFailure`.
  func truncate(to offset: Int) throws(ExportFailure) {
    try flush()
    guard ftruncate(descriptor, off_t(offset)) == 0 else { throw failure(errno) }
    written = offset
  }

  /// Returns the SHA-256 of bytes that were written.
  /// - Throws: `ExportFailure`, `CryptoError`; `CancellationError`.
  func digest(from offset: Int, byteCount: Int) throws -> [UInt8] {
    try flush()
    let digest = try CryptoLibrary().hash(
      descriptor: descriptor, from: offset, byteCount: byteCount, by: .sha256,
      mayGoOn: { !Task.isCancelled })
    guard let digest else {
      try Task.checkCancellation()
      throw failure(EIO)
    }
    return digest
  }

  /// Gives the file its name: it is on the disk when this returns.
  /// - Throws: `ExportFailure`; the part is removed then.
  package func commit() throws(ExportFailure) {
    do throws(ExportFailure) {
      try flush()
      guard fsync(descriptor) == 0 else { throw failure(errno) }
      try rename()
    } catch {
      abandon()
      throw error
    }
    close(descriptor)
    descriptor = -1
    PrivateFile.syncFolder(of: path)
  }

  /// Another program may have created the file meanwhile: then a link fails, where a renaming would
  /// replace the file. Some file systems have no links.
  private func rename() throws(ExportFailure) {
    if !mayReplace, link(part, path) == 0 {
      unlink(part)
      return
    }
    try Self.check(path, mayReplace)
    guard Glibc.rename(part, path) == 0 else { throw failure(errno) }
  }

  /// Removes the part. Nothing can be written afterwards.
  package func abandon() {
    guard descriptor >= 0 else { return }
    // Before the lock ends: otherwise it might be another program's part.
    unlink(part)
    close(descriptor)
    descriptor = -1
  }

  private func flush() throws(ExportFailure) {
    guard !waiting.isEmpty else { return }
    let bytes = waiting
    waiting.removeAll(keepingCapacity: true)
    try put(bytes, at: written)
    written += bytes.count
  }

  private func put(_ bytes: [UInt8], at offset: Int) throws(ExportFailure) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(
          descriptor, buffer.baseAddress?.advanced(by: done), bytes.count - done,
          off_t(offset + done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(count < 0 ? errno : ENOSPC) }
      done += count
    }
  }

  private func failure(_ number: CInt) -> ExportFailure {
    // A limit of the size of files is a lack of room, too.
    .file(PrivateFile.Failure(path, errno: number == EFBIG ? ENOSPC : number))
  }

  /// Checks that nothing would be replaced unasked.
  private static func check(_ path: String, _ mayReplace: Bool) throws(ExportFailure) {
    var information = stat()
    guard lstat(path, &information) == 0 else {
      guard errno == ENOENT else { throw .file(PrivateFile.Failure(path, errno: errno)) }
      return
    }
    guard information.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
    guard mayReplace else { throw .exists(path: path) }
  }

  /// Opens the part as an empty file that only this program writes.
  /// - Parameter path: the name that errors have.
  private static func openPart(
    _ part: String, for path: String
  ) throws(ExportFailure) -> CInt {
    for _ in 0..<attempts {
      let descriptor = open(
        part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else {
        throw errno == ELOOP
          ? .notAFile(path: part) : .file(PrivateFile.Failure(path, errno: errno))
      }
      do throws(ExportFailure) {
        if try take(descriptor, of: part) { return descriptor }
      } catch {
        close(descriptor)
        throw error
      }
      close(descriptor)
    }
    throw .busy(path: part)
  }

  /// Locks and empties an open part.
  /// - Returns: `false` if the name is free again, or means another file.
  private static func take(_ descriptor: CInt, of part: String) throws(ExportFailure) -> Bool {
    var (opened, named) = (stat(), stat())
    guard fstat(descriptor, &opened) == 0 else {
      throw .file(PrivateFile.Failure(part, errno: errno))
    }
    guard opened.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: part) }
    // A complete file that has its name already: an ended program did not remove this one.
    guard opened.st_nlink < 2 else {
      unlink(part)
      return false
    }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      // Some file systems have no locks: then the part is written without one.
      guard [ENOLCK, ENOTSUP, ENOSYS].contains(errno) else { throw .busy(path: part) }
    }
    guard lstat(part, &named) == 0, named.st_ino == opened.st_ino, named.st_dev == opened.st_dev
    else { return false }
    guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
      throw .file(PrivateFile.Failure(part, errno: errno))
    }
    return true
  }
}
