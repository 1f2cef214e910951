import Configuration
import FoundationEssentials
import NatterCore
import Panes
import TOML
import Terminal
import TerminalNcurses
import Text
import ViewModels

// What the screen is drawn with, as the settings and the terminal have it.
extension FullScreen {
  /// The terminal has reported the width of some glyphs.
  func widthsReported(_ widths: WidthProbe) {
    self.widths = widths
    if let isUTF8 = widths.isUTF8, terminal.screen.isASCIIOnly == isUTF8 {
      terminal.screen.isASCIIOnly = !isUTF8
      coordinator?.display.drawAll()
    }
    followAppearance()
    releaseFirstFrame()
  }

  /// Says, once, what to do where the terminal is not in UTF-8.
  func reportCharacterSet() {
    guard !hasReported.characterSet, terminal.screen.isASCIIOnly, let shell = accountScreen?.shell
    else { return }
    hasReported.characterSet = true
    shell.show(StatusNotice(.warning, "status.notUTF8"))
  }

  /// Uses the glyphs of the settings; if they changed, the shell is rebuilt at its position.
  /// - Parameters:
  ///   - setting: the one that was changed.
  ///   - isOther: whether the content changes though the glyphs are the same.
  func followAppearance(_ setting: SettingState.ID? = nil, isOther: Bool = false) {
    let wanted = context.glyphs(
      settings.current.ui, widths: widths, isASCIIOnly: terminal.screen.isASCIIOnly)
    guard wanted != glyphs || isOther else { return }
    glyphs = wanted
    welcome?.pane.glyphs = wanted
    useWidths()
    terminal.screen.setMovesLines(wanted.isLinear || isLineSlow)
    coordinator?.use(wanted)
    rebuildShells(setting: setting)
  }

  /// Counts and draws everything with the widths of the glyphs.
  func useWidths() {
    WideGlyphs.areDrawn = glyphs.drawsWhole
    AmbiguousWidth.isWide = glyphs.ambiguousIsWide
    terminal.screen.drawsWholeGlyphs = glyphs.drawsWhole
    terminal.screen.drawsAmbiguousWide = glyphs.ambiguousIsWide
  }

  /// Reads the files of settings, keys and theme if they have changed.
  /// - Returns: whether they had.
  @discardableResult func refreshFiles() -> Bool {
    var hasChanged = false
    if let problems = settings.readAgain() {
      hasChanged = true
      reportRead(problems)
    }
    if let outcome = keys.readAgain() {
      hasChanged = true
      report(outcome)
    }
    return refreshTheme() || hasChanged
  }

  /// Reports that the settings were read again, with the worst problem: a theme that could not be
  /// used, or an error of the file.
  func reportRead(_ problems: [FileProblem]) {
    let shell = accountScreen?.shell
    if let whole = problems.first(where: { $0.line == nil }) {
      shell?.show(
        StatusNotice(.warning, "status.settingsKept", ["problem": localizer(whole.withoutRemedy)]))
    } else {
      shell?.show(notice(of: problems) ?? StatusNotice(.info, "status.settingsRead"))
    }
    if let themeProblem { shell?.show(themeProblem) }
  }

  /// The problems in the user's files when the program started.
  var mistakes: [FileProblem] {
    context.mistakes + keys.problems + themeMistakes + context.languageMistakes
  }

  /// The problems in the user's files, in a line: the status line has no room for a list.
  /// - Returns: `nil` where nothing is.
  func notice(of problems: [FileProblem]) -> StatusNotice? {
    notice(
      of: problems, one: "status.configuration", long: "status.mistake", several: "status.mistakes")
  }

  /// - Parameters:
  ///   - one: the text for a single mistake.
  ///   - long: the same where there is no room for all of it, with where it can be read.
  ///   - several: the text for more, with their number.
  private func notice(
    of problems: [FileProblem], one: String, long: String, several: String
  ) -> StatusNotice? {
    guard let first = problems.first else { return nil }
    let reported = ["problem": localizer(first)]
    guard problems.count == 1 else {
      return StatusNotice(
        .warning, several,
        reported.merging(["count": "\(problems.count)"], uniquingKeysWith: { $1 }))
    }
    let fits = StatusPane.fits(localizer(one, reported), columns: terminal.screen.size.columns)
    return StatusNotice(.warning, fits ? one : long, reported)
  }

  private func report(_ outcome: KeyChoice.Outcome) {
    let shell = accountScreen?.shell
    switch outcome {
    case .taken(let warnings):
      useKeys()
      shell?.show(notice(of: warnings) ?? StatusNotice(.info, "status.keysRead"))
    case .kept(let problems):
      if let reported = notice(
        of: problems, one: "status.keysKept", long: "status.keysKeptMistake",
        several: "status.keysKeptMistakes")
      {
        shell?.show(reported)
      }
    }
  }

  /// Has everything go by the keys that hold now.
  func useKeys() {
    for screen in screens { screen.desktop.use(keys.table) }
    coordinator?.use(keys.table)
  }

  /// Indicates whether another tab slides in: never where each frame takes its time.
  var slidesTabs: Bool {
    let ui = settings.current.ui
    return ui.slidesTabs && !ui.reducesMotion && !ui.isForScreenReader
      && context.environment["SSH_CONNECTION"]?.isEmpty != false && !isLineSlow
      && !terminal.screen.isSlow
  }
}
