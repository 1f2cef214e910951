import Dispatch
import FoundationEssentials
import Glibc
import NatterCore
import Terminal
import TerminalNcurses
import ViewModels

/// The terminal while the full screen has it: taken over, watched, given back however the program ends.
final class TerminalSession {
  let screen: NcursesScreen
  private var input: TerminalInput?
  private var suspension: Suspension?
  /// The terminal has told whether its background is dark or bright.
  var onBackground: (Theme.Kind) -> Void = { _ in }
  /// The terminal has told how wide it draws what terminals disagree about.
  var onWidths: (WidthProbe) -> Void = { _ in }
  /// The terminal has told how it draws pictures.
  var onPictures: (TerminalReport) -> Void = { _ in }
  /// The terminal has taken what was sent before it was asked.
  var onReady: () -> Void = {}
  private var probe = WidthProbe()
  private var substitute: SubstituteEntry
  /// Whether the terminal was asked if it is in UTF-8.
  private let isAsked: Bool
  /// Whether it is to be asked how wide it draws some signs once it has told that.
  private var wantsWidths = false
  /// Whether it may still tell whether it is in UTF-8.
  var owesCharacterSet: Bool { isAsked && probe.isUTF8 == nil }
  private var signals: SignalMonitor?
  private let endWatch = StalledOutputGuard(descriptor: STDOUT_FILENO)
  private let environment: [String: String]
  /// Whether an editor has the terminal.
  private var isLent: Bool {
    get { endWatch.isLent }
    set { endWatch.isLent = newValue }
  }

  /// - Parameter asksForKitty: whether the terminal is asked if it draws pictures by kitty's protocol.
  /// - Throws: `CommandFailure` when the terminal cannot be used; it is as before then.
  init(
    theme: Theme, usesMouse: Bool, asksForKitty: Bool, environment: [String: String],
    localizer: Localizer
  ) throws {
    self.environment = environment
    SignalHold.begin()
    // What the terminal was like, before anything changes it: a crash has to bring that back.
    TerminalRestoration.remember(descriptor: STDIN_FILENO)
    do {
      screen = try NcursesScreen(
        NcursesScreen.Options(theme: theme, mouse: usesMouse, environment: environment))
    } catch {
      SignalHold.end()
      throw CommandFailure(code: .failed, text: Self.text(of: error, localizer))
    }
    TerminalRestoration.arm(for: screen)
    substitute = SubstituteEntry(screen.entry)
    // The question itself is not ASCII.
    isAsked = screen.askForUTF8()
    screen.isASCIIOnly = !screen.assumesUTF8(environment: environment)
    if asksForKitty { screen.askForKittyPictures() }
  }

  /// What is the matter with the terminal, and what to do.
  private static func text(of error: ScreenError, _ localizer: Localizer) -> String {
    switch error {
    case .notATerminal: localizer("cli.no-terminal")
    case .unknownTerminal(""): localizer("cli.terminal-unset")
    case .unknownTerminal(let name): localizer("cli.terminal-unknown", ["term": name])
    case .noCursorAddressing(let name): localizer("cli.terminal-plain", ["term": name])
    case .noTerminalDatabase: localizer("cli.terminal-database")
    }
  }

  /// Begins to read keys and signals.
  /// - Parameters:
  ///   - onInput: gets what came at once.
  ///   - onResize: the terminal's size has changed, or may have while the program was stopped; the screen has it already.
  ///   - onSignal: the program is asked to end (SIGTERM, SIGHUP; SIGINT and SIGQUIT from outside).
  func start(
    onInput: @escaping ([InputEvent]) -> Void, onResize: @escaping () -> Void,
    onSignal: @escaping (Int32) -> Void
  ) {
    let input = TerminalInput(descriptor: STDIN_FILENO, environment: environment) { onInput($0) }
    self.input = input
    input.onReport = { [weak self] report in
      guard let self else { return }
      switch report {
      case .background(let color):
        if let kind = Theme.Kind(background: color) { onBackground(kind) }
      case .cursor(let place):
        guard probe.take(place) else { break }
        if wantsWidths { askForWidths() }
        onWidths(probe)
      case .drawsPictures, .drawsSixels, .cell: onPictures(report)
      case .isReady:
        screen.tookAnswer()
        onReady()
      case .showsFramesWhole:
        screen.showFramesWhole()
        TerminalRestoration.follow(screen)
      case .tellsKeysApart:
        screen.tellKeysApart()
        TerminalRestoration.follow(screen)
      case .followsColours:
        screen.followColours()
        TerminalRestoration.follow(screen)
      case .colours(let kind): onBackground(kind)
      }
    }
    suspension = Suspension(screen: screen, input: input)
    input.start()
    let resized = { [screen] in
      // A size that changed and changed back is the same again, but what the terminal cut off is gone.
      if !screen.adoptTerminalSize() { screen.redraw() }
      onResize()
    }
    signals = SignalMonitor(endWatch: endWatch) { [weak self] number in
      switch number {
      case SIGWINCH: resized()
      case SIGTSTP: self?.stopFromOutside(onResize)
      // The size may be another one, too.
      case SIGCONT:
        if let self, !isLent {
          suspension?.takeTerminalAgain()
          onResize()
        }
      // While another program has the terminal, its keys are meant for that one.
      case SIGINT, SIGQUIT: if self?.isLent != true { onSignal(number) }
      default: onSignal(number)
      }
    }
  }

  /// That another entry stands in for the terminal's own: once.
  func takeNotice() -> StatusNotice? { substitute.takeNotice() }

  /// Has the terminal tell its background; the answer may come late, or never.
  func askForBackground() { screen.askForBackground() }

  /// Has the terminal tell how wide it draws some signs, once it has told that it is in UTF-8.
  func askForWidths() {
    wantsWidths = probe.isUTF8 != true
    if !wantsWidths { screen.askForWidths() }
  }

  /// Has the terminal tell whether it shows frames as a whole and tells keys apart.
  func askForModes() { screen.askForModes() }

  func use(_ theme: Theme) { screen.setTheme(theme) }
  /// Gives the terminal a text for its clipboard.
  func copy(_ text: String) -> CopyOutcome {
    switch screen.copyToClipboard(text) {
    case .sent: .copied
    case .tooLong: .tooLong
    case .unavailable: .unavailable
    }
  }
  func setMouse(_ isOn: Bool) { screen.setMouse(isOn) }

  /// Stops the program as the shell's `^Z` does; returns when it goes on.
  func suspend() { suspension?.stopProcess() }

  /// The same where SIGTSTP has come; what has the terminal meanwhile gets the signal as well, and keeps it.
  private func stopFromOutside(_ onResize: () -> Void) {
    if isLent {
      suspension?.stopBehind()
    } else {
      suspend()
      onResize()
    }
  }

  /// Lends the terminal to an editor until it ends.
  /// - Returns: the text as it was saved.
  /// - Throws: `Suspension.Failure`, or what reading and writing the file threw.
  func edit(_ text: String, with editor: String, in directory: URL) async throws -> String {
    guard let suspension else { return text }
    isLent = true
    defer { isLent = false }
    return try await suspension.edit(text, with: editor, in: directory)
  }

  /// Lends the terminal to a program until it ends.
  /// - Parameter arguments: the program, looked up in PATH, and its arguments; not empty.
  /// - Throws: `Suspension.Failure`.
  func run(_ arguments: [String]) async throws {
    isLent = true
    defer { isLent = false }
    try await suspension?.run(arguments)
  }

  /// Gives the terminal back for good.
  func stop() {
    suspension?.leave()
    screen.stop()
    TerminalRestoration.disarm()
    signals?.end()
    endWatch.end()
  }
}
