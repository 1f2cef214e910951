import Configuration
import NatterCore
import ViewModels

// Choices by a command, the palette or an address are kept, like those on the pages of settings.
extension FullScreen {
  /// Uses and keeps a theme, or `auto`; with one of the command line it applies to this run.
  /// - Returns: `false` when there is none of that name.
  func chooseTheme(_ name: String) -> Bool {
    guard name == ThemeActions.automatic || themeLibrary.text(of: name) != nil else { return false }
    if let given = givenTheme {
      givenTheme = name
      followTheme(settings.current.ui)
      if themeProblem == nil { reportForThisRun("--theme") } else { givenTheme = given }
      return true
    }
    // It may have been added since the names were read.
    settings.namesChanged()
    keep(SettingState.ID("ui", "theme"), name) { previewTheme(name) }
    return true
  }

  /// Takes a language and keeps it; beside one of the command line it holds for this run.
  /// - Returns: `false` when there is none of that name.
  func chooseLanguage(_ name: String) -> Bool {
    // Before it is kept: a setting that was changed elsewhere keeps its position here.
    guard setLanguage(name) else { return false }
    if context.options.language != nil {
      reportForThisRun("--lang")
    } else {
      settings.namesChanged()
      keep(SettingState.ID("ui", "language"), name) {}
    }
    return true
  }

  /// Writes a choice and confirms it; if it cannot be kept, `show` applies it for this run.
  private func keep(_ id: SettingState.ID, _ value: String, orElse show: () -> Void) {
    do {
      _ = try change(id, to: value)
      accountScreen?.shell.show(StatusNotice(.info, "status.settingSaved"))
    } catch {
      show()
      accountScreen?.shell.show(NatterError(reporting: error, key: "error.unexpected").notice)
    }
  }

  private func reportForThisRun(_ option: String) {
    accountScreen?.shell.show(StatusNotice(.info, "status.forThisRun", ["option": option]))
  }
}
