import NatterCore
import Text

/// An available theme.
nonisolated package struct ThemeState: Identifiable, Hashable, Sendable {
  /// The name of its file, without the extension.
  package let id: String
  /// The name inside the file.
  package let name: String
  /// True if it is for bright surroundings; `nil` until that is known.
  package let isForDay: Bool?
  /// True if the file is the user's own.
  package let isOwn: Bool

  package init(id: String, name: String, isForDay: Bool?, isOwn: Bool = false) {
    (self.id, self.name, self.isForDay, self.isOwn) = (id, name, isForDay, isOwn)
  }
}

nonisolated extension Localizer {
  /// Returns the name of a theme: translated for a shipped one, from the file for the user's own.
  package func name(of theme: ThemeState) -> String {
    let key = "themes.name.\(theme.id)"
    return !theme.isOwn && has(key) ? self(key) : theme.name
  }
}

/// The operations on themes, implemented by the program, which knows their files and the terminal.
package struct ThemeActions {
  /// The setting for the theme that fits the time of day or the terminal.
  package static let automatic = "auto"

  /// Returns the available themes, as last read.
  package var read: () -> [ThemeState]
  /// Reads the files off the main actor; `read` returns the result from then on.
  package var refresh: () async -> Void
  /// Returns the saved setting: a theme, or `automatic`.
  package var kept: () -> String
  /// Returns the theme on the screen.
  package var shown: () -> String
  /// Returns the theme that `automatic` resolves to now.
  package var fitting: () -> String
  /// Returns true if `automatic` follows the time of day; otherwise the terminal's background.
  package var followsHours: () -> Bool
  /// Shows a theme without saving it; `nil` shows the saved one.
  package var preview: (String?) -> Void
  /// - Throws: `NatterError` if it cannot be saved.
  package var keep: (String) throws -> Void
  /// Returns the lowest contrast of a text on the screen, such as `4.5:1`, and whether all text has
  /// enough; `nil` if the terminal's own colours are used.
  package var contrast: () -> (ratio: String, isEnough: Bool)?
  /// Returns the number of colours of the terminal, and the source of that number.
  package var colors: () -> (count: String, because: String)
  /// Copies a theme into a new one of the user.
  /// - Throws: `NatterError` if there is one of that name, or it cannot be written.
  package var copy: (String, String) throws -> Void
  /// Opens its file in the user's editor.
  package var edit: (String) -> Void
  /// Returns the themes of `automatic` by day and at night.
  package var ofTheHours: () -> (day: String, night: String)
  /// Sets the theme of `automatic` by day, or at night.
  /// - Throws: `NatterError` if it cannot be saved.
  package var keepForHours: (String, _ isForDay: Bool) throws -> Void

  package init(
    read: @escaping () -> [ThemeState], refresh: @escaping () async -> Void = {},
    kept: @escaping () -> String,
    shown: @escaping () -> String, fitting: @escaping () -> String,
    followsHours: @escaping () -> Bool = { false },
    preview: @escaping (String?) -> Void,
    keep: @escaping (String) throws -> Void,
    contrast: @escaping () -> (ratio: String, isEnough: Bool)?,
    colors: @escaping () -> (count: String, because: String),
    copy: @escaping (String, String) throws -> Void, edit: @escaping (String) -> Void,
    ofTheHours: @escaping () -> (day: String, night: String),
    keepForHours: @escaping (String, _ isForDay: Bool) throws -> Void
  ) {
    (self.read, self.kept, self.shown, self.preview) = (read, kept, shown, preview)
    self.refresh = refresh
    (self.fitting, self.keep, self.contrast, self.colors) = (fitting, keep, contrast, colors)
    self.followsHours = followsHours
    (self.copy, self.edit) = (copy, edit)
    (self.ofTheHours, self.keepForHours) = (ofTheHours, keepForHours)
  }
}

/// One row of the list of themes, its text final.
nonisolated package struct ThemeItem: Identifiable, Hashable, Sendable {
  package let id: String
  package let title: String
  /// The surroundings that it is made for; in a screen reader also the meaning of the marks.
  package let note: String
  /// A mark if `automatic` uses it by day or at night.
  package let mark: String
  package let isKept: Bool
  package let isSelected: Bool
}

/// The list of themes. The selected one is on the screen; it stays there once it is saved
/// (interface.md, "Screens").
package final class ThemesViewModel {
  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      if isFocused { readAgain() } else { undo() }
      invalidation.raise()
    }
  }

  private let shell: ShellViewModel
  private let themes: ThemeActions
  /// The themes as last read, possibly by another caller.
  private var states: [ThemeState] { themes.read() }
  private var selected: String
  /// True if the theme on the screen is not saved.
  package private(set) var isTrying = false

  package init(shell: ShellViewModel, themes: ThemeActions) {
    self.shell = shell
    self.themes = themes
    selected = themes.shown()
    refresh()
  }

  /// Takes over the selection of another view model; a previewed theme stays on the screen.
  package func restore(from other: ThemesViewModel) {
    (selected, isTrying) = (other.selected, other.isTrying)
  }

  private var localizer: Localizer { shell.format.localizer }
  private var ids: [String] { states.map(\.id) }

  private func readAgain() {
    if !isTrying { selected = themes.shown() }
    refresh()
  }

  /// Updates the list once the files have been read.
  private func refresh() {
    Task { [weak self, themes] in
      await themes.refresh()
      // The user may have moved the selection meanwhile, so it stays.
      self?.invalidation.raise()
    }
  }

  // MARK: Content

  package var title: String { localizer("themes.title") }

  /// True if the setting is `automatic`.
  package var isAutomatic: Bool { themes.kept() == ThemeActions.automatic }

  /// The criterion of `automatic`, and the current result; the second form is for narrow screens.
  package var automatic: (long: String, short: String) {
    let fitting = themes.fitting()
    let kind = states.first { $0.id == fitting }.flatMap { self.kind(of: $0) }
    let arguments = ["kind": kind ?? fitting]
    return (
      localizer(themes.followsHours() ? "themes.followHours" : "themes.followTerminal", arguments),
      localizer("themes.follow", arguments)
    )
  }

  /// Returns the surroundings that a theme is made for, as far as they are known.
  private func kind(of theme: ThemeState) -> String? {
    theme.isForDay.map { localizer($0 ? "themes.day" : "themes.night") }
  }

  package var items: [ThemeItem] {
    let kept = themes.kept()
    let hours = themes.ofTheHours()
    let isHeard = shell.format.glyphs.isLinear
    return states.map {
      let isOfTheHours = $0.id == ($0.isForDay == true ? hours.day : hours.night)
      var notes = [kind(of: $0)]
      if isHeard, isOfTheHours {
        notes.append(localizer($0.isForDay == true ? "themes.byDay" : "themes.atNight"))
      }
      if isHeard, $0.id == kept { notes.append(localizer("themes.kept")) }
      return ThemeItem(
        id: $0.id, title: localizer.name(of: $0),
        note: localizer.list(notes.compactMap(\.self)),
        mark: isOfTheHours && !isHeard ? shell.format.glyphs.sent : "",
        isKept: $0.id == kept, isSelected: $0.id == selected)
    }
  }

  /// The contrast of the theme on the screen, and whether it is enough.
  package var contrast: (text: String, isEnough: Bool) {
    guard let contrast = themes.contrast() else { return (localizer("themes.ownColours"), true) }
    return (
      localizer(
        contrast.isEnough ? "themes.contrast" : "themes.contrastLow", ["ratio": contrast.ratio]),
      contrast.isEnough
    )
  }

  /// The number of colours of the terminal.
  package var colors: String {
    let colors = themes.colors()
    return localizer("themes.colours", ["count": colors.count, "because": colors.because])
  }

  // MARK: User input

  /// Moves the selection, and shows the selected theme; it stops at the ends.
  package func moveSelection(_ step: Int) {
    let ids = ids
    let (index, last) = (ids.firstIndex(of: selected) ?? 0, ids.count - 1)
    guard last >= 0 else { return }
    select(
      ids[step == .min ? 0 : step == .max ? last : min(last, max(0, index + step))])
  }

  /// Shows the theme of that name; an unknown name changes nothing.
  package func select(_ id: ThemeItem.ID) {
    guard ids.contains(id), id != selected else { return }
    (selected, isTrying) = (id, true)
    themes.preview(id)
    invalidation.raise()
  }

  /// Handles Enter: saves the selected theme.
  package func keep() { keep(selected) }

  private func keep(_ name: String) {
    do {
      try themes.keep(name)
      isTrying = false
      shell.show(StatusNotice(.info, "status.settingSaved"))
    } catch {
      shell.report(error)
    }
    invalidation.raise()
  }

  /// Handles Space: switches between `automatic` and the theme on the screen.
  package func toggleAutomatic() {
    if isAutomatic {
      selected = themes.shown()
      keep(selected)
    } else {
      keep(ThemeActions.automatic)
      if !isTrying { selected = themes.shown() }
    }
  }

  /// Handles `d`: `automatic` uses the selected theme by day if it is for bright surroundings, else
  /// at night.
  package func keepForHours() {
    guard let theme = selectedTheme, let isForDay = theme.isForDay else { return }
    do {
      try themes.keepForHours(theme.id, isForDay)
      // A preview stays on the screen, whatever `automatic` resolves to now.
      if isTrying { themes.preview(selected) }
      shell.show(
        StatusNotice(
          .info, isForDay ? "status.themeForDay" : "status.themeForNight",
          ["name": localizer.name(of: theme)]))
    } catch {
      shell.report(error)
    }
    invalidation.raise()
  }

  /// Handles Esc: restores the theme before the preview.
  /// - Returns: whether there was a preview.
  @discardableResult package func undo() -> Bool {
    guard isTrying else { return false }
    themes.preview(nil)
    (isTrying, selected) = (false, themes.shown())
    invalidation.raise()
    return true
  }

  private var selectedTheme: ThemeState? {
    states.first { $0.id == selected }
  }

  /// Handles `a`: asks for the name of a new theme that copies the selected one.
  package func askForCopy() {
    guard let base = selectedTheme else { return }
    var field = FormField(.text, "name", label: localizer("themes.newName"))
    field.isRequired = true
    let prompt = PromptViewModel(
      title: localizer("themes.new"),
      text: localizer("themes.newText", ["name": localizer.name(of: base)]),
      fields: [field], submit: localizer("settings.save"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let self, let name = typed["name"] else { return [:] }
      do { try themes.copy(base.id, name) } catch {
        return ["name": localizer(NatterError(reporting: error, key: "error.unexpected"))]
      }
      select(name)
      shell.show(StatusNotice(.info, "status.themeMade", ["name": name]))
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  /// Handles `e`: opens the file of one of the user's own themes in the editor.
  package func edit() {
    guard let theme = selectedTheme else { return }
    guard theme.isOwn else {
      return shell.show(
        StatusNotice(.info, "status.themeShipped", ["name": localizer.name(of: theme)]))
    }
    themes.edit(theme.id)
  }
}
