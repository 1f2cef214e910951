import CPTY
import Foundation
import Synchronization

/// The ending of a program.
package enum ExitStatus: Hashable, Sendable, CustomStringConvertible {
  case exited(Int32)
  case signalled(Int32)

  package var description: String {
    switch self {
    case .exited(let code): "exit \(code)"
    case .signalled(let number): "signal \(number)"
    }
  }
}

/// A program that this process started; it cannot outlive this process (see `cpty_start`).
package final class ChildProcess: Sendable {
  /// The program that could not be started, and the reason.
  package struct StartError: Error, CustomStringConvertible {
    package let program: String
    package let code: Int32
    package var description: String {
      "cannot start \(program): \(String(cString: strerror(code)))"
    }
  }

  /// The program's own number (not its guardian's).
  package let identifier: pid_t
  private let line: Mutex<Int32>
  private let end = Observed<ExitStatus?>(nil)

  /// - Parameters:
  ///   - descriptors: what the program gets as 0, 1 and 2; they stay the caller's.
  ///   - isTerminal: makes them the controlling terminal of a new session.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String],
    directory: String? = nil, descriptors: (input: Int32, output: Int32, error: Int32),
    isTerminal: Bool = false
  ) throws {
    let path = try Programs.path(of: program)
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    var envp =
      environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    let folder = directory.map { strdup($0) } ?? nil
    let name = strdup(path)
    defer { for pointer in argv + envp + [folder, name] { free(pointer) } }
    var child = cpty_child()
    let problem = argv.withUnsafeMutableBufferPointer { argv in
      envp.withUnsafeMutableBufferPointer { envp in
        var request = cpty_request(
          path: name, argv: argv.baseAddress, envp: envp.baseAddress, directory: folder,
          input: descriptors.input, output: descriptors.output, error: descriptors.error,
          is_terminal: isTerminal ? 1 : 0)
        return cpty_start(&request, &child)
      }
    }
    guard problem == 0 else { throw StartError(program: path, code: problem) }
    identifier = child.program
    line = Mutex(child.line)
    let guardian = child.guardian
    let end = end
    // A thread and not a task: it blocks for as long as the program runs.
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(guardian, &status, 0) < 0 && errno == EINTR {}
      let code = status & 0x7f
      end.update { $0 = code == 0 ? .exited((status >> 8) & 0xff) : .signalled(code) }
      end.finish()
    }
  }

  deinit { release() }

  /// The exit status; `nil` while it runs.
  package var status: ExitStatus? { end.value }

  /// Sends it a signal; does nothing once it has ended.
  package func signal(_ number: Int32) {
    line.withLock { line in
      guard line >= 0 else { return }
      var byte = UInt8(truncatingIfNeeded: number)
      // A guardian that is gone took its program with it: the failed write is the answer.
      withUnsafeBytes(of: &byte) { _ = writeToPipe(line, $0) }
    }
  }

  /// Waits until it has ended.
  /// - Returns: how, or `nil` when it had not after `limit`.
  @discardableResult
  package func waitsForEnd(upTo limit: Duration = .seconds(20)) async -> ExitStatus? {
    _ = await end.waits(upTo: limit) { $0 != nil }
    return end.value
  }

  /// Asks it to end, and kills it where it does not within `limit`.
  @discardableResult
  package func stop(_ number: Int32 = SIGTERM, upTo limit: Duration = .seconds(10)) async
    -> ExitStatus?
  {
    signal(number)
    if await waitsForEnd(upTo: limit) == nil { release() }
    return await waitsForEnd()
  }

  /// Kills it and everything in its process group; does not wait.
  package func release() {
    line.withLock { line in
      if line >= 0 { close(line) }
      line = -1
    }
  }
}

/// Writes to a pipe whose reader may be gone, without the SIGPIPE that would end the tests.
/// - Returns: `false` if not all of it could be written.
package func writeToPipe(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
  var blocked = sigset_t()
  var before = sigset_t()
  sigemptyset(&blocked)
  sigaddset(&blocked, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &blocked, &before)
  defer {
    var none = timespec()
    while sigtimedwait(&blocked, nil, &none) > 0 {}
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
  var rest = bytes
  while !rest.isEmpty {
    let count = write(descriptor, rest.baseAddress, rest.count)
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
  }
  return true
}
