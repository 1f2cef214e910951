import Dispatch
import Glibc

/// Reports when nothing reads a pipe any more, before something is written into it.
package final class ReaderWatch: Sendable {
  /// Ends when the last reader has closed the pipe, and with this object.
  package let reading: AsyncStream<Never>
  private let queue = DispatchQueue(label: "natter.reader")
  private let source: DescriptorSource

  /// Returns `nil` for a descriptor that is no pipe.
  /// - Parameter descriptor: of the writing end; it stays open as long as this object.
  package init?(_ descriptor: CInt) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    let (reading, continuation) = AsyncStream<Never>.makeStream()
    self.reading = reading
    // The writing end can never be read: only its error is reported.
    let source = DescriptorSource(
      descriptor: descriptor, queue: queue, onReadable: { continuation.finish() })
    self.source = source
    queue.async { source.armRead() }
  }

  deinit {
    let source = source
    queue.async { source.cancel {} }
  }

  /// Returns when nothing reads the pipe any more, or the task is cancelled.
  package func ended() async { for await _ in reading {} }
}
