import CNcurses

// Giving the terminal back when the program dies.
extension NcursesScreen {
  /// The bytes that undo everything, for a crash: modes, cursor, colours, alternate screen.
  package var resetSequence: String {
    set_term(screen)
    var bytes = (modes.showsFramesWhole ? TerminalModes.frameEnds : "") + modes.off
    // One by one: to join an array, the runtime looks through all conformances.
    for name in ["rmkx", "sgr0", "cnorm", "rmcup"] { bytes += TerminfoString.named(name) ?? "" }
    return bytes + emptyRest
  }

  /// Without a screen to restore, this clears the cursor's row and those below, so that the shell
  /// does not go on within a row of the screen.
  var emptyRest: String {
    guard TerminfoString.named("rmcup") == nil, let clear = TerminfoString.named("ed") else {
      return ""
    }
    return "\r" + clear
  }
}
