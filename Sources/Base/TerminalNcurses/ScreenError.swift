/// The reason why the full screen cannot start.
package nonisolated enum ScreenError: Error, Equatable, Sendable {
  /// Input or output is a file or a pipe.
  case notATerminal
  /// TERM is not set, or the terminal database has no such entry.
  case unknownTerminal(name: String)
  /// The terminal cannot move the cursor: `dumb`, hard copy. Only line mode works there.
  case noCursorAddressing(name: String)
  /// There is no terminal database on this machine.
  case noTerminalDatabase
}
