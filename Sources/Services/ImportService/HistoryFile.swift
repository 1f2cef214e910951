import Glibc

/// A file of a history, which is only read.
final class HistoryFile: Sendable {
  /// A line of a text file.
  enum Line: Hashable {
    /// A line without its line feed, and without a carriage return before that.
    case text([UInt8])
    /// A line over the limit was skipped.
    case tooLong
    /// The end of the file comes before the line's: the rest may be missing.
    case cutOff([UInt8])
  }

  static let pieceByteCount = 64 << 10

  let path: String
  let descriptor: CInt
  /// The size when it was opened, in bytes.
  let byteCount: Int

  /// - Throws: `ImportFailure.unreadable`, also for anything that is no regular file.
  init(_ path: String) throws(ImportFailure) {
    self.path = path
    // A pipe must not make it wait.
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(path: path, errno: errno) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unreadable(path: path, errno: facts.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    byteCount = Int(facts.st_size)
  }

  deinit { close(descriptor) }

  /// Returns at most `count` bytes from `offset` on; fewer only at the end of the file.
  func bytes(at offset: Int, count: Int = pieceByteCount) throws(ImportFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let number = bytes.withUnsafeMutableBytes {
        pread(
          descriptor, $0.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
      }
      if number < 0, errno == EINTR { continue }
      guard number >= 0 else { throw .unreadable(path: path, errno: errno) }
      guard number > 0 else { break }
      filled += number
    }
    bytes.removeLast(count - filled)
    return bytes
  }

  /// Returns the first bytes of a file, by which its format is recognized; none of a file that
  /// cannot be read.
  static func beginning(of path: String, count: Int = 4096) -> [UInt8] {
    (try? HistoryFile(path).bytes(at: 0, count: count)) ?? []
  }

  /// Calls `take` with each line and its number, from 1 on.
  /// - Parameter limit: the length of the longest line that is read, in bytes.
  /// - Throws: `ImportFailure.unreadable`, and what `take` throws.
  func lines(limit: Int, _ take: (Int, Line) throws -> Void) throws {
    // One more: a carriage return does not count.
    var reader = LineReader(self, limit: limit + 1)
    while let line = try reader.next() {
      var bytes = line.bytes
      if line.hasEnd, bytes.last == 0x0D { bytes.removeLast() }
      let isTooLong = line.isTooLong || bytes.count > limit
      try take(
        line.number, isTooLong ? .tooLong : line.hasEnd ? .text(bytes) : .cutOff(bytes))
    }
  }
}

extension ImportFailure {
  static func unreadable(path: String, errno number: CInt) -> ImportFailure {
    .unreadable(path: path, reason: String(number))
  }
}
