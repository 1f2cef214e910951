import Foundation
import Glibc

/// A program on its own pseudo-terminal, timed from its start to the first frame.
struct TimedProcess {
  // Requests behind functions of <stdlib.h> that Swift does not see (TIOCSPTLCK, TIOCGPTN;
  // ioctl_tty(2)).
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430
  /// POSIX_SPAWN_SETSID, a macro that Swift does not see.
  private static let newSession: Int16 = 0x80

  /// The program with its arguments; the environment has the form `NAME=value`.
  let command: [String]
  let environment: [String]
  /// The terminal's size.
  let size: (rows: UInt16, columns: UInt16)

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The results of one run.
  struct Figures {
    /// From before the process is created until `text` has arrived on the terminal.
    let time: Duration
    /// The resident memory at that time, in bytes.
    let resident: Int
  }

  /// Starts the program, waits until `text` is on the terminal, and ends it.
  ///
  /// `text` should be in the frame's last rows: ncurses writes from top to bottom.
  /// - Throws: `Failure` when it cannot be started, ends early, or does not show the text within
  ///   ten seconds.
  func firstFrame(showing text: String) throws -> Figures {
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0 else { throw failure("there is no pseudo-terminal to be had") }
    defer { close(master) }
    var lock: CInt = 0
    var number: CUnsignedInt = 0
    guard ioctl(master, Self.setLock, &lock) == 0, ioctl(master, Self.getNumber, &number) == 0
    else { throw failure("the pseudo-terminal has no other end") }
    var size = winsize(
      ws_row: self.size.rows, ws_col: self.size.columns, ws_xpixel: 0, ws_ypixel: 0)
    guard ioctl(master, UInt(TIOCSWINSZ), &size) == 0 else { throw failure("it has no size") }

    let clock = ContinuousClock()
    let start = clock.now
    // As a session leader, the process makes the first terminal that it opens its controlling
    // terminal.
    let process = try Self.start(command, environment: environment, flags: Self.newSession) {
      posix_spawn_file_actions_addopen(&$0, 0, "/dev/pts/\(number)", O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&$0, 0, 1)
      posix_spawn_file_actions_adddup2(&$0, 0, 2)
    }
    let outcome = Result { try wait(for: Array(text.utf8), on: master) }
    let time = clock.now - start
    // It may have ended: the outcome says so.
    let resident = (try? ResidentMemory.now(of: process)) ?? 0
    end(process, master)
    try outcome.get()
    return Figures(time: time, resident: resident)
  }

  /// Starts a program.
  /// - Parameters:
  ///   - command: the program's path, and its arguments.
  ///   - environment: all of it, in the form `NAME=value`.
  ///   - flags: of `posix_spawn`.
  ///   - streams: opens the program's descriptors 0 to 2.
  /// - Throws: `Failure`.
  static func start(
    _ command: [String], environment: [String], flags: Int16 = 0,
    streams: (inout posix_spawn_file_actions_t) -> Void
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // Signals may be blocked here, and the program would inherit that: a program that ignores
    // SIGTERM has to be waited for, and the next one starts on a machine that has become idle
    // meanwhile.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, flags | Int16(POSIX_SPAWN_SETSIGMASK))
    streams(&actions)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(
      &process, command[0], &actions, &attributes, &arguments, &variables)
    guard code == 0 else {
      throw Failure(description: "\(command[0]): \(String(cString: strerror(code)))")
    }
    return process
  }

  private func wait(for text: [UInt8], on master: CInt) throws {
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(10)
    var seen: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    // The query that is answered once, and the answer of a terminal in UTF-8: a character took one
    // column.
    let question = Array("\u{1B}[6n".utf8)
    var answer = Array("\u{1B}[2;2R".utf8)
    while clock.now < deadline {
      var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard poll(&descriptor, 1, 100) > 0 else { continue }
      let count = read(master, &buffer, buffer.count)
      guard count > 0 else { break }
      seen += buffer[..<count]
      if !answer.isEmpty, seen.firstRange(of: question) != nil {
        _ = write(master, answer, answer.count)
        answer = []
      }
      if seen.firstRange(of: text) != nil { return }
    }
    throw failure(
      "\"\(String(decoding: text, as: UTF8.self))\" was not shown, but: "
        + String(decoding: seen.suffix(400), as: UTF8.self).debugDescription)
  }

  /// Asks the process to end, and kills it after two seconds; its output is read, so that it never
  /// blocks.
  private func end(_ process: pid_t, _ master: CInt) {
    kill(process, SIGTERM)
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(2)
    var buffer = [UInt8](repeating: 0, count: 65536)
    var status: CInt = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      if clock.now > deadline { kill(process, SIGKILL) }
      var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      if poll(&descriptor, 1, 5) > 0 { _ = read(master, &buffer, buffer.count) }
    }
  }

  private func failure(_ text: String) -> Failure { Failure(description: "\(command[0]): \(text)") }
}
