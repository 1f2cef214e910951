import Configuration
import FoundationEssentials
import NatterCore
import Panes
import System
import TOML
import Terminal
import TerminalNcurses
import Text
import ViewModels

// Themes: which is shown, and the page of them: what it reads, shows, keeps and writes.
extension FullScreen {
  var themeName: String { themes.current }
  var theme: Theme { themes.theme }
  var themeLibrary: ThemeLibrary { themes.library }
  /// The theme that `auto` is now.
  var themeOfTheHour: String { daylight.kind == .light ? themes.day : themes.night }

  /// The mistakes in the theme that the program was started with.
  var themeMistakes: [FileProblem] { themes.problems }

  /// Uses the theme of the command line or the settings; with a broken file the old theme stays.
  func followTheme(_ ui: Settings.Interface) {
    daylight.hours = ui.dayHours
    _ = daylight.change()
    let (outcome, name) = themes.follow(
      wanted: givenTheme ?? ui.theme, night: ui.themeNight, day: ui.themeDay, kind: daylight.kind)
    if !take(outcome, of: name) {
      reportTheme(
        StatusNotice(
          .error, "error.unknownTheme",
          ["name": name, "names": themeNames.joined(separator: ", ")]))
    }
  }

  /// Shows a theme; a broken file is reported, and the old theme stays.
  /// - Returns: `false` when there is none of that name.
  @discardableResult func setTheme(_ name: String) -> Bool { take(themes.choose(name), of: name) }

  /// - Returns: `false` when there is none of that name.
  private func take(_ outcome: ThemeChoice.Outcome, of name: String) -> Bool {
    let hadMistake = themeProblem != nil || outcome == .repaired
    themeProblem = nil
    switch outcome {
    case .taken, .repaired:
      useTheme()
      // A report of mistakes stays until another notice replaces it.
      let notice = StatusNotice(.info, "status.themeShown", ["name": name])
      if hadMistake { accountScreen?.shell.show(notice) }
    case .unknown: return false
    case .broken(let problem):
      reportTheme(
        StatusNotice(.error, "error.badTheme", ["name": name, "problem": localizer(problem)]))
    }
    return true
  }

  private func reportTheme(_ notice: StatusNotice) {
    themeProblem = notice
    accountScreen?.shell.show(notice)
  }

  var themeActions: ThemeActions {
    ThemeActions(
      read: { [themeCatalogue] in themeCatalogue.states },
      refresh: { [themeCatalogue] in await themeCatalogue.refresh() },
      // That of the command line holds until another one is kept.
      kept: { [weak self, settings] in self?.givenTheme ?? settings.current.ui.theme },
      shown: { [weak self] in self?.themeName ?? "" },
      fitting: { [weak self] in self?.themeOfTheHour ?? "" },
      followsHours: { [settings] in settings.current.ui.dayHours != nil },
      preview: { [weak self] in self?.previewTheme($0) },
      keep: { [weak self] in _ = try self?.change(SettingState.ID("ui", "theme"), to: $0) },
      contrast: { [weak self] in self?.themeContrast },
      colors: { [weak self] in self?.terminalColors ?? ("", "") },
      copy: { [weak self] in try self?.makeTheme(like: $0, named: $1) },
      edit: { [weak self] in self?.editTheme($0) },
      ofTheHours: { [settings] in
        (settings.current.ui.themeDay, settings.current.ui.themeNight)
      },
      keepForHours: { [weak self] name, isForDay in
        let setting = SettingState.ID("ui", isForDay ? "theme_day" : "theme_night")
        _ = try self?.change(setting, to: name)
      })
  }

  /// Writes a setting that the user has chosen. A theme with mistakes is not kept, and a valid one
  /// replaces the one of the command line.
  /// - Returns: whether it holds at once.
  /// - Throws: `NatterError`.
  func change(_ id: SettingState.ID, to value: String?) throws -> Bool {
    let isTheme = id.section == "ui" && ["theme", "theme_day", "theme_night"].contains(id.key)
    guard isTheme else { return try settings.change(id, to: value) }
    if let value, let problem = themeLibrary.theme(value)?.problems.first {
      throw NatterError(
        .invalidInput, "error.badTheme", ["name": value, "problem": localizer(problem)])
    }
    let given = givenTheme
    if id.key == "theme" { givenTheme = nil }
    do { return try settings.change(id, to: value) } catch {
      givenTheme = given
      throw error
    }
  }

  /// Reads the theme's file again if it has changed.
  /// - Returns: whether it had.
  @discardableResult func refreshTheme() -> Bool {
    guard themes.hasChanged else { return false }
    themeCatalogue.refresh(themes.current)
    setTheme(themes.current)
    return true
  }

  /// Shows nicks in the colours that the settings say can be distinguished.
  func followVision(_ ui: Settings.Interface) {
    themes.vision = LaunchContext.vision(ui)
    useTheme()
  }

  func makeThemeCatalogue() -> ThemeCatalogue {
    let catalogue = ThemeCatalogue(themeLibrary, own: ownThemes)
    catalogue.onNames = { [weak self] in self?.themesChanged() }
    return catalogue
  }

  /// There are other themes than those that are offered.
  private func themesChanged() {
    settings.offer(themes: themeCatalogue.names)
    offerMore()
  }

  /// Has the lists that are open take what there is more to choose from.
  func offerMore() {
    for screen in screens { screen.shell.candidatesChanged() }
    coordinator?.offerMore()
  }

  /// The names of the theme files, as last read. They are read again in the background, and open
  /// lists then have what has come since.
  var themeNames: [String] {
    themeCatalogue.refreshSoon()
    return themeCatalogue.names
  }

  var ownThemes: URL { context.paths.config.appending(path: "themes") }

  private func ownFile(_ name: String) -> URL { ownThemes.appending(path: name + ".toml") }

  /// Shows the theme that is selected in a list; `nil`: the one that is kept.
  func previewTheme(_ name: String?) {
    guard let name else { return followTheme(settings.current.ui) }
    setTheme(name == ThemeActions.automatic ? themeOfTheHour : name)
  }

  private var themeContrast: (ratio: String, isEnough: Bool)? {
    ThemeCheck.leastContrast(
      in: theme, roles: StyleRole.named, glyphRoles: ThemeCheckCommand.glyphRoles,
      at: terminal.screen.colorDepth
    ).map { (ThemeCheckCommand.ratio($0), $0 >= ThemeCheck.textContrast) }
  }

  var terminalColors: (count: String, because: String) {
    let depth = terminal.screen.colorDepth
    func reported(_ name: String) -> String? {
      context.environment[name].flatMap { $0.isEmpty ? nil : "\(name)=\(SafeText.line($0))" }
    }
    let names = depth == .mono ? ["TERM", "NO_COLOR"] : ["TERM", "COLORTERM"]
    return (ThemeCheckCommand.colours(depth), localizer.list(names.compactMap(reported)))
  }

  /// Writes a theme of the user's own with all values of another one.
  private func makeTheme(like base: String, named name: String) throws {
    let isName = name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil
        || "-_".unicodeScalars.contains($0)
    }
    guard isName, !name.isEmpty, name != ThemeActions.automatic, name.utf8.count <= 100 else {
      throw NatterError(.invalidInput, "error.badThemeName", ["name": name])
    }
    guard !themeLibrary.names.contains(name) else {
      throw NatterError(.invalidInput, "error.themeExists", ["name": name])
    }
    guard let text = themeLibrary.text(of: base) else {
      throw NatterError(
        .invalidInput, "error.unknownTheme",
        ["name": base, "names": themeNames.joined(separator: ", ")])
    }
    var isNamed = false
    let lines = TextLine.lines(of: text).map { line in
      guard !isNamed, line.text.hasPrefix("name") else { return line }
      isNamed = true
      return TextLine("name = " + TOMLValue.quoted(name), end: line.end)
    }
    try writeTheme(lines.joined, name)
    settings.namesChanged()
  }

  private func writeTheme(_ text: String, _ name: String) throws {
    let file = ownFile(name)
    do {
      try FileManager.default.createDirectory(at: ownThemes, withIntermediateDirectories: true)
    } catch {
      throw NatterError(.storage, "error.themeUnwritable", ["path": ownThemes.path])
    }
    guard PrivateText.replaceEdited(file.path, with: text) else {
      throw NatterError(.storage, "error.themeUnwritable", ["path": file.path])
    }
    themeCatalogue.refresh(name)
  }

  /// Opens the file of a theme in the editor, then shows the result, or what is wrong with it.
  private func editTheme(_ name: String) {
    guard let text = themeLibrary.text(of: name) else { return }
    edit(text) { [weak self] result in
      let changed = try result.get()
      guard let self else { return }
      if changed != text { try writeTheme(changed, name) }
      setTheme(name)
    }
  }
}
