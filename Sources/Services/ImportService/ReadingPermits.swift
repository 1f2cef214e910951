import CLinux
import Glibc

/// A pipe whose bytes are permits: reading one blocks until there is one.
///
/// A history is read by synchronous code on a thread of its own, which has to stop while its pieces
/// are stored: otherwise they would fill the memory.
final class ReadingPermits: Sendable {
  private let input: Int32
  private let output: Int32

  /// - Throws: `ImportFailure.unreadable` if there are too many open files.
  init(path: String) throws(ImportFailure) {
    var descriptors: [Int32] = [-1, -1]
    guard pipe2(&descriptors, O_CLOEXEC) == 0 else { throw .unreadable(path: path, errno: errno) }
    (input, output) = (descriptors[0], descriptors[1])
  }

  deinit {
    close(input)
    close(output)
  }

  /// Adds a permit. There are never so many that the pipe is full.
  func add() {
    var byte: UInt8 = 0
    while write(output, &byte, 1) < 0, errno == EINTR {}
  }

  /// Takes a permit; blocks until there is one.
  func take() {
    var byte: UInt8 = 0
    while read(input, &byte, 1) < 0, errno == EINTR {}
  }
}
