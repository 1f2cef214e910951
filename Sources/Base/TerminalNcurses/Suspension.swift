import BoundedText
import CNcurses
import Dispatch
import FoundationEssentials
import Glibc
import Terminal

/// Gives the terminal to the shell or to another program, and takes it back (interface.md,
/// "Terminals").
package final class Suspension {
  /// The reason why a program failed.
  package enum Failure: Error, Equatable {
    /// The program could not be started; errno.
    case notStarted(CInt)
    /// The program ended with a code other than 0.
    case exited(CInt)
    /// A signal ended the program.
    case signalled(CInt)
  }

  /// A text that the user has edited.
  package struct EditedText: Sendable {
    package let text: String
    /// The file that has the text until it is stored elsewhere; `nil`: there is none.
    package let file: URL?

    package init(_ text: String, file: URL? = nil) { (self.text, self.file) = (text, file) }

    /// Removes the file, once the text is stored or not needed.
    package func removeFile() {
      // Nothing to do if it is gone.
      if let file { try? FileManager.default.removeItem(at: file) }
    }
  }

  private let screen: NcursesScreen
  private let input: TerminalInput

  /// - Parameter input: paused while another program has the terminal.
  package init(screen: NcursesScreen, input: TerminalInput) {
    self.screen = screen
    self.input = input
  }

  /// Handles ^Z, or SIGTSTP from outside: stops the whole process group and returns when the shell
  /// continues it.
  ///
  /// In an orphaned process group the kernel ignores the stop, and this only redraws.
  package func stopProcess() {
    leave()
    screen.suspend()
    stopGroup()
    waitForForeground()
    screen.resume()
    input.start()
  }

  /// Stops reading, after the reports that only Natter understands have arrived; called before the
  /// screen is released.
  /// - Parameter patience: the time to wait for a silent terminal; `nil`: as long as answers take
  ///   on its line.
  package func leave(patience: Duration? = nil) {
    input.pause()
    screen.awaitAnswers(from: input, patience: patience)
  }

  /// Handles SIGTSTP while another program has the terminal: stops this process, without changing
  /// the terminal.
  package func stopBehind() { stop {} }

  /// Handles SIGCONT: another program may have used the terminal meanwhile (the shell, while
  /// SIGSTOP held this process), and changed its settings and content. Sets the terminal up again
  /// and redraws everything, unless another program has it now.
  package func takeTerminalAgain() {
    guard screen.state == .active else { return }
    waitForForeground()
    input.pause()
    screen.suspend()
    screen.resume()
    input.start()
  }

  /// Returns when this process may change the terminal: in the background (`bg`) the kernel stops
  /// it again, before a byte of its screen mixes with the shell's output. Threads of Dispatch, on
  /// which the main actor may run, block SIGTTOU, and a thread that blocks it may write even from
  /// the background.
  private func waitForForeground() {
    var modes = termios()
    guard tcgetattr(screen.output, &modes) == 0 else { return }
    var one = sigset_t()
    var before = sigset_t()
    sigemptyset(&one)
    sigaddset(&one, SIGTTOU)
    pthread_sigmask(SIG_UNBLOCK, &one, &before)
    while tcsetattr(screen.output, TCSANOW, &modes) == -1, errno == EINTR {}
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Stops every process of the group, this one last; returns when it is continued.
  private func stopGroup() {
    stop { kill(0, SIGTSTP) }
  }

  /// Stops this process after `first`, which does not stop it; returns when it is continued.
  ///
  /// Any thread that has the signal unblocked would receive a signal to the process, and this one
  /// would continue to draw meanwhile, so this thread raises it for itself. The SIGCONT that ends
  /// the stop is not delivered to the program's handlers: the caller knows about it.
  private func stop(_ first: () -> Void) {
    var handlers = [SIGTSTP, SIGCONT].map { ($0, sigaction()) }
    for index in handlers.indices { sigaction(handlers[index].0, nil, &handlers[index].1) }
    signal(SIGTSTP, SIG_IGN)
    first()
    signal(SIGTSTP, SIG_DFL)
    // An ignored signal is discarded at once only if the main thread, which the kernel checks, does
    // not block it; it blocks nothing.
    signal(SIGCONT, SIG_IGN)
    var stop = sigset_t()
    var before = sigset_t()
    sigemptyset(&stop)
    for (number, _) in handlers { sigaddset(&stop, number) }
    pthread_sigmask(SIG_UNBLOCK, &stop, &before)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    for index in handlers.indices { sigaction(handlers[index].0, &handlers[index].1, nil) }
  }

  /// Runs a program in the foreground and waits for its end without blocking the main actor.
  /// - Parameter arguments: the program, looked up in PATH, and its arguments; not empty.
  /// - Throws: `Failure` unless it ends with 0.
  package func run(_ arguments: [String]) async throws {
    leave()
    screen.suspend()
    // ^C and ^\ in that program must not affect this one.
    let before = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
    defer {
      for (number, action) in before { signal(number, action) }
      screen.resume()
      input.start()
    }
    let status = try await Self.wait(for: Self.spawn(arguments))
    // The macros of sys/wait.h: the low seven bits are the signal, the next byte the code.
    if status & 0x7F != 0 { throw Failure.signalled(status & 0x7F) }
    if status >> 8 & 0xFF != 0 { throw Failure.exited(status >> 8 & 0xFF) }
  }

  /// Opens a text in the user's editor.
  /// - Parameters:
  ///   - editor: the value of $VISUAL or $EDITOR; it may have arguments, as in a shell.
  ///   - directory: the folder of the file that is edited, which only this user can read.
  /// - Returns: the saved text, without the line end that editors add to the last line. The caller
  ///   removes its file.
  /// - Throws: `Failure`, or the error of reading or writing the file.
  package func edit(_ text: String, with editor: String, in directory: URL) async throws
    -> EditedText
  {
    let file = directory.appending(path: "draft-\(UUID().uuidString).txt")
    guard
      FileManager.default.createFile(
        atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    do {
      try await run(["/bin/sh", "-c", editor + " \"$1\"", "sh", file.path])
      var edited = String(bounding: try Data(contentsOf: file))
      if edited.hasSuffix("\n"), !text.hasSuffix("\n") { edited.removeLast() }
      return EditedText(edited, file: file)
    } catch {
      EditedText(text, file: file).removeFile()
      throw error
    }
  }

  /// Starts a program in this process group: in another one it could not read the terminal.
  private static func spawn(_ arguments: [String]) throws(Failure) -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT, SIGPIPE, SIGHUP, SIGWINCH] {
      sigaddset(&signals, number)
    }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    var process = pid_t()
    var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    argv.append(nil)
    defer { for word in argv { free(word) } }
    let status = posix_spawnp(&process, arguments[0], nil, &attributes, argv, environ)
    guard status == 0 else { throw .notStarted(status) }
    return process
  }

  /// Waits on a thread of its own: an editor may stay open for an hour.
  private nonisolated static func wait(for process: pid_t) async -> CInt {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "natter.program").async {
        var status: CInt = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        continuation.resume(returning: status)
      }
    }
  }
}
