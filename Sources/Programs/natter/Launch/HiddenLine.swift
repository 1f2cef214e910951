import Glibc
import TerminalNcurses

/// A line that the user types without seeing it, such as a password.
enum HiddenLine {
  /// Reads a line of the terminal on standard input without showing it, after `prompt` on standard
  /// error; `nil`: there was none, or an empty one.
  static func read(_ prompt: String) -> String? {
    // Echo is off before the prompt appears, for users who type at once.
    let line = HiddenInput.whileHidden(STDIN_FILENO) {
      StandardStreams.write(prompt, to: STDERR_FILENO)
      return readLine()
    }
    StandardStreams.printError("")
    return line.flatMap { $0.isEmpty ? nil : $0 }
  }
}
