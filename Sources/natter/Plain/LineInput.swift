import Dispatch
import Glibc

/// The lines of a descriptor as they are typed; ends with it, and when it is told to.
///
/// Read on a thread of its own that waits for them. A source of libdispatch would not do: of a pipe whose writer is gone it
/// tells once, with what is in it, and not again when that has been read, of `/dev/null` it never tells anything, and when a
/// writer goes it uses what it has freed at times, which ends the program.
nonisolated struct LineInput: Sendable {
  let lines: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  /// Begins to read. The descriptor stays the caller's, and open until the lines have ended.
  init(descriptor: CInt) {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    self.lines = lines
    self.continuation = continuation
    DispatchQueue(label: "natter.line-input").async { Self.read(descriptor, continuation) }
  }

  /// No more lines come; what waits for one more goes with it, or with the program.
  func end() { continuation.finish() }

  private static func read(_ descriptor: CInt, _ continuation: AsyncStream<String>.Continuation) {
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // Whoever started this program may have made the descriptor one that does not wait.
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&request, 1, -1) < 0, errno == EINTR { continue }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { break }
      pending += buffer[..<count]
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = StandardStreams.line(pending[..<end], of: descriptor)
        guard case .enqueued = continuation.yield(line) else { return }
        pending.removeFirst(end + 1)
      }
    }
    if !pending.isEmpty { continuation.yield(StandardStreams.line(pending, of: descriptor)) }
    continuation.finish()
  }
}
