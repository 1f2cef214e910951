import Glibc

/// The contents of files. Foundation's way to read them takes too long for the startup.
nonisolated enum FileContents {
  /// The text of a file; `nil` where it cannot be read, or is not UTF-8.
  static func text(of path: String) -> String? {
    var bytes: [UInt8] = []
    guard append(path, to: &bytes) else { return nil }
    // Skips the byte order mark that some editors write, which is not part of the text.
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    return String(validating: bytes[start...], as: UTF8.self)
  }

  /// Reads a file and appends it to `bytes`.
  /// - Returns: `false` where it cannot be read; `errno` has the reason.
  static func append(_ path: String, to bytes: inout [UInt8]) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    while true {
      let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { chunk in
        let count = read(descriptor, chunk.baseAddress, chunk.count)
        if count > 0 { bytes.append(contentsOf: chunk[..<count]) }
        return count
      }
      if count == 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }
}
