import Foundation
import JSONLines
import NatterCore
import Synchronization
import TestSupport

@testable import ScriptService

/// Starts real programs, not confined, with pipes.
final class PipedStarter: ScriptStarting {
  let confinement = ScriptConfinement.open
  private let started = Observed<[PipedScript]>([])

  func start(_ program: ScriptProgram) async throws(ScriptStartError) -> any ScriptProcess {
    do {
      try FileManager.default.createDirectory(
        atPath: program.storage, withIntermediateDirectories: true)
      let script = try PipedScript(program)
      started.update { $0.append(script) }
      return script
    } catch {
      throw ScriptStartError(StatusNotice(.error, "\(error)"))
    }
  }

  /// Waits until so many were started.
  func waits(for count: Int) async -> Bool { await started.waits { $0.count >= count } }
  var all: [PipedScript] { started.value }
}

/// A program of a script with pipes.
final class PipedScript: ScriptProcess {
  private let child: ChildProcess
  let streams: PipedStreams
  let errors: AsyncStream<LineSplitter.Line>

  init(_ program: ScriptProgram) throws {
    let pipes = try (0..<3).map { _ in try Self.pipe() }
    child = try ChildProcess(
      program.command[0], Array(program.command.dropFirst()),
      environment: ["PATH": Programs.searchPath, "LANG": "C.UTF-8"], directory: program.storage,
      descriptors: (pipes[0].read, pipes[1].write, pipes[2].write))
    for end in [pipes[0].read, pipes[1].write, pipes[2].write] { close(end) }
    streams = PipedStreams(reading: pipes[1].read, writing: pipes[0].write)
    errors = PipedStreams.lines(of: pipes[2].read)
  }

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  var processID: Int32 { child.identifier }
  var connection: any BridgeConnection { streams }

  func signal(_ number: Int32) { child.signal(number) }
  func usage() async -> (memory: Int, processor: Duration)? {
    child.status == nil ? (0, .zero) : nil
  }

  func exceeds(tasks limit: Int) async -> Bool { false }

  func exit() async -> ScriptExit {
    switch await child.waitsForEnd(upTo: .seconds(200)) {
    case .exited(let status): .status(Int(status))
    case .signalled(let number): .signal(Int(number))
    case nil: .status(-1)
    }
  }
}

/// The standard input and output of a program.
final class PipedStreams: BridgeConnection {
  private struct Input {
    var isClosed = false
    var lines = 0
  }

  let lines: AsyncStream<LineSplitter.Line>
  private let input = Mutex(Input())
  private let descriptor: Int32
  /// Writes block: they wait for the program.
  private let queue = DispatchQueue(label: "test.script")

  init(reading: Int32, writing: Int32) {
    (descriptor, lines) = (writing, Self.lines(of: reading))
  }

  var isOpen: Bool { input.withLock { !$0.isClosed } }

  func send(_ line: String) -> Bool {
    let fits = input.withLock { input in
      guard !input.isClosed, input.lines < 1000 else { return false }
      input.lines += 1
      return true
    }
    guard fits else { return false }
    queue.async { [self] in
      Array((line + "\n").utf8).withUnsafeBytes { _ = writeToPipe(descriptor, $0) }
      input.withLock { $0.lines -= 1 }
    }
    return true
  }

  func waitForRoom(for line: String) async {
    _ = try? await polls(upTo: .seconds(5)) { input.withLock { $0.isClosed || $0.lines < 1000 } }
  }

  func close() {
    let isFirst = input.withLock { input in
      defer { input.isClosed = true }
      return !input.isClosed
    }
    if isFirst { queue.async { [descriptor] in Foundation.close(descriptor) } }
  }

  /// Returns the lines of a pipe, read only as they are taken.
  static func lines(of descriptor: Int32) -> AsyncStream<LineSplitter.Line> {
    let reader = PipeReader(descriptor)
    return AsyncStream { await reader.next() }
  }
}

/// Reads the lines of a pipe, and closes it at its end.
private final class PipeReader: Sendable {
  private struct State {
    var splitter = LineSplitter()
    var waiting: [LineSplitter.Line] = []
    var isAtEnd = false
  }

  private let descriptor: Int32
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "test.script.output")

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  func next() async -> LineSplitter.Line? {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: self.read()) }
    }
  }

  /// Blocks until there is a line.
  private func read() -> LineSplitter.Line? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let (line, isAtEnd) = state.withLock { state in
        (state.waiting.isEmpty ? nil : state.waiting.removeFirst(), state.isAtEnd)
      }
      if line != nil || isAtEnd { return line }
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      state.withLock { state in
        if count > 0 {
          state.waiting += state.splitter.take(buffer[..<count])
        } else {
          state.isAtEnd = true
        }
      }
    }
  }
}
