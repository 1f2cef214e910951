import Glibc
import Text
import ViewModels

/// Checks the terminal for the full screen, before a byte is written to it
/// (interface.md, "Command line").
enum TerminalCheck {
  /// - Parameter localizer: is only created for a message.
  /// - Returns: why line mode fits this terminal (interface.md, "Line mode"); `nil`: the full
  ///   screen does.
  /// - Throws: `CommandFailure` with one line that says what to do instead.
  static func run(_ environment: [String: String], _ localizer: @autoclosure () -> Localizer)
    throws -> String?
  {
    guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
      throw CommandFailure(code: .failed, text: localizer()("cli.no-terminal"))
    }
    let type = environment["TERM"] ?? ""
    // An unknown name is a mistake, which the screen reports.
    switch type {
    case "": return localizer()("cli.unset-terminal")
    case "dumb": return localizer()("cli.dumb-terminal", ["term": type])
    default: return nil
    }
  }
}
