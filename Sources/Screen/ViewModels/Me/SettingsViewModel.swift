import NatterCore
import Text

/// A page of settings: those of a section of `config.toml`.
package final class SettingsViewModel: ValueListing {
  package let invalidation = Invalidation()
  package let title: String
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      // The file may have changed.
      if isFocused {
        states = settings.read().filter { $0.id.section == section }
        refreshNames()
        connection?.load()
      }
      invalidation.raise()
    }
  }

  private let section: String
  private let shell: ShellViewModel
  private let settings: SettingsActions
  private var states: [SettingState]
  private var selected = 0 { didSet { invalidation.raise() } }
  /// The values in use by the connection, on its page.
  private let connection: ConnectionRows?

  /// - Parameter section: the section of the file.
  package init(section: String, shell: ShellViewModel, settings: SettingsActions) {
    self.section = section
    self.shell = shell
    self.settings = settings
    title = shell.format.localizer("settings.page.\(section)")
    states = settings.read().filter { $0.id.section == section }
    connection = section == "account" ? ConnectionRows(shell: shell) : nil
    connection?.onChange = { [weak self] in self?.invalidation.raise() }
    refreshNames()
  }

  /// Updates the names of values once they are known, and offers new values once there are any.
  private func refreshNames(then offer: @escaping (SettingsViewModel) -> Void = { _ in }) {
    Task { [weak self, settings, section] in
      await settings.refreshNames(section)
      guard let self else { return }
      states = settings.read().filter { $0.id.section == section }
      invalidation.raise()
      offer(self)
    }
  }

  private var localizer: Localizer { shell.format.localizer }

  /// The rows from the top.
  package var items: [ValueItem] {
    var items = states.map { state in
      var item = ValueItem(
        id: state.id.key, title: localizer(titleKey(state)), value: shown(state))
      item.isChanged = state.value != state.standard
      return item
    }
    items += connection?.items ?? []
    if items.indices.contains(selected) { items[selected].isSelected = true }
    return items
  }

  /// The description of the selected setting, and its default.
  package var help: [String] {
    guard let state = current else {
      return [items.first(where: \.isSelected).flatMap { connection?.help(of: $0.id) }]
        .compactMap { $0 }
    }
    let standard =
      state.standard.isEmpty
      ? localizer("settings.noDefault")
      : localizer("settings.default", ["value": text(state.standard, of: state)])
    // The value in the file's language, if the row shows another word for it.
    let word: String? =
      if case .choice = state.kind, text(state.value, of: state) != state.value {
        localizer("settings.word", ["value": state.value])
      } else {
        nil
      }
    return [description(of: state), values(of: state), example(of: state), standard, word]
      .compactMap { $0 }
  }

  private func example(of state: SettingState) -> String? {
    state.example.map { localizer("settings.example", ["value": $0]) }
  }

  /// Returns the value, and its result if the program chooses it.
  private func shown(_ state: SettingState) -> String {
    if state.value.isEmpty || state.value == "auto", let used = connection?.inUse(state.id.key) {
      return used
    }
    guard state.value == "auto", let outcome = settings.automatic(state.id) else {
      return text(state.value, of: state)
    }
    return localizer("settings.automatic", ["value": outcome])
  }

  /// Returns the description, with the values named as in the rows: the file's own values are for
  /// users who edit it.
  private func description(of state: SettingState) -> String {
    var labels: [String: String] = [:]
    switch state.kind {
    case .boolean:
      for word in ["true", "false"] { labels[word] = text(word, of: state) }
    case .choice(let values): for value in values { labels[value] = text(value, of: state) }
    case .number, .text: labels["auto"] = localizer("settings.value.auto")
    }
    // The name of a value has precedence over the name of another setting.
    for other in states where other.id != state.id && labels[other.id.key] == nil {
      labels[other.id.key] = localizer("settings.named", ["title": localizer(titleKey(other))])
    }
    return localizer(titleKey(state) + "-help", labels)
  }

  /// Returns the possible values, if the description does not mention each of them: names of files,
  /// such as themes.
  private func values(of state: SettingState) -> String? {
    guard case .choice(let values) = state.kind,
      localizer.unreported(values, in: titleKey(state) + "-help")
    else { return nil }
    return localizer(
      "settings.oneOf", ["names": localizer.list(values.map { text($0, of: state) })])
  }

  private var current: SettingState? { states.indices.contains(selected) ? states[selected] : nil }

  private func titleKey(_ state: SettingState) -> String {
    "setting.\(state.id.section).\(state.id.key)"
  }

  /// Returns a value in the user's language.
  private func text(_ value: String, of state: SettingState) -> String {
    switch state.kind {
    case .boolean: localizer(value == "true" ? "settings.on" : "settings.off")
    case .choice:
      localizer.name(of: value, of: state.id) ?? settings.name(state.id, value) ?? value
    case .number, .text: value.isEmpty ? localizer("settings.none") : value
    }
  }

  // MARK: User input

  package func select(_ id: ValueItem.ID) {
    if let index = items.firstIndex(where: { $0.id == id }) { selected = index }
  }

  /// Selects the setting with that key in this section.
  package func select(key: String) { select(key) }

  /// Moves the selection; it stops at the ends.
  package func moveSelection(_ step: Int) {
    let last = items.count - 1
    guard last >= 0 else { return }
    let wanted = step == .min ? 0 : step == .max ? last : min(last, max(0, selected + step))
    // The notice that another setting was saved loses its interest.
    if wanted != selected { shell.status.clearInfo() }
    selected = wanted
  }

  /// Handles Left and Right: the previous or next value.
  package func turn(_ step: Int) {
    guard let state = current else { return }
    let labels: [String]
    switch state.kind {
    case .boolean: labels = ["true", "false"]
    case .choice(let all): labels = all
    case .number, .text: return
    }
    guard let index = labels.firstIndex(of: state.value), !labels.isEmpty else { return }
    change(state, to: labels[(index + step + labels.count) % labels.count])
  }

  /// Handles Enter: changes the value, in the way that suits its kind.
  package func open() {
    guard let state = current else { return }
    switch state.kind {
    case .boolean: turn(1)
    case .choice(let labels): choose(labels, of: state)
    case .number, .text: ask(state)
    }
  }

  /// Handles Del: resets to the default.
  package func reset() {
    guard let state = current, state.value != state.standard else { return }
    change(state, to: nil)
  }

  private func choose(_ labels: [String], of state: SettingState) {
    let offer = ChoiceOffer(labels, labels: labels.map { text($0, of: state) })
    shell.actions.choose(
      ChoiceRequest(
        title: localizer(titleKey(state)), offer: offer,
        selected: labels.firstIndex(of: state.value) ?? 0,
        onMove: { [settings] in settings.preview(state.id, offer.values[$0]) },
        onEnd: { [weak self, settings] index in
          settings.preview(state.id, nil)
          if let index { self?.change(state, to: offer.values[index]) }
        }))
    refreshNames { page in
      guard case .choice(let fresh)? = page.states.first(where: { $0.id == state.id })?.kind,
        fresh != offer.values
      else { return }
      offer.change(to: fresh, labels: fresh.map { page.text($0, of: state) })
    }
  }

  private func ask(_ state: SettingState) {
    var field = FormField(.text, "value", label: localizer(titleKey(state)))
    field.text = state.value
    field.cursor = state.value.count
    field.hint = example(of: state)
    if case .number(let range) = state.kind {
      field.hint = localizer(
        "settings.range", ["least": "\(range.lowerBound)", "most": "\(range.upperBound)"])
    }
    let prompt = PromptViewModel(
      title: title, text: description(of: state), fields: [field],
      submit: localizer("settings.save"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      let value = typed["value"] ?? ""
      if let wrong = self?.change(state, to: value.isEmpty ? nil : value) {
        return ["value": wrong]
      }
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  /// - Returns: the error in the value, or `nil`.
  @discardableResult private func change(_ state: SettingState, to value: String?) -> String? {
    defer {
      states = settings.read().filter { $0.id.section == section }
      invalidation.raise()
    }
    do {
      let holds = try settings.change(state.id, value)
      shell.show(StatusNotice(.info, holds ? "status.settingSaved" : "status.settingNextStart"))
      return nil
    } catch {
      shell.report(error)
      return localizer(NatterError(reporting: error, key: "error.unexpected"))
    }
  }
}
