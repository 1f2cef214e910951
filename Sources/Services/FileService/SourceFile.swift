import Glibc
import NatterCore

/// A file of the user, open for sending, so that a replaced path does not change the content.
final class SourceFile: Sendable {
  let descriptor: CInt
  let byteCount: Int
  private let changed: (Int, Int)

  /// - Throws: `NatterError` for a file that is missing, unreadable or empty, and for a folder,
  ///   device or pipe.
  init(_ path: String) throws {
    // Non-blocking, because opening a pipe would wait for a writer.
    let descriptor = open(
      try DiskPath.bytes(of: path), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let key =
        switch errno {
        case ENOENT, ENOTDIR: "error.files.missing"
        case EACCES, EPERM: "error.files.forbidden"
        default: "error.files.noFile"
        }
      throw NatterError(.invalidInput, key, ["path": path])
    }
    var found = stat()
    guard fstat(descriptor, &found) == 0 else {
      Glibc.close(descriptor)
      throw NatterError(.invalidInput, "error.files.noFile", ["path": path])
    }
    var key: String?
    switch found.st_mode & S_IFMT {
    case S_IFREG: if found.st_size == 0 { key = "error.files.empty" }
    case S_IFDIR: key = "error.files.folder"
    default: key = "error.files.noFile"
    }
    if let key {
      Glibc.close(descriptor)
      throw NatterError(.invalidInput, key, ["path": path])
    }
    self.descriptor = descriptor
    byteCount = Int(found.st_size)
    changed = (found.st_mtim.tv_sec, found.st_mtim.tv_nsec)
  }

  deinit { Glibc.close(descriptor) }

  /// Indicates whether the size and the modification time are the same as when the file was opened.
  var isUnchanged: Bool {
    var now = stat()
    return fstat(descriptor, &now) == 0 && Int(now.st_size) == byteCount
      && changed == (now.st_mtim.tv_sec, now.st_mtim.tv_nsec)
  }
}
