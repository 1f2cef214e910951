import Dispatch
import FoundationEssentials
import Glibc

/// One run of another program: what it wrote and how it ended.
///
/// Everything that blocks is done on a queue of its own.
package struct ProgramRun: Sendable {
  /// What it wrote, and how it ended.
  package struct Result: Sendable {
    /// The exit status; 128 and the signal's number when a signal ended it.
    package let status: Int
    package let output: [UInt8]
    package let error: [UInt8]
    /// Whether it wrote more than was kept.
    package let isCut: Bool
  }

  /// Why there is no result.
  package enum Failure: Error { case notStarted, timedOut }

  let path: String
  let arguments: [String]
  /// What it reads.
  let input: [UInt8]
  /// What is kept of each stream, in bytes; the rest is read and dropped, so that the program does not wait.
  let outputLimit: Int

  package init(
    path: String, arguments: [String], input: [UInt8] = [], outputLimit: Int = 65536
  ) {
    self.path = path
    self.arguments = arguments
    self.input = input
    self.outputLimit = outputLimit
  }

  /// - Throws: `Failure`; a program that takes too long is killed.
  package func result(within limit: Duration) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "natter.program").async {
        continuation.resume(with: Swift.Result { try run(within: limit) })
      }
    }
  }

  private func run(within limit: Duration) throws -> Result {
    guard let end = try? ChildProcess.pipe() else { throw Failure.notStarted }
    defer { close(end.read) }
    guard let child = try? ChildProcess(path: path, arguments: arguments, input: input) else {
      close(end.write)
      throw Failure.notStarted
    }
    defer { child.close() }
    // Its streams may stay open longer than it runs: an agent that it started may hold them.
    DispatchQueue(label: "natter.program.end").async {
      child.waitForEnd()
      // A byte, not the pipe's end: a program that was started at the same time may hold that.
      _ = write(end.write, "x", 1)
      close(end.write)
    }
    var streams = [Stream(child.output), Stream(child.error), Stream(end.read)]
    let deadline = ContinuousClock.now + limit
    while streams[2].bytes.isEmpty {
      let left = deadline - ContinuousClock.now
      guard left > .zero else {
        child.kill()
        _ = child.collect()
        throw Failure.timedOut
      }
      Self.wait(for: streams, atMost: left)
      for index in streams.indices { streams[index].drain(limit: outputLimit) }
    }
    // What it wrote last is in the pipes now.
    for index in streams.indices { streams[index].drain(limit: outputLimit) }
    return Result(
      status: child.collect(), output: streams[0].bytes, error: streams[1].bytes,
      isCut: streams[0].isCut || streams[1].isCut)
  }

  private static func wait(for streams: [Stream], atMost left: Duration) {
    var descriptors = streams.map { stream in
      // A negative number is passed over.
      pollfd(fd: stream.isOpen ? stream.descriptor : -1, events: Int16(POLLIN), revents: 0)
    }
    let milliseconds = min(left / .milliseconds(1) + 1, 60_000)
    poll(&descriptors, nfds_t(descriptors.count), Int32(milliseconds))
  }

  /// The reading end of a pipe, without waiting.
  private struct Stream {
    let descriptor: Int32
    var bytes: [UInt8] = []
    var isOpen = true
    var isCut = false

    init(_ descriptor: Int32) {
      self.descriptor = descriptor
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Reads what is there.
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
