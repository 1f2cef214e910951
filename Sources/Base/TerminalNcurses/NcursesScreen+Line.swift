import CNcurses
import Glibc
import Terminal

// Queries about the terminal and its line.
extension NcursesScreen {
  /// Requests the background colour (OSC 11); an answer arrives as a `TerminalReport`.
  package func askForBackground() {
    if state == .active, modes.isXtermKind { ask("\u{1B}]11;?\u{1B}\\") }
  }

  /// Requests the width of some glyphs (`WidthProbe`); answers arrive as `TerminalReport`s. Only
  /// for terminals that are known to be in UTF-8.
  package func askForWidths() {
    guard reportsWidths else { return }
    set_term(screen)
    ask((modes.showsFramesWhole ? TerminalModes.frameBegins : "") + WidthProbe.question)
    // What was written over is drawn again at once.
    wredrawln(window, CInt(WidthProbe.row), 1)
    wrefresh(window)
    // The glyphs above the cells were overwritten as well.
    if case .frame(let drawn) = drawn { send(bytes(ofWideGlyphs: [WidthProbe.row], in: drawn)) }
    if modes.showsFramesWhole { send(TerminalModes.frameEnds) }
  }

  /// Asks whether all output was processed (DSR 5); an answer arrives as a `TerminalReport`.
  /// - Returns: whether it was asked.
  package func askWhetherReady() -> Bool {
    guard state == .active, modes.isXtermKind else { return false }
    ask("\u{1B}[5n", readiness: true)
    return true
  }

  /// The terminal has confirmed that it took what was sent.
  package func tookAnswer() { questions.answered(at: .now) }

  /// Sends a question.
  func ask(_ question: String, readiness: Bool = false) {
    questions.ask(readiness: readiness, at: .now)
    send(question)
  }

  /// Reads outstanding answers before another program gets the terminal: a shell would take them
  /// for input. Keys typed meanwhile are dropped.
  /// - Parameter patience: how long to wait for a terminal without answers; `nil`: without limit.
  func awaitAnswers(from input: TerminalInput, patience: Duration?) {
    let deadline = ContinuousClock.now + (patience ?? questions.patience)
    while state == .active, questions.areOpen(at: .now) {
      if questions.isBehindReadiness { _ = askWhetherReady() }
      guard input.readAnswers(until: deadline) else { break }
    }
    questions.giveUp()
  }

  /// Asks for synchronized output and extended keys; answers arrive as `TerminalReport`s.
  package func askForModes() {
    if state == .active, modes.isXtermKind { ask(TerminalModes.questions) }
  }

  /// The terminal has reported synchronized output: it is used from now on.
  package func showFramesWhole() {
    if modes.isXtermKind { modes.showsFramesWhole = true }
  }

  /// The terminal has reported extended keys: they are on while this screen has the terminal.
  package func distinguishKeys() {
    guard modes.isXtermKind, !modes.distinguishesKeys else { return }
    modes.distinguishesKeys = true
    if state == .active { send(modes.keysOn) }
  }

  /// The terminal has reported colour scheme notifications: on while this screen has the terminal.
  package func followColours() {
    guard modes.isXtermKind, !modes.followsColours else { return }
    modes.followsColours = true
    if state == .active { ask(TerminalModes.coloursOn + TerminalModes.coloursQuestion) }
  }

  /// Indicates whether output is still queued for the terminal, or its line is slow.
  package var isSlow: Bool { isBehind || hasSlowLine }

  /// Indicates whether bytes of the output are still queued for the terminal.
  package var isBehind: Bool {
    var waiting: CInt = 0
    return ioctl(output, UInt(TIOCOUTQ), &waiting) == 0 && waiting > 0
  }

  /// Indicates whether the line's own speed is below 19200 baud, or cannot be read.
  package var hasSlowLine: Bool {
    var settings = termios()
    guard tcgetattr(output, &settings) == 0 else { return true }
    // The speeds' codes grow with them; pseudo-terminals say 38400.
    return cfgetospeed(&settings) < speed_t(B19200)
  }

  /// Sets whether rows are moved where that costs less than redrawing: screen readers speak less.
  package func setMovesLines(_ isOn: Bool) {
    set_term(screen)
    idlok(window, isOn)
  }
}
