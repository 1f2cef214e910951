import FoundationEssentials
import Glibc

/// A started program, in a process group of its own, that inherits only three streams.
///
/// Foundation's `Process` regards a program as running as long as any process that it started; a
/// password program may leave an agent behind.
struct ChildProcess: Sendable {
  /// The reading ends of its standard output and standard error. Closed by `close`.
  let output: Int32
  let error: Int32
  let identifier: pid_t

  /// - Throws: the `errno` of the failed call, as a `POSIXError`.
  /// - Parameter input: its standard input; at most the capacity of a pipe, so that writing does
  ///   not block.
  init(path: String, arguments: [String], input: [UInt8] = []) throws {
    // All are closed at the end, unless the program runs: then its output stays open.
    var ends: [Int32] = []
    defer { for end in ends { Glibc.close(end) } }
    let output = try OwnPipe()
    ends += [output.write, output.read]
    let error = try OwnPipe()
    ends += [error.write, error.read]
    let source = try input.isEmpty ? nil : Self.pipe(holding: input)
    if let source { ends.append(source) }

    identifier = try ProcessStart.start(path, arguments) { actions in
      if let source {
        posix_spawn_file_actions_adddup2(&actions, source, 0)
      } else {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      }
      posix_spawn_file_actions_adddup2(&actions, output.write, 1)
      posix_spawn_file_actions_adddup2(&actions, error.write, 2)
    }
    (self.output, self.error) = (output.read, error.read)
    ends.removeAll { $0 == output.read || $0 == error.read }
  }

  /// Creates a pipe whose whole content is `input`.
  /// - Returns: its reading end.
  private static func pipe(holding input: [UInt8]) throws -> Int32 {
    let ends = try OwnPipe()
    defer { Glibc.close(ends.write) }
    _ = fcntl(ends.write, F_SETFL, fcntl(ends.write, F_GETFL) | O_NONBLOCK)
    let count = input.withUnsafeBytes { Glibc.write(ends.write, $0.baseAddress, $0.count) }
    guard count == input.count else {
      Glibc.close(ends.read)
      throw POSIXError(.EFBIG)
    }
    return ends.read
  }

  /// Blocks until the program has exited, without collecting it, so that its process id is not
  /// reused.
  func waitForEnd() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Kills it and all processes of its group.
  func kill() { Self.kill(identifier) }

  static func kill(_ identifier: pid_t) {
    Glibc.kill(-identifier, SIGKILL)
  }

  /// Blocks until the program has exited, and collects it.
  /// - Returns: the exit status; 128 plus the signal's number if a signal ended it.
  func collect() -> Int {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    let signal = Int(status & 0x7f)
    return signal == 0 ? Int(status >> 8 & 0xff) : 128 + signal
  }

  func close() {
    Glibc.close(output)
    Glibc.close(error)
  }
}
