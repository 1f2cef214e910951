import FoundationEssentials
import Glibc

/// A started program, in a process group of its own, that inherits only three streams.
///
/// Foundation's `Process` regards a program as running as long as any process that it started; a
/// password program may leave an agent behind.
package struct ChildProcess: Sendable {
  /// The reading ends of its standard output and standard error. Closed by `close`.
  package let output: Int32
  package let error: Int32
  package let identifier: pid_t

  /// - Throws: the `errno` of the failed call, as a `POSIXError`.
  /// - Parameter input: its standard input; at most the capacity of a pipe, so that writing does
  ///   not block.
  package init(path: String, arguments: [String], input: [UInt8] = []) throws {
    let output = try Self.pipe()
    defer { Glibc.close(output.write) }
    let error: (read: Int32, write: Int32)
    do {
      error = try Self.pipe()
    } catch {
      Glibc.close(output.read)
      throw error
    }
    defer { Glibc.close(error.write) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var standardInput: Int32 = -1
    defer { if standardInput >= 0 { Glibc.close(standardInput) } }
    if input.isEmpty {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    } else {
      let pipe = try Self.pipe()
      standardInput = pipe.read
      _ = fcntl(pipe.write, F_SETFL, fcntl(pipe.write, F_GETFL) | O_NONBLOCK)
      let count = input.withUnsafeBytes { Glibc.write(pipe.write, $0.baseAddress, $0.count) }
      Glibc.close(pipe.write)
      guard count == input.count else { throw POSIXError(.EFBIG) }
      posix_spawn_file_actions_adddup2(&actions, pipe.read, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    posix_spawn_file_actions_adddup2(&actions, error.write, 2)
    for descriptor in Self.openDescriptors where descriptor > 2 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Ignored and blocked signals of this program are not inherited.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in argv { free(word) } }
    var identifier: pid_t = 0
    let result = posix_spawn(&identifier, path, &actions, &attributes, &argv, environ)
    guard result == 0 else {
      Glibc.close(output.read)
      Glibc.close(error.read)
      throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO)
    }
    self.output = output.read
    self.error = error.read
    self.identifier = identifier
  }

  /// Blocks until the program has exited, without collecting it, so that its process id is not
  /// reused.
  package func waitForEnd() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Kills it and all processes of its group.
  package func kill() { Self.kill(identifier) }

  package static func kill(_ identifier: pid_t) {
    Glibc.kill(-identifier, SIGKILL)
  }

  /// Blocks until the program has exited, and collects it.
  /// - Returns: the exit status; 128 plus the signal's number if a signal ended it.
  package func collect() -> Int {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    let signal = Int(status & 0x7f)
    return signal == 0 ? Int(status >> 8 & 0xff) : 128 + signal
  }

  package func close() {
    Glibc.close(output)
    Glibc.close(error)
  }

  /// Creates a pipe that later started programs do not inherit.
  package static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// The open descriptors. Changes by another thread meanwhile are harmless: closing a closed
  /// descriptor is no error here, and descriptors of this program are close-on-exec.
  private static var openDescriptors: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }
  }
}
