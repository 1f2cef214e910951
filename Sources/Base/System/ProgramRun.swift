import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// One run of another program, with its output and exit status.
///
/// All blocking calls are made on a queue of their own.
package struct ProgramRun: Sendable {
  /// The output and the exit status.
  package struct Result: Sendable {
    /// The exit status; 128 plus the signal's number if a signal ended it.
    package let status: Int
    package let output: [UInt8]
    package let error: [UInt8]
    /// Indicates whether it wrote more than the limit.
    package let isCut: Bool
  }

  /// The reason why there is no result.
  package enum Failure: Error { case notStarted, timedOut }

  private let path: String
  private let arguments: [String]
  /// Its standard input.
  private let input: [UInt8]
  /// The maximum number of stored bytes for each stream; the rest is read and dropped, so that the
  /// program does not block.
  private let outputLimit: Int

  package init(
    path: String, arguments: [String], input: [UInt8] = [], outputLimit: Int = 65536
  ) {
    self.path = path
    self.arguments = arguments
    self.input = input
    self.outputLimit = outputLimit
  }

  /// - Throws: `Failure`, `CancellationError`; a program that exceeds the limit or whose task is
  ///   cancelled is killed.
  package func result(within limit: Duration) async throws -> Result {
    guard let bell = Bell() else { throw Failure.notStarted }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "natter.program").async {
          continuation.resume(with: Swift.Result { try run(within: limit, bell) })
          bell.close()
        }
      }
    } onCancel: {
      bell.ring(.cancelled)
    }
  }

  /// The running programs; `nil`: no more may be started.
  private static let running = Mutex<Set<pid_t>?>([])

  /// Kills all running programs and prevents further starts: the last step before this program
  /// exits. The waiting tasks may have no time left to do so.
  package static func endAll() {
    running.withLock { running in
      for identifier in running ?? [] { ChildProcess.kill(identifier) }
      running = nil
    }
  }

  /// After the collection, the process id may be reused: so `endAll` must not know it any more.
  private static func collect(_ child: ChildProcess) -> Int {
    running.withLock { _ = $0?.remove(child.identifier) }
    return child.collect()
  }

  private func run(within limit: Duration, _ bell: Bell) throws -> Result {
    let child = try start()
    defer { child.close() }
    // The streams may stay open after its exit: an agent that it started may hold them.
    DispatchQueue(label: "natter.program.end").async {
      child.waitForEnd()
      bell.ring(.ended)
    }
    var streams = [Stream(child.output), Stream(child.error), Stream(bell.read)]
    let deadline = ContinuousClock.now + limit
    while streams[2].bytes.isEmpty {
      let left = deadline - ContinuousClock.now
      guard left > .zero else {
        child.kill()
        _ = Self.collect(child)
        throw Failure.timedOut
      }
      Self.wait(for: streams, atMost: left)
      for index in streams.indices { streams[index].drain(limit: outputLimit) }
    }
    if streams[2].bytes.contains(Bell.Ring.cancelled.rawValue) {
      child.kill()
      _ = Self.collect(child)
      throw CancellationError()
    }
    // Its last output is in the pipes now.
    for index in streams.indices { streams[index].drain(limit: outputLimit) }
    return Result(
      status: Self.collect(child), output: streams[0].bytes, error: streams[1].bytes,
      isCut: streams[0].isCut || streams[1].isCut)
  }

  /// Starts the program; retries while its file is open for writing (ETXTBSY).
  private func start() throws -> ChildProcess {
    for _ in 0..<50 {
      do {
        return try Self.running.withLock { running in
          guard running != nil else { throw Failure.notStarted }
          let child = try ChildProcess(path: path, arguments: arguments, input: input)
          running?.insert(child.identifier)
          return child
        }
      } catch {
        guard (error as? POSIXError)?.code == .ETXTBSY else { throw Failure.notStarted }
        poll(nil, 0, 10)
      }
    }
    throw Failure.notStarted
  }

  private static func wait(for streams: [Stream], atMost left: Duration) {
    var descriptors = streams.map { stream in
      // Negative descriptors are ignored.
      pollfd(fd: stream.isOpen ? stream.descriptor : -1, events: Int16(POLLIN), revents: 0)
    }
    let milliseconds = min(left / .milliseconds(1) + 1, 60_000)
    poll(&descriptors, nfds_t(descriptors.count), Int32(milliseconds))
  }

  /// Wakes the queue that waits for a program.
  private final class Bell: Sendable {
    enum Ring: UInt8 { case ended = 1, cancelled }
    let read: Int32
    /// `nil` after closing.
    private let write: Mutex<Int32?>

    init?() {
      guard let pipe = try? OwnPipe() else { return nil }
      read = pipe.read
      write = Mutex(pipe.write)
    }

    /// Writes a byte instead of closing the pipe: the byte says which of the two it is.
    func ring(_ ring: Ring) {
      write.withLock { descriptor in
        guard let descriptor else { return }
        var byte = ring.rawValue
        _ = Glibc.write(descriptor, &byte, 1)
      }
    }

    func close() {
      write.withLock { descriptor in
        guard let open = descriptor else { return }
        descriptor = nil
        Glibc.close(open)
        Glibc.close(read)
      }
    }
  }

  /// The reading end of a pipe, non-blocking.
  private struct Stream {
    let descriptor: Int32
    var bytes: [UInt8] = []
    var isOpen = true
    var isCut = false

    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Reads all available bytes.
    mutating func drain(limit: Int) {
      var chunk = [UInt8](repeating: 0, count: 16384)
      while isOpen {
        let count = read(descriptor, &chunk, chunk.count)
        if count > 0 {
          let room = max(0, limit - bytes.count)
          if count > room { isCut = true }
          bytes += chunk[..<min(count, room)]
        } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
          isOpen = false
        } else if errno == EAGAIN {
          return
        }
      }
    }
  }
}
