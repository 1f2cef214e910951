import NatterCore

/// A page of settings: those of one section of `config.toml`.
package final class SettingsViewModel: ValueListing {
  package let invalidation = Invalidation()
  package let title: String
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      // The file may say something else now.
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
  /// What the connection uses, on its page.
  private let connection: ConnectionRows?

  /// - Parameter section: the file's section.
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

  /// Values that have names of their own are shown by them as soon as those are known, and offered as soon as there are more.
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

  /// What the selected setting does, and what it is by default.
  package var help: [String] {
    guard let state = current else {
      return [items.first(where: \.isSelected).flatMap { connection?.help(of: $0.id) }]
        .compactMap { $0 }
    }
    let standard =
      state.standard.isEmpty
      ? localizer("settings.noDefault")
      : localizer("settings.default", ["value": text(state.standard, of: state)])
    // What the text above calls it, where the row says it in other words.
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

  /// What it is set to, and what that comes to where the program chooses.
  private func shown(_ state: SettingState) -> String {
    if state.value.isEmpty || state.value == "auto", let used = connection?.inUse(state.id.key) {
      return used
    }
    guard state.value == "auto", let outcome = settings.automatic(state.id) else {
      return text(state.value, of: state)
    }
    return localizer("settings.automatic", ["value": outcome])
  }

  /// What it does, in the words that the rows have: those of the file are for whoever writes there.
  private func description(of state: SettingState) -> String {
    var words: [String: String] = [:]
    switch state.kind {
    case .boolean:
      for word in ["true", "false"] { words[word] = text(word, of: state) }
    case .choice(let values): for value in values { words[value] = text(value, of: state) }
    case .number, .text: words["auto"] = localizer("settings.value.auto")
    }
    // What a value is called comes before what another setting is.
    for other in states where other.id != state.id && words[other.id.key] == nil {
      words[other.id.key] = localizer("settings.named", ["title": localizer(titleKey(other))])
    }
    return localizer(titleKey(state) + "-help", words)
  }

  /// What it can be, where not every value is told of by itself: the names of files, as of the themes.
  private func values(of state: SettingState) -> String? {
    guard case .choice(let values) = state.kind,
      localizer.untold(values, in: titleKey(state) + "-help")
    else { return nil }
    return localizer(
      "settings.oneOf", ["names": localizer.list(values.map { text($0, of: state) })])
  }

  private var current: SettingState? { states.indices.contains(selected) ? states[selected] : nil }

  private func titleKey(_ state: SettingState) -> String {
    "setting.\(state.id.section).\(state.id.key)"
  }

  /// A value in the person's words.
  private func text(_ value: String, of state: SettingState) -> String {
    switch state.kind {
    case .boolean: localizer(value == "true" ? "settings.on" : "settings.off")
    case .choice:
      localizer.name(of: value, of: state.id) ?? settings.name(state.id, value) ?? value
    case .number, .text: value.isEmpty ? localizer("settings.none") : value
    }
  }

  // MARK: What the person does

  package func select(_ id: ValueItem.ID) {
    if let index = items.firstIndex(where: { $0.id == id }) { selected = index }
  }

  /// Goes to the setting with that key of this section.
  package func select(key: String) { select(key) }

  /// Moves the selection; it stops at the ends.
  package func moveSelection(_ step: Int) {
    let last = items.count - 1
    guard last >= 0 else { return }
    let wanted = step == .min ? 0 : step == .max ? last : min(last, max(0, selected + step))
    // That another one was saved is of no more interest.
    if wanted != selected { shell.status.clearInfo() }
    selected = wanted
  }

  /// Left and Right: the value before or after.
  package func turn(_ step: Int) {
    guard let state = current else { return }
    let words: [String]
    switch state.kind {
    case .boolean: words = ["true", "false"]
    case .choice(let all): words = all
    case .number, .text: return
    }
    guard let index = words.firstIndex(of: state.value), !words.isEmpty else { return }
    change(state, to: words[(index + step + words.count) % words.count])
  }

  /// Enter: changes it, in the way that fits it.
  package func open() {
    guard let state = current else { return }
    switch state.kind {
    case .boolean: turn(1)
    case .choice(let words): choose(words, of: state)
    case .number, .text: ask(state)
    }
  }

  /// Del: back to the default.
  package func reset() {
    guard let state = current, state.value != state.standard else { return }
    change(state, to: nil)
  }

  private func choose(_ words: [String], of state: SettingState) {
    let offer = ChoiceOffer(words, words: words.map { text($0, of: state) })
    shell.actions.choose(
      ChoiceRequest(
        title: localizer(titleKey(state)), offer: offer,
        selected: words.firstIndex(of: state.value) ?? 0,
        onMove: { [settings] in settings.preview(state.id, offer.values[$0]) },
        onEnd: { [weak self, settings] index in
          settings.preview(state.id, nil)
          if let index { self?.change(state, to: offer.values[index]) }
        }))
    refreshNames { page in
      guard case .choice(let fresh)? = page.states.first(where: { $0.id == state.id })?.kind,
        fresh != offer.values
      else { return }
      offer.change(to: fresh, words: fresh.map { page.text($0, of: state) })
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

  /// - Returns: what is wrong with the value.
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
      return localizer(NatterError(telling: error, key: "error.unexpected"))
    }
  }
}
