import NatterCore
import Text

/// The presence of the account as contacts see it: the page Presence of Me.
package final class PresenceViewModel: ValueListing {
  private enum Row: String, CaseIterable { case presence, status, priority }

  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }

  private let shell: ShellViewModel
  private var own = OwnPresence()
  /// The last change, until it is stored; the next one is based on it.
  private var wanted: OwnPresence?
  private var latest: OwnPresence { wanted ?? own }
  private var selected = 0 { didSet { if selected != oldValue { invalidation.raise() } } }

  package init(shell: ShellViewModel) {
    self.shell = shell
    shell.follow { [weak self] in self?.handle($0) }
    load()
  }

  private var localizer: Localizer { shell.format.localizer }

  private func handle(_ event: DomainEvent) {
    switch event {
    case .presenceChanged(let changed):
      if changed.contains(where: { $0.jid == shell.format.account }) { load() }
    case .connectionChanged: load()
    default: break
    }
  }

  /// Loads the stored data.
  private func load() {
    shell.lifetime.inOrder { [weak self] in
      guard let self else { return }
      own = await shell.ports.ownPresence.ownPresence()
      invalidation.raise()
    }
  }

  // MARK: Rows

  package var title: String { shell.titled(localizer("ownPresence.page")) }

  package var items: [ValueItem] {
    Row.allCases.enumerated().map { index, row in
      var item = ValueItem(
        id: row.rawValue, title: localizer("ownPresence.row.\(row.rawValue)"), value: value(of: row)
      )
      item.isSelected = index == selected
      return item
    }
  }

  private func value(of row: Row) -> String {
    switch row {
    case .presence: shell.format.presence(own.availability)
    case .status: own.status ?? localizer("settings.none")
    case .priority: String(own.priority)
    }
  }

  package var help: [String] {
    let row = Row.allCases[selected]
    // A value that does not fit its row is shown in full here.
    let whole = row == .status ? own.status ?? "" : ""
    return [localizer("ownPresence.row.\(row.rawValue)-help"), whole].filter { !$0.isEmpty }
  }

  // MARK: User input

  package func select(_ id: ValueItem.ID) {
    if let index = Row.allCases.firstIndex(where: { $0.rawValue == id }) { selected = index }
  }

  package func select(key: String) { select(key) }

  package func moveSelection(_ step: Int) {
    let last = Row.allCases.count - 1
    selected = step == .min ? 0 : step == .max ? last : min(last, max(0, selected + step))
  }

  private static let availabilities: [Availability] = [
    .online, .chatty, .away, .extendedAway, .busy,
  ]

  package func open() {
    switch Row.allCases[selected] {
    case .presence:
      let all = Self.availabilities
      shell.actions.choose(
        ChoiceRequest(
          title: localizer("ownPresence.row.presence"),
          labels: all.map { shell.format.presence($0) },
          selected: all.firstIndex(of: own.availability) ?? 0
        ) { [weak self] in
          if let index = $0 { self?.set(all[index]) }
        })
    case .status: ask(.status, own.status ?? "") { [weak self] in self?.set(status: $0) }
    case .priority:
      ask(.priority, String(own.priority)) { [weak self] in self?.set(priority: $0) }
    }
  }

  package func turn(_ step: Int) {
    let all = Self.availabilities
    guard Row.allCases[selected] == .presence, let now = all.firstIndex(of: latest.availability)
    else { return }
    set(all[(now + step + all.count) % all.count])
  }

  /// Handles Del: removes the status message, or resets the priority to 0.
  package func reset() {
    switch Row.allCases[selected] {
    case .presence: break
    case .status: _ = set(status: "")
    case .priority: _ = set(priority: "0")
    }
  }

  private func set(_ availability: Availability) {
    var next = latest
    next.availability = availability
    set(next)
  }

  private func set(status: String) -> String? {
    var next = latest
    next.status = status.isEmpty ? nil : String(status.prefix(500))
    set(next)
    return nil
  }

  /// Shows a change once it is stored.
  private func set(_ next: OwnPresence) {
    wanted = next
    OwnPresenceChange.set(next, in: shell) { [weak self] in
      guard let self else { return }
      if wanted == next { wanted = nil }
      load()
    }
  }

  private func set(priority: String) -> String? {
    guard let number = Int8(priority) else { return localizer("ownPresence.badPriority") }
    shell.perform(StatusNotice(.info, "status.profileSaved")) { [weak self, ports = shell.ports] in
      try await ports.ownPresence.setPriority(Int(number))
      self?.load()
    }
    return nil
  }

  private func ask(_ row: Row, _ text: String, _ take: @escaping (String) -> String?) {
    let title = localizer("ownPresence.row.\(row.rawValue)")
    var field = FormField(.text, "value", label: title)
    field.text = text
    field.cursor = text.count
    field.hint = localizer("ownPresence.row.\(row.rawValue)-help")
    let prompt = PromptViewModel(
      title: title, fields: [field], submit: localizer("settings.save"), localizer: localizer)
    prompt.onSubmit = { typed in
      take(typed["value"] ?? "").map { ["value": $0] } ?? [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }
}
