import Glibc
import ViewModels

/// Whether there is a terminal for the full screen, before a byte is written to it
/// (interface.md, "Command line").
enum TerminalCheck {
  /// - Parameter localizer: is made when there is something to say.
  /// - Returns: why it is line mode that fits this terminal (interface.md, "Line mode"); `nil`: the
  ///   full screen does.
  /// - Throws: `CommandFailure` with one line that says what to do instead.
  static func run(_ environment: [String: String], _ localizer: @autoclosure () -> Localizer)
    throws -> String?
  {
    guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
      throw CommandFailure(code: .failed, text: localizer()("cli.no-terminal"))
    }
    let type = environment["TERM"] ?? ""
    // A name that is set and that nobody knows is a mistake, which the screen tells of.
    switch type {
    case "": return localizer()("cli.unset-terminal")
    case "dumb": return localizer()("cli.dumb-terminal", ["term": type])
    default: return nil
    }
  }
}
