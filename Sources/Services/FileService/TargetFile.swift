import Glibc
import NatterCore

/// The destination of a download: a hidden partial file in the same folder until it is complete.
package struct TargetFile: Sendable {
  let folder: String
  private let name: String
  /// The identifier that distinguishes the partial files of two downloads to the same path.
  private let part: String

  /// - Parameters:
  ///   - path: absolute; its name is safe already.
  ///   - part: the identifier of the partial file, unique among the downloads into the same folder.
  package init(path: String, part: String) {
    // By bytes and scalars: a combining mark after the slash forms one character with it.
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    folder = String(path[..<slash])
    name = String(path[slash...].unicodeScalars.dropFirst())
    self.part = part
  }

  var partPath: String { "\(folder)/.natter-\(part).part" }

  /// Opens the partial file with its existing content.
  /// - Returns: a descriptor, which the caller closes, and the number of bytes in the file.
  /// - Throws: `NatterError`.
  package func openPart() throws -> (descriptor: CInt, byteCount: Int) {
    try makeFolder()
    // `O_NOFOLLOW`: a symbolic link of that name must not redirect the download.
    let descriptor = open(partPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.unwritable() }
    var found = stat()
    guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
      Glibc.close(descriptor)
      throw Self.unwritable()
    }
    return (descriptor, Int(found.st_size))
  }

  /// Copies all of `source` into the partial file. Blocks on the disk.
  /// - Throws: `NatterError`.
  func fill(from source: SourceFile) throws {
    let (descriptor, _) = try openPart()
    defer { Glibc.close(descriptor) }
    guard ftruncate(descriptor, 0) == 0 else { throw Self.unwritable() }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var offset = 0
    while offset < source.byteCount {
      let count = buffer.withUnsafeMutableBytes {
        pread(source.descriptor, $0.baseAddress, $0.count, offset)
      }
      if count < 0, errno == EINTR { continue }
      // The source became shorter; the caller detects the change.
      guard count > 0 else { break }
      var written = 0
      while written < count {
        let more = buffer.withUnsafeBytes {
          pwrite(
            descriptor, $0.baseAddress?.advanced(by: written), count - written, offset + written)
        }
        if more < 0, errno == EINTR { continue }
        guard more > 0 else { throw Self.unwritable() }
        written += more
      }
      offset += count
    }
    guard fsync(descriptor) == 0 else { throw Self.unwritable() }
  }

  /// Removes the partial file.
  package func removePart() { unlink(partPath) }

  /// Gives the partial file its name, or that name with a number: no file is overwritten.
  /// - Returns: the final path.
  /// - Throws: `NatterError`; the partial file stays then.
  package func finish() throws -> String {
    for attempt in 1...999 {
      let path = "\(folder)/\(numbered(attempt))"
      let reserved = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if reserved < 0 {
        if errno == EEXIST { continue }
        throw Self.unwritable()
      }
      Glibc.close(reserved)
      // The rename replaces only the empty file that was created above.
      guard rename(partPath, path) == 0 else {
        let error = Self.unwritable()
        unlink(path)
        throw error
      }
      return path
    }
    throw NatterError(.storage, "error.files.unwritable", ["reason": name])
  }

  /// Returns `rose.png`, `rose (2).png`, ...
  private func numbered(_ attempt: Int) -> String {
    guard attempt > 1 else { return name }
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return "\(name) (\(attempt))"
    }
    return "\(name[..<dot]) (\(attempt))\(name[dot...])"
  }

  private func makeFolder() throws {
    var made = ""
    // By bytes: a name may begin with a mark, which forms one character with the slash.
    for part in folder.utf8.split(separator: UInt8(ascii: "/")) {
      made += "/" + String(Substring(part))
      if mkdir(made, 0o755) != 0, errno != EEXIST, access(made, F_OK) != 0 {
        throw Self.unwritable()
      }
    }
  }

  private static func unwritable() -> NatterError {
    errno == ENOSPC || errno == EDQUOT
      ? NatterError(.storage, "error.files.diskFull")
      : NatterError(
        .storage, "error.files.unwritable", ["reason": String(errno)])
  }
}
