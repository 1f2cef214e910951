import Foundation
import Synchronization

/// A program as a child that reads lines from a pipe and writes lines to two others.
package final class PipedProgram: Sendable {
  private let child: ChildProcess
  private let input: Mutex<Int32>

  /// - Parameters:
  ///   - take: gets each line of its output, with a function that sends it lines, and ends with the
  ///     output.
  ///   - takeError: gets each line of its standard error.
  /// - Throws: `ChildProcess.StartError`; `Programs.Missing`.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String,
    take: @escaping @Sendable (_ line: String, _ send: (String) -> Void) -> Void,
    takeError: @escaping @Sendable (String) -> Void, end: @escaping @Sendable () -> Void
  ) throws {
    var ends: [[Int32]] = []
    for _ in 0..<3 {
      var pair: [Int32] = [-1, -1]
      pipe(&pair)
      for end in pair { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      ends.append(pair)
    }
    let descriptors = (ends[0][0], ends[1][1], ends[2][1])
    defer { for end in [descriptors.0, descriptors.1, descriptors.2] { close(end) } }
    do {
      child = try ChildProcess(
        program, arguments, environment: environment, directory: directory,
        descriptors: descriptors)
    } catch {
      for end in [ends[0][1], ends[1][0], ends[2][0]] { close(end) }
      throw error
    }
    input = Mutex(ends[0][1])
    PipeLines.read(ends[2][0], takeError) {}
    PipeLines.read(ends[1][0]) { [weak self] line in
      take(line) { self?.send($0) }
    } end: {
      end()
    }
  }

  deinit {
    closeInput()
    child.release()
  }

  package func send(_ line: String) {
    input.withLock { input in
      guard input >= 0 else { return }
      Array((line + "\n").utf8).withUnsafeBytes { _ = writeToPipe(input, $0) }
    }
  }

  /// Ends its standard input.
  package func closeInput() {
    input.withLock { input in
      if input >= 0 { close(input) }
      input = -1
    }
  }

  package func signal(_ number: Int32) { child.signal(number) }

  /// Waits until it has ended; `nil`: it has not.
  package func waitsForEnd() async -> ExitStatus? {
    await child.waitsForEnd(upTo: .seconds(60))
  }
}
