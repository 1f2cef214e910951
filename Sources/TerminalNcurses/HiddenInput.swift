import CNcurses

/// What is typed on a terminal and not shown there, as a password.
package nonisolated enum HiddenInput {
  /// Calls `read` while the terminal shows nothing of what is typed. A signal that ends or stops the program (Ctrl-C, Ctrl-Z,
  /// SIGTERM, SIGHUP), or a crash, gives the terminal back as it was first.
  /// - Parameter descriptor: of the terminal; one that is none stays as it is.
  package static func whileHidden<Result>(_ descriptor: CInt, _ read: () -> Result) -> Result {
    guard hide(descriptor) else { return read() }
    defer { show() }
    return read()
  }

  /// The same for whoever reads elsewhere, until `show`; never twice in a row.
  /// - Returns: whether the descriptor is a terminal.
  package static func hide(_ descriptor: CInt) -> Bool { natter_hide_input(descriptor) == 0 }

  /// Has the terminal of `hide` show again what is typed.
  package static func show() { natter_show_input() }

  /// The same for what the terminal itself answers, which comes byte by byte.
  /// - Returns: `nil` where `descriptor` is no terminal.
  static func whileAnswering<Result>(_ descriptor: CInt, _ read: () -> Result) -> Result? {
    guard natter_silence_input(descriptor) == 0 else { return nil }
    defer { natter_show_input() }
    return read()
  }
}
