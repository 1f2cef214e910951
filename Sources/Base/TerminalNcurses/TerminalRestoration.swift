import CNcurses

/// Restores the terminal when the program crashes.
///
/// Everything that the signal handler needs is prepared in C memory: the bytes that undo the
/// screen's modes, and the previous settings of the terminal. A process has one terminal and one
/// set of signals, so this state is global.
package enum TerminalRestoration {
  /// Stores the current settings of the terminal. Call it before the screen starts.
  /// - Returns: `false` if the descriptor is not a terminal.
  @discardableResult
  package static func remember(descriptor: CInt = 1) -> Bool {
    natter_remember_terminal(descriptor) == 0
  }

  /// Makes a crash (SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE) undo `screen` before it ends
  /// the program as usual. Call it after the screen has started.
  package static func arm(for screen: NcursesScreen) {
    arm(bytes: screen.resetSequence)
    natter_catch_crashes()
  }

  /// Updates the bytes after the screen has enabled more modes, which a crash has to undo, too.
  package static func follow(_ screen: NcursesScreen) { arm(bytes: screen.resetSequence) }

  /// Sets the bytes, without catching signals.
  static func arm(bytes: String) {
    var bytes = bytes
    bytes.withUTF8 { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        natter_arm_restoration($0.baseAddress, $0.count)
      }
    }
  }

  /// Disables the restoration after the screen has restored the terminal itself.
  package static func disarm() {
    natter_disarm_restoration()
  }

  /// Undoes the screen at once, as a crash would: for exits without time for anything else.
  package static func restore() {
    natter_restore_terminal()
  }
}
