import NatterCore
import Text

/// The scripts of the profile, and the details of one of them: a page of Me.
package final class ScriptsViewModel: ValueListing {
  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      invalidation.raise()
      cancelReading?()
      if isFocused { read() }
    }
  }

  private let shell: ShellViewModel
  private let center: ScriptCenter?
  /// The script whose details are shown; `nil`: the list.
  private var opened: String?
  /// The row that is selected in the list, and in the details.
  private var (listed, detail) = ("", "")
  private var cancelReading: (() -> Void)?
  /// The time between two readings of what the scripts use.
  private static let interval = Duration.seconds(10)

  /// Returns whether scripts run in this shell.
  package static func isOffered(in shell: ShellViewModel) -> Bool { shell.ports.scripts != nil }

  package init(shell: ShellViewModel) {
    (self.shell, center) = (shell, shell.ports.scripts)
    center?.follow(for: self) { [weak self] in self?.listChanged() }
  }

  private var localizer: Localizer { shell.format.localizer }
  private var texts: ScriptText { ScriptText(shell.format) }
  private var tool: ScriptTool { shell.tools.scripts }

  private var scripts: [ScriptSummary] { center?.scripts ?? [] }

  private func script(named name: String) -> ScriptSummary? { center?.script(named: name) }

  private func listChanged() {
    // A script whose folder is gone has no details.
    if let opened, script(named: opened) == nil, center?.list != nil { self.opened = nil }
    invalidation.raise()
  }

  /// Reads what the scripts use, as long as the page has the focus.
  private func read() {
    shell.lifetime.aside { [center] in await center?.refresh() }
    guard !shell.isCalm else { return }
    cancelReading = shell.scheduler.after(Self.interval) { [weak self] in
      if self?.isFocused == true { self?.read() }
    }
  }

  // MARK: Rows

  package var title: String {
    guard let script = shown else { return localizer("scripts.page") }
    return localizer("scripts.detailsTitle", ["name": script.name])
  }

  /// The script whose details are shown.
  private var shown: ScriptSummary? { opened.flatMap { script(named: $0) } }

  private var details: ScriptDetails? {
    shown.map { ScriptDetails($0, format: shell.format, now: shell.now()) }
  }

  package var items: [ValueItem] {
    let rows: [ValueItem]
    if let script = shown, let details {
      rows =
        [ValueItem(id: "back", title: localizer("scripts.back"), value: "")]
        + (center?.question(of: script.name) == nil
          ? [] : [ValueItem(id: "question", title: localizer("scripts.answerRow"), value: "")])
        + details.items
    } else {
      rows = scripts.map { script in
        var item = ValueItem(id: script.name, title: script.name, value: texts.facts(of: script))
        item.isChanged = script.isEnabled
        return item
      }
    }
    let selected = selectedIndex(in: rows)
    return rows.enumerated().map { index, item in
      var item = item
      item.isSelected = index == selected
      return item
    }
  }

  private func selectedIndex(in rows: [ValueItem]) -> Int {
    let wanted = opened == nil ? listed : detail
    return rows.firstIndex { $0.id == wanted } ?? 0
  }

  /// The script that is selected in the list, or whose details are shown.
  private var current: ScriptSummary? {
    if let shown { return shown }
    let scripts = scripts
    return scripts.first { $0.name == listed } ?? scripts.first
  }

  private var selectedID: String { items.first(where: \.isSelected)?.id ?? "" }

  package var help: [String] {
    guard let script = current else {
      return center?.list == nil
        ? [localizer("scripts.reading")]
        : [localizer("scripts.empty"), localizer("scripts.emptyNew")]
    }
    if let details {
      switch selectedID {
      case "back": return [texts.heading(of: script)] + texts.help(on: script)
      case "question": return texts.help(on: .asking)
      default: return details.help(on: selectedID)
      }
    }
    return [texts.heading(of: script)] + texts.help(on: script)
      + (script.confinement == .open ? [localizer("scripts.openWarning")] : [])
  }

  // MARK: User input

  package func select(_ id: ValueItem.ID) {
    if opened == nil { listed = id } else { detail = id }
    invalidation.raise()
  }

  /// Opens the details of the script of that name.
  package func select(key: String) {
    guard !key.isEmpty else { return }
    if script(named: key) != nil {
      showDetails(of: key)
    } else {
      select(key)
    }
  }

  package func moveSelection(_ step: Int) {
    let rows = items
    guard !rows.isEmpty else { return }
    let index = selectedIndex(in: rows)
    let last = rows.count - 1
    select(rows[step == .min ? 0 : step == .max ? last : min(last, max(0, index + step))].id)
  }

  package func open() {
    guard let script = current else { return }
    guard opened != nil else {
      // The answer is what the script waits for.
      if !tool.showQuestion(of: script.name) { showDetails(of: script.name) }
      return
    }
    let id = selectedID
    switch id {
    case "back": _ = leave()
    case "question": tool.showQuestion(of: script.name)
    case "state": toggle()
    case "log": showLog()
    case "restart": restart()
    default:
      if let setting = details?.setting(id) { edit(setting, of: script) }
    }
  }

  private func showDetails(of name: String) {
    (opened, listed, detail) = (name, name, "state")
    invalidation.raise()
  }

  /// Goes from the details back to the list.
  /// - Returns: `false` if the list is shown.
  package func leave() -> Bool {
    guard opened != nil else { return false }
    opened = nil
    invalidation.raise()
    return true
  }

  /// Left goes back to the list; Right opens the details.
  package func turn(_ step: Int) {
    if step < 0 {
      _ = leave()
    } else if opened == nil, let script = current {
      showDetails(of: script.name)
    }
  }

  /// Disables a script, or enables it after a question.
  package func toggle() {
    guard let script = current else { return }
    if script.isEnabled { tool.setEnabled(false, script.name) } else { tool.askToEnable(script) }
  }

  package func restart() { if let script = current { tool.restart(script.name) } }

  package func showLog() { if let script = current { tool.showLog(of: script.name) } }

  /// Takes a right back, or a setting back to its default.
  package func reset() {
    guard let script = current else { return }
    guard let details else { return shell.show(StatusNotice(.info, "scripts.removeHint")) }
    let id = selectedID
    if let right = details.decidedRight(id) {
      tool.revoke(right, of: script)
    } else if let setting = details.setting(id) {
      tool.set(setting.name, to: nil, of: script.name)
    } else {
      shell.show(StatusNotice(.info, "scripts.nothingToRemove"))
    }
  }

  private func edit(_ setting: ScriptManifest.Setting, of script: ScriptSummary) {
    let name = setting.name
    var field = FormField(.text, "value", label: ErrorText.oneLine(name, limit: 40))
    field.text = script.settings[name] ?? setting.standard
    field.cursor = field.text.count
    let prompt = PromptViewModel(
      title: localizer("scripts.settingTitle", ["name": ErrorText.oneLine(name, limit: 40)]),
      text: ErrorText.oneLine(setting.help), fields: [field], submit: localizer("settings.save"),
      localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      self?.tool.set(name, to: typed["value"] ?? "", of: script.name)
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }
}
