import Dispatch
import Glibc
import Synchronization

/// The lines of a descriptor as they are typed; ends with it, and with `end`.
///
/// A line is read when it is asked for: while one line of a script waits for a server, those behind
/// it stay where they are, except for the rest of one read. Lines of a terminal are read earlier
/// (`typedAhead`): a question for a password discards what the terminal still has.
///
/// Read on a separate, blocking thread. A source of libdispatch does not work: for a pipe without a
/// writer it fires once, with the remaining contents, and not again when these have been read; for
/// `/dev/null` it never fires; and when a writer closes, it sometimes uses freed memory, which
/// crashes the program.
nonisolated struct LineInput: Sendable {
  let lines: AsyncStream<String>
  private let reader: LineReader
  /// The most lines of a terminal that are read before they are asked for.
  private static let typedAhead = 1000

  /// Starts to read. The descriptor stays the caller's, and open until the lines have ended.
  init(descriptor: CInt) {
    let (read, continuation) = AsyncStream<String>.makeStream()
    let reader = LineReader(descriptor, continuation)
    self.reader = reader
    if isatty(descriptor) != 0 { for _ in 0..<Self.typedAhead { reader.request() } }
    lines = AsyncStream {
      reader.request()
      return await read.first { _ in true }
    }
  }

  /// Ends the lines; the thread that waits for the next one ends with it, or with the program.
  func end() { reader.end() }
}

/// Reads a line for each request, one after the other on a queue of its own.
private nonisolated final class LineReader: Sendable {
  private struct Bytes {
    /// Read, and not part of a line yet.
    var rest: ArraySlice<UInt8> = []
    /// Indicates whether the descriptor has ended: a terminal would be read on after that.
    var hasEnded = false
    var buffer = [UInt8](repeating: 0, count: LineReader.chunk)
  }

  /// The most bytes of one read.
  static let chunk = 4096
  private let descriptor: CInt
  private let continuation: AsyncStream<String>.Continuation
  private let queue = DispatchQueue(label: "natter.line-input")
  /// Used on the queue only.
  private let bytes = Mutex(Bytes())
  private let isOver = Mutex(false)

  init(_ descriptor: CInt, _ continuation: AsyncStream<String>.Continuation) {
    self.descriptor = descriptor
    self.continuation = continuation
  }

  func request() {
    queue.async { [self] in
      guard !isOver.withLock({ $0 }) else { return }
      if let line = bytes.withLock({ nextLine(&$0) }) { continuation.yield(line) } else { end() }
    }
  }

  func end() {
    isOver.withLock { $0 = true }
    continuation.finish()
  }

  /// Blocks until there is a whole line, or the last one.
  /// - Returns: `nil` at the end.
  private func nextLine(_ bytes: inout Bytes) -> String? {
    guard !bytes.hasEnded else { return nil }
    var line: [UInt8] = []
    while true {
      if let end = bytes.rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += bytes.rest[..<end]
        bytes.rest = bytes.rest[(end + 1)...]
        return StandardStreams.line(line, of: descriptor)
      }
      // Bytes that were looked at contain no line end.
      line += bytes.rest
      bytes.rest = []
      // The parent process may have set the descriptor to non-blocking.
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&request, 1, -1) < 0, errno == EINTR { continue }
      let count = Glibc.read(descriptor, &bytes.buffer, bytes.buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else {
        bytes.hasEnded = true
        return line.isEmpty ? nil : StandardStreams.line(line, of: descriptor)
      }
      bytes.rest = bytes.buffer[..<count]
    }
  }
}
