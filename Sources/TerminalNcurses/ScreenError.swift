/// Why the full screen cannot start.
package nonisolated enum ScreenError: Error, Equatable, Sendable {
  /// Input or output is a file or a pipe.
  case notATerminal
  /// TERM is not set, or the terminal database does not know the name.
  case unknownTerminal(name: String)
  /// The terminal cannot place the cursor: `dumb`, hard copy. Only line mode works there.
  case noCursorAddressing(name: String)
  /// There is no terminal database on this machine.
  case noTerminalDatabase
}

extension ScreenError: CustomStringConvertible {
  /// What is the matter and what to do, in one line of English.
  package nonisolated var description: String {
    switch self {
    case .notATerminal:
      "standard input and output must be a terminal"
    case .unknownTerminal(let name):
      name.isEmpty
        ? "TERM is not set; set it to your terminal's name, for example TERM=xterm"
        : "the terminal type \"\(name)\" is unknown here; try TERM=xterm"
    case .noCursorAddressing(let name):
      "the terminal type \"\(name)\" cannot place the cursor; use --plain"
    case .noTerminalDatabase:
      "there is no terminal database; install ncurses-base"
    }
  }
}
