import Dispatch
import Glibc

/// The lines of a descriptor as they are typed; ends with it, and with `end`.
///
/// Read on a separate, blocking thread. A source of libdispatch does not work: for a pipe without a
/// writer it fires once, with the remaining contents, and not again when these have been read; for
/// `/dev/null` it never fires; and when a writer closes, it sometimes uses freed memory, which
/// crashes the program.
nonisolated struct LineInput: Sendable {
  let lines: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  /// Starts to read. The descriptor stays the caller's, and open until the lines have ended.
  init(descriptor: CInt) {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    self.lines = lines
    self.continuation = continuation
    DispatchQueue(label: "natter.line-input").async { Self.read(descriptor, continuation) }
  }

  /// Ends the lines; the thread that waits for the next one ends with it, or with the program.
  func end() { continuation.finish() }

  private static func read(_ descriptor: CInt, _ continuation: AsyncStream<String>.Continuation) {
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // The parent process may have set the descriptor to non-blocking.
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&request, 1, -1) < 0, errno == EINTR { continue }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { break }
      var rest = buffer[..<count]
      // Earlier bytes contain no line end.
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        pending += rest[..<end]
        let line = StandardStreams.line(pending, of: descriptor)
        guard case .enqueued = continuation.yield(line) else { return }
        pending = []
        rest = rest[(end + 1)...]
      }
      pending += rest
    }
    if !pending.isEmpty { continuation.yield(StandardStreams.line(pending, of: descriptor)) }
    continuation.finish()
  }
}
