import Dispatch
import FoundationEssentials
import Glibc
import NatterCore
import System
import Terminal
import TerminalNcurses
import Text
import ViewModels

/// The terminal while the full screen uses it: set up, watched, and restored however the program
/// ends.
final class TerminalSession {
  let screen: NcursesScreen
  private var input: TerminalInput?
  private var suspension: Suspension?
  /// Called when the terminal has reported whether its background is dark or bright.
  var onBackground: (Theme.Brightness) -> Void = { _ in }
  /// Called when the terminal has reported the widths that differ between terminals.
  var onWidths: (WidthProbe) -> Void = { _ in }
  /// Called when the terminal has reported how it draws pictures.
  var onPictures: (TerminalReport) -> Void = { _ in }
  /// Called when the terminal has processed everything that was sent before a query.
  var onReady: () -> Void = {}
  private var probe = WidthProbe()
  private var substitute: SubstituteEntry
  /// Indicates whether a query was sent that shows if the terminal uses UTF-8.
  private let isAsked: Bool
  /// Indicates whether the widths are to be queried once it is known that the terminal uses UTF-8.
  private var wantsWidths = false
  /// Indicates whether the answer about UTF-8 may still come.
  var owesCharacterSet: Bool { isAsked && probe.isUTF8 == nil }
  private var signals: SignalMonitor?
  private let endWatch = StalledOutputGuard(descriptor: STDOUT_FILENO)
  private let environment: [String: String]
  /// Indicates whether an editor or another program has the terminal.
  private var isLent: Bool {
    get { endWatch.isLent }
    set { endWatch.isLent = newValue }
  }

  /// - Parameter asksForKitty: whether to query support for kitty's picture protocol.
  /// - Throws: `CommandFailure` when the terminal cannot be used; its state is then unchanged.
  init(
    theme: Theme, usesMouse: Bool, asksForKitty: Bool, environment: [String: String],
    localizer: Localizer
  ) throws {
    self.environment = environment
    SignalHold.begin()
    // The terminal's state before any change: a crash has to restore it.
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
    // The query itself is not ASCII.
    isAsked = screen.askForUTF8()
    screen.isASCIIOnly = !screen.assumesUTF8(environment: environment)
    if asksForKitty { screen.askForKittyPictures() }
  }

  /// The problem with the terminal, and what to do about it.
  private static func text(of error: ScreenError, _ localizer: Localizer) -> String {
    switch error {
    case .notATerminal: localizer("cli.no-terminal")
    case .unknownTerminal(""): localizer("cli.terminal-unset")
    case .unknownTerminal(let name): localizer("cli.terminal-unknown", ["term": name])
    case .noCursorAddressing(let name): localizer("cli.terminal-plain", ["term": name])
    case .noTerminalDatabase: localizer("cli.terminal-database")
    }
  }

  /// Starts to read keys and signals.
  /// - Parameters:
  ///   - onInput: receives the events that arrived together.
  ///   - onResize: called when the terminal's size has changed, or may have changed while the
  ///   program was stopped; the screen already has the new size.
  ///   - onSignal: called when the program is asked to end (SIGTERM, SIGHUP; SIGINT and SIGQUIT
  ///   from outside).
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
        if let kind = Theme.Brightness(background: color) { onBackground(kind) }
      case .cursor(let position):
        guard probe.take(position) else { break }
        if wantsWidths { askForWidths() }
        onWidths(probe)
      case .drawsPictures, .drawsSixels, .cell: onPictures(report)
      case .isReady:
        screen.tookAnswer()
        onReady()
      case .showsFramesWhole:
        screen.showFramesWhole()
        TerminalRestoration.follow(screen)
      case .distinguishesKeys:
        screen.distinguishKeys()
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
      // A size that changed and changed back is the same, but the terminal has lost what it cut
      // off.
      if !screen.adoptTerminalSize() { screen.redraw() }
      onResize()
    }
    signals = SignalMonitor(endWatch: endWatch) { [weak self] number in
      switch number {
      case SIGWINCH: resized()
      case SIGTSTP: self?.stopFromOutside(onResize)
      // The size may have changed, too.
      case SIGCONT:
        if let self, !isLent {
          suspension?.takeTerminalAgain()
          onResize()
        }
      // While another program has the terminal, its interrupt keys are meant for that program.
      case SIGINT, SIGQUIT: if self?.isLent != true { onSignal(number) }
      default: onSignal(number)
      }
    }
  }

  /// The notice that another terminfo entry is used instead of the terminal's own; returned once.
  func takeNotice() -> StatusNotice? { substitute.takeNotice() }

  /// Queries the terminal's background; the answer may come late, or never.
  func askForBackground() { screen.askForBackground() }

  /// Queries the widths of some characters, once the terminal has shown that it uses UTF-8.
  func askForWidths() {
    wantsWidths = probe.isUTF8 != true
    if !wantsWidths { screen.askForWidths() }
  }

  /// Queries whether the terminal shows frames as a whole and reports keys unambiguously.
  func askForModes() { screen.askForModes() }

  func use(_ theme: Theme) { screen.setTheme(theme) }
  /// Copies a text to the terminal's clipboard.
  func copy(_ text: String) -> CopyOutcome {
    switch screen.copyToClipboard(text) {
    case .sent: .copied
    case .tooLong: .tooLong
    case .unavailable: .unavailable
    }
  }
  func setMouse(_ isOn: Bool) { screen.setMouse(isOn) }

  /// Stops the program as the shell's `^Z` does; returns when it continues.
  func suspend() { suspension?.stopProcess() }

  /// The same after SIGTSTP; a program that has the terminal meanwhile gets the signal as well, and
  /// keeps the terminal.
  private func stopFromOutside(_ onResize: () -> Void) {
    if isLent {
      suspension?.stopBehind()
    } else {
      suspend()
      onResize()
    }
  }

  /// Lends the terminal to an editor until that ends.
  /// - Returns: the text as it was saved; the caller removes its file.
  /// - Throws: `Suspension.Failure`, or errors of reading and writing the file.
  func edit(_ text: String, with editor: String, in directory: URL) async throws
    -> Suspension.EditedText
  {
    guard let suspension else { return Suspension.EditedText(text) }
    isLent = true
    defer { isLent = false }
    return try await suspension.edit(text, with: editor, in: directory)
  }

  /// Lends the terminal to a program until that ends.
  /// - Parameter arguments: the program, looked up in PATH, and its arguments; not empty.
  /// - Throws: `Suspension.Failure`.
  func run(_ arguments: [String]) async throws {
    isLent = true
    defer { isLent = false }
    try await suspension?.run(arguments)
  }

  /// Restores the terminal for good.
  func stop() {
    suspension?.leave()
    screen.stop()
    TerminalRestoration.disarm()
    signals?.end()
    endWatch.end()
  }
}
