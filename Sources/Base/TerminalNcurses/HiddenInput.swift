import CNcurses

/// Input on a terminal without echo, as for a password.
package nonisolated enum HiddenInput {
  /// Calls `read` while the terminal does not echo input. A signal that ends or stops the program
  /// (Ctrl-C, Ctrl-Z, SIGTERM, SIGHUP), or a crash, restores the terminal first.
  /// - Parameter descriptor: the terminal's; another file is left unchanged.
  package static func whileHidden<Result>(_ descriptor: CInt, _ read: () -> Result) -> Result {
    guard hide(descriptor) else { return read() }
    defer { show() }
    return read()
  }

  /// Disables the echo until `show`, for callers that read elsewhere; never twice in a row.
  /// - Returns: whether the descriptor is a terminal.
  package static func hide(_ descriptor: CInt) -> Bool { natter_hide_input(descriptor) == 0 }

  /// Restores the echo of the terminal of `hide`.
  package static func show() { natter_show_input() }

  /// Calls `read` while the terminal echoes nothing and delivers its own reports byte by byte.
  /// - Returns: `nil` if `descriptor` is not a terminal.
  static func whileAnswering<Result>(_ descriptor: CInt, _ read: () -> Result) -> Result? {
    guard natter_silence_input(descriptor) == 0 else { return nil }
    defer { natter_show_input() }
    return read()
  }
}
