import CNcurses

/// Gives the terminal back when the program crashes.
///
/// Everything that the signal handler needs is prepared in C memory: the bytes that undo the
/// screen's modes, and the settings of the terminal from before. There is one terminal and one set of signals
/// in a process, so this state is the process's.
package enum TerminalRestoration {
  /// Remembers how the terminal is set now. Call it before the screen starts.
  /// - Returns: `false` if the descriptor is no terminal.
  @discardableResult
  package static func remember(descriptor: CInt = 1) -> Bool {
    natter_remember_terminal(descriptor) == 0
  }

  /// From now on a crash (SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE) undoes `screen`, then ends
  /// the program as it would have without this. Call it once the screen has started.
  package static func arm(for screen: NcursesScreen) {
    arm(bytes: screen.resetSequence)
    natter_catch_crashes()
  }

  /// The screen has switched on more since, which a crash has to undo too.
  package static func follow(_ screen: NcursesScreen) { arm(bytes: screen.resetSequence) }

  /// The same for given bytes, without catching signals.
  static func arm(bytes: String) {
    var bytes = bytes
    bytes.withUTF8 { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        natter_arm_restoration($0.baseAddress, $0.count)
      }
    }
  }

  /// The screen has given the terminal back by itself.
  package static func disarm() {
    natter_disarm_restoration()
  }

  /// Undoes the screen at once, as a crash would: for ends that leave no time for anything else.
  package static func restore() {
    natter_restore_terminal()
  }
}
