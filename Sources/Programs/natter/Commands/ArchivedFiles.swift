import Crypto
import FileService
import Glibc
import ImportService
import NatterCore
import Storage

/// Puts the downloaded files of an archive into the folder of downloads, for a restored account.
///
/// Paths in an archive only say which files belong together: the name of a file is its last part,
/// made safe, and no file is replaced.
nonisolated struct ArchivedFiles {
  struct Outcome: Hashable {
    /// The files that are there now.
    var restored = 0
    /// The files of the archive that could not be put there.
    var lost = 0
  }

  let archive: AccountArchive
  /// The folder of downloads, an absolute path.
  let folder: String

  /// Puts the files of the account's downloads into the folder, and has the downloads point to
  /// them. After an error of the disk, or when the task is cancelled, all others count as lost.
  /// - Throws: `StorageError` if the account could not be read or written.
  func run(_ account: AccountDatabase) async throws -> Outcome {
    var outcome = Outcome()
    guard archive.fileCount > 0 else { return outcome }
    // The same content once, as in the archive.
    var paths: [String: String] = [:]
    var moved: [[UInt8]: String] = [:]
    var isBroken = false
    for former in try await account.exports.downloadedPaths() {
      guard let file = archive.downloadedFile(former) else { continue }
      guard !isBroken else {
        outcome.lost += 1
        continue
      }
      do {
        let path = try paths[file.digest] ?? put(file, named: former)
        moved[Array(former.utf8)] = path
        if paths.updateValue(path, forKey: file.digest) == nil { outcome.restored += 1 }
      } catch {
        (isBroken, outcome.lost) = (true, outcome.lost + 1)
      }
    }
    try await account.exports.setDownloadedPaths(moved)
    return outcome
  }

  /// Writes a file under its name, or one with a number.
  /// - Returns: its path.
  /// - Throws: `NatterError`, `ImportFailure`, `CryptoError`, `CancellationError`. There is no file
  ///   then.
  private func put(_ file: AccountArchive.DownloadedFile, named former: String) throws -> String {
    let path = folder + "/" + (SharedFile.safe(former) ?? "file")
    if try isThere(file, path) { return path }
    let target = TargetFile(path: path, part: "import-" + randomIdentifier(byteCount: 9))
    do {
      let (descriptor, _) = try target.openPart()
      defer { close(descriptor) }
      try archive.read(file) { try Self.write($0, to: descriptor) }
      // The archive may have changed since it was checked.
      guard try Self.digest(of: descriptor, file.byteCount) == file.digest else {
        throw ImportFailure.archive(path: archive.path)
      }
      guard fsync(descriptor) == 0 else { throw Self.unwritable() }
      return try target.finish()
    } catch {
      target.removePart()
      throw error
    }
  }

  /// Indicates whether a regular file with the same content has the path already, as where the
  /// account was restored before.
  private func isThere(_ file: AccountArchive.DownloadedFile, _ path: String) throws -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      Int(facts.st_size) == file.byteCount
    else { return false }
    return try Self.digest(of: descriptor, file.byteCount) == file.digest
  }

  private static func digest(of descriptor: CInt, _ byteCount: Int) throws -> String? {
    try CryptoLibrary().hash(
      descriptor: descriptor, byteCount: byteCount, by: .sha256, mayGoOn: { !Task.isCancelled }
    ).map { hex($0) }
  }

  private static func write(_ bytes: [UInt8], to descriptor: CInt) throws {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), bytes.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unwritable() }
      done += count
    }
  }

  private static func unwritable() -> NatterError {
    NatterError(.storage, "error.files.unwritable", ["reason": String(errno)])
  }
}
