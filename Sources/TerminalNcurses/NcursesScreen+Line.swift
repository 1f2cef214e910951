import CNcurses
import Glibc
import Terminal

// What the terminal is asked about itself and its line.
extension NcursesScreen {
  /// Asks for the background colour (OSC 11); the answer, if there is one, comes as a `TerminalReport`.
  package func askForBackground() {
    if state == .active, modes.isXtermKind { ask("\u{1B}]11;?\u{1B}\\") }
  }

  /// Asks how wide some signs are (`WidthProbe`); the answers, if there are any, come as `TerminalReport`s. Only for terminals
  /// that have told that they are in UTF-8.
  package func askForWidths() {
    guard tellsWidths else { return }
    set_term(screen)
    ask((modes.showsFramesWhole ? TerminalModes.frameBegins : "") + WidthProbe.question)
    // What was written over is drawn again at once.
    wredrawln(window, CInt(WidthProbe.row), 1)
    wrefresh(window)
    // What stands above the cells was written over as well.
    if case .frame(let drawn) = drawn { send(bytes(ofSigns: [WidthProbe.row], in: drawn)) }
    if modes.showsFramesWhole { send(TerminalModes.frameEnds) }
  }

  /// Asks whether it has taken what was sent before (DSR 5); the answer, if there is one, comes as a `TerminalReport`.
  /// - Returns: whether it was asked.
  package func askWhetherReady() -> Bool {
    guard state == .active, modes.isXtermKind else { return false }
    ask("\u{1B}[5n", readiness: true)
    return true
  }

  /// The terminal has told that it has taken what was sent.
  package func tookAnswer() { questions.answered(at: .now) }

  /// Sends a question.
  func ask(_ question: String, readiness: Bool = false) {
    questions.ask(readiness: readiness, at: .now)
    send(question)
  }

  /// Reads the answers that are on their way, before somebody else has the terminal: a shell would take them for what is typed.
  /// What is typed meanwhile is dropped.
  /// - Parameter patience: how long a terminal that does not answer is waited for; `nil`: as long as it may take.
  func awaitAnswers(from input: TerminalInput, patience: Duration?) {
    let deadline = ContinuousClock.now + (patience ?? questions.patience)
    while state == .active, questions.areOpen(at: .now) {
      if questions.isBehindReadiness { _ = askWhetherReady() }
      guard input.readAnswers(until: deadline) else { break }
    }
    questions.giveUp()
  }

  /// Asks whether it shows frames as a whole and tells keys apart; the answers, if there are any, come as `TerminalReport`s.
  package func askForModes() {
    if state == .active, modes.isXtermKind { ask(TerminalModes.questions) }
  }

  /// The terminal has told that it shows frames as a whole: from now on it is asked to.
  package func showFramesWhole() {
    if modes.isXtermKind { modes.showsFramesWhole = true }
  }

  /// The terminal has told that it tells keys apart: from now on it does, while this has the terminal.
  package func tellKeysApart() {
    guard modes.isXtermKind, !modes.tellsKeysApart else { return }
    modes.tellsKeysApart = true
    if state == .active { send(modes.keysOn) }
  }

  /// The terminal has told that it can tell when its colours become dark or light: from now on it does, while this has it.
  package func followColours() {
    guard modes.isXtermKind, !modes.followsColours else { return }
    modes.followsColours = true
    if state == .active { ask(TerminalModes.coloursOn + TerminalModes.coloursQuestion) }
  }

  /// Whether the terminal has not taken yet what was sent to it, or is on a slow line.
  package var isSlow: Bool { isBehind || hasSlowLine }

  /// Whether the terminal has not taken yet what was sent to it.
  package var isBehind: Bool {
    var waiting: CInt = 0
    return ioctl(output, UInt(TIOCOUTQ), &waiting) == 0 && waiting > 0
  }

  /// Whether the terminal is on a line that says itself that it is slow.
  package var hasSlowLine: Bool {
    var settings = termios()
    guard tcgetattr(output, &settings) == 0 else { return true }
    // The speeds' codes grow with them; pseudo-terminals say 38400.
    return cfgetospeed(&settings) < speed_t(B19200)
  }

  /// Whether rows are moved in place of being drawn again, where that is less: what a screen reader hears as one new line.
  package func setMovesLines(_ isOn: Bool) {
    set_term(screen)
    idlok(window, isOn)
  }
}
