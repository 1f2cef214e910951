import Glibc
import ViewModels

/// Whether there is a terminal for the full screen, before a byte is written to it (INTERFACE.md).
enum TerminalCheck {
  /// - Throws: `CommandFailure` with one line that says what to do instead.
  /// - Parameter localizer: is made when there is something to say.
  static func run(_ environment: [String: String], _ localizer: @autoclosure () -> Localizer)
    throws
  {
    guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
      throw CommandFailure(code: .failed, text: localizer()("cli.no-terminal"))
    }
    let type = environment["TERM"] ?? ""
    guard !type.isEmpty, type != "dumb" else {
      throw CommandFailure(code: .failed, text: localizer()("cli.dumb-terminal", ["term": type]))
    }
  }
}
