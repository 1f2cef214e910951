import CNcurses
import Glibc
import Terminal

// Terminals that are not in UTF-8: the bytes 80 to 9F of any text would control them (C1).
extension NcursesScreen {
  /// Returns whether to assume UTF-8 until the terminal answers, by the environment or the tty.
  package func assumesUTF8(environment: [String: String]) -> Bool {
    if CharacterSet.isUTF8(in: environment) { return true }
    // Where a query is impossible, as on the kernel's console, the tty has the setting. Elsewhere
    // it may be the setting of an outer terminal.
    var settings = termios()
    return !reportsWidths && tcgetattr(output, &settings) == 0
      && settings.c_iflag & tcflag_t(IUTF8) != 0
  }

  /// Asks whether the terminal is in UTF-8, before any non-ASCII output; an answer arrives as a
  /// `TerminalReport` for `WidthProbe`. Only to be called before the first frame.
  /// - Returns: whether it was asked.
  package func askForUTF8() -> Bool {
    guard reportsWidths else { return false }
    set_term(screen)
    // With this, ncurses sends what brings the alternate screen: the one before is not written on.
    curs_set(0)
    ask(WidthProbe.firstQuestion)
    return true
  }

  /// Indicates whether the terminal can be asked for the width of a glyph.
  var reportsWidths: Bool {
    state == .active && modes.isXtermKind && size.rows > WidthProbe.row && size.columns > 8
  }

  /// Has everything drawn anew, as the terminal can take it now.
  func characterSetChanged() {
    guard state == .active else { return }
    set_term(screen)
    // What was taken for the beginning of a control string ends here.
    if isASCIIOnly, modes.isXtermKind { send("\u{1B}\\") }
    drawn = .nothing
    clearok(window, true)
    if let title { send(modes.title(title)) }
  }
}
