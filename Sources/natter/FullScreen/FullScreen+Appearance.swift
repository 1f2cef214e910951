import Configuration
import FoundationEssentials
import NatterCore
import Panes
import Terminal
import TerminalNcurses
import ViewModels

// What the screen is drawn with, as the settings and the terminal have it.
extension FullScreen {
  /// The terminal has told how wide it draws some signs.
  func widthsTold(_ widths: WidthProbe) {
    self.widths = widths
    followAppearance()
  }

  /// Takes the signs that the settings ask for, and makes the shell anew where they are others: its place stays.
  /// - Parameters:
  ///   - setting: the one that was changed.
  ///   - isOther: whether what is shown is another thing though the signs are the same.
  func followAppearance(_ setting: SettingState.ID? = nil, isOther: Bool = false) {
    let wanted = context.glyphs(settings.current.ui, widths: widths)
    guard wanted != glyphs || isOther else { return }
    glyphs = wanted
    terminal.screen.setMovesLines(wanted.isLinear)
    coordinator?.use(wanted)
    begin { await self.rebuildShells(setting: setting) }
  }

  /// Looks whether somebody has changed the settings or the theme in their files, and takes what they say now.
  func refreshFiles() {
    if let problems = settings.readAgain() {
      let shell = accountScreen?.shell
      shell?.show(Notice(.info, "status.settingsRead"))
      for problem in problems.prefix(1) {
        shell?.show(Notice(.warning, "status.configuration", ["problem": localizer(problem)]))
      }
    }
    refreshTheme()
  }

  /// Whether another tab slides in: never where each frame takes its time.
  var slidesTabs: Bool {
    let ui = settings.current.ui
    return ui.slidesTabs && !ui.reducesMotion && !ui.isForScreenReader
      && context.environment["SSH_CONNECTION"]?.isEmpty != false && !terminal.screen.isSlow
  }
}
