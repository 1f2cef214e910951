import NatterCore

/// A theme that can be chosen.
nonisolated package struct ThemeState: Identifiable, Hashable, Sendable {
  /// What its file is called, without its ending.
  package let id: String
  /// The name that it gives itself.
  package let name: String
  /// Whether it is for bright surroundings; `nil` as long as that is not known.
  package let isForDay: Bool?
  /// Whether its file is the person's own.
  package let isOwn: Bool

  package init(id: String, name: String, isForDay: Bool?, isOwn: Bool = false) {
    (self.id, self.name, self.isForDay, self.isOwn) = (id, name, isForDay, isOwn)
  }
}

nonisolated extension Localizer {
  /// What a theme is called: one that is shipped in the person's language, one of his own as its file says.
  package func name(of theme: ThemeState) -> String {
    let key = "themes.name.\(theme.id)"
    return !theme.isOwn && has(key) ? self(key) : theme.name
  }
}

/// How themes are read, shown and kept: the program around the shell knows their files and the terminal.
package struct ThemeActions {
  /// The name for the theme that fits the time of day or the terminal.
  package static let automatic = "auto"

  /// Those that there are, with what was read of them last.
  package var read: () -> [ThemeState]
  /// Reads their files aside, for `read` to tell from then on.
  package var refresh: () async -> Void
  /// What holds: a theme, or `automatic`.
  package var kept: () -> String
  /// The theme that is on the screen.
  package var shown: () -> String
  /// The theme that `automatic` is now.
  package var fitting: () -> String
  /// Whether `automatic` goes by the hours of the day; else it goes by the terminal's background.
  package var followsHours: () -> Bool
  /// Shows one without keeping it, `nil`: what is kept.
  package var preview: (String?) -> Void
  /// - Throws: `NatterError` when it could not be kept.
  package var keep: (String) throws -> Void
  /// The least contrast of a text on the screen, as `4.5:1`, and whether all text has enough; `nil` where the terminal's own
  /// colours are used.
  package var contrast: () -> (ratio: String, isEnough: Bool)?
  /// How many colours the terminal has, and what says so.
  package var colors: () -> (count: String, because: String)
  /// Makes a theme of the person's own that is like another one.
  /// - Throws: `NatterError` when there is one of that name, or it could not be written.
  package var copy: (String, String) throws -> Void
  /// Has its file changed in the person's editor.
  package var edit: (String) -> Void
  /// The themes that `automatic` takes by day and at night.
  package var ofTheHours: () -> (day: String, night: String)
  /// Has `automatic` take one by day, or at night.
  /// - Throws: `NatterError` when it could not be kept.
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
  /// What it is made for; where somebody hears the list, also what the others see as signs.
  package let note: String
  /// A sign where it is the one that `automatic` takes by day or at night.
  package let mark: String
  package let isKept: Bool
  package let isSelected: Bool
}

/// The themes there are. The one that is selected is on the screen; it stays there once it is kept
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
  /// As they were read last, be it for somebody else.
  private var states: [ThemeState] { themes.read() }
  private var selected: String
  /// Whether one is on the screen that is not kept.
  package private(set) var isTrying = false

  package init(shell: ShellViewModel, themes: ThemeActions) {
    self.shell = shell
    self.themes = themes
    selected = themes.shown()
    refresh()
  }

  /// Stands where somebody stood in another one; what was tried there is on the screen still.
  package func takePlace(of other: ThemesViewModel) {
    (selected, isTrying) = (other.selected, other.isTrying)
  }

  private var localizer: Localizer { shell.format.localizer }
  private var ids: [String] { states.map(\.id) }

  private func readAgain() {
    if !isTrying { selected = themes.shown() }
    refresh()
  }

  /// Takes what the files say as soon as that is known.
  private func refresh() {
    Task { [weak self, themes] in
      await themes.refresh()
      // The place in the list is the person's by now.
      self?.invalidation.raise()
    }
  }

  // MARK: What is shown

  package var title: String { localizer("themes.title") }

  /// Whether the theme is the one that fits the surroundings.
  package var isAutomatic: Bool { themes.kept() == ThemeActions.automatic }

  /// What it goes by then, and what fits now; the second form is for narrow screens.
  package var automatic: (long: String, short: String) {
    let fitting = themes.fitting()
    let kind = states.first { $0.id == fitting }.flatMap { self.kind(of: $0) }
    let words = ["kind": kind ?? fitting]
    return (
      localizer(themes.followsHours() ? "themes.followHours" : "themes.followTerminal", words),
      localizer("themes.follow", words)
    )
  }

  /// What a theme is made for, as far as that is known.
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

  /// How readable the theme on the screen is, and whether that is enough.
  package var contrast: (text: String, isEnough: Bool) {
    guard let contrast = themes.contrast() else { return (localizer("themes.ownColours"), true) }
    return (
      localizer(
        contrast.isEnough ? "themes.contrast" : "themes.contrastLow", ["ratio": contrast.ratio]),
      contrast.isEnough
    )
  }

  /// The colours that the terminal has.
  package var colors: String {
    let colors = themes.colors()
    return localizer("themes.colours", ["count": colors.count, "because": colors.because])
  }

  // MARK: What the person does

  /// Moves the selection, and shows what is selected; it stops at the ends.
  package func moveSelection(_ step: Int) {
    let ids = ids
    let (index, last) = (ids.firstIndex(of: selected) ?? 0, ids.count - 1)
    guard last >= 0 else { return }
    select(
      ids[step == .min ? 0 : step == .max ? last : min(last, max(0, index + step))])
  }

  /// Shows a theme of that name; one that is not there changes nothing.
  package func select(_ id: ThemeItem.ID) {
    guard ids.contains(id), id != selected else { return }
    (selected, isTrying) = (id, true)
    themes.preview(id)
    invalidation.raise()
  }

  /// Enter: what is selected stays.
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

  /// Space: what fits the surroundings, or what is on the screen whatever they are.
  package func toggleAutomatic() {
    if isAutomatic {
      selected = themes.shown()
      keep(selected)
    } else {
      keep(ThemeActions.automatic)
      if !isTrying { selected = themes.shown() }
    }
  }

  /// `d`: `automatic` takes the selected one by day when it is for bright surroundings, else at night.
  package func keepForHours() {
    guard let theme = selectedTheme, let isForDay = theme.isForDay else { return }
    do {
      try themes.keepForHours(theme.id, isForDay)
      // What is tried stays on the screen, whatever `automatic` takes now.
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

  /// Esc: what was on the screen before comes back.
  /// - Returns: whether there was another.
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

  /// `a`: asks for the name of a theme of one's own that is like the selected one.
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
        return ["name": localizer(NatterError(telling: error, key: "error.unexpected"))]
      }
      select(name)
      shell.show(StatusNotice(.info, "status.themeMade", ["name": name]))
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  /// `e`: the file of one of one's own, in the editor.
  package func edit() {
    guard let theme = selectedTheme else { return }
    guard theme.isOwn else {
      return shell.show(
        StatusNotice(.info, "status.themeShipped", ["name": localizer.name(of: theme)]))
    }
    themes.edit(theme.id)
  }
}
