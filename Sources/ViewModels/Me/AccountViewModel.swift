import NatterCore

/// The account on its server: how one is seen, where one is signed in, what lies there, and the ways out.
package final class AccountViewModel: ValueListing {
  private enum Row: String, CaseIterable {
    case presence, status, priority, devices, files, support, password, signOut, delete
  }

  /// How much the server takes.
  package enum FileRoom: Hashable, Sendable {
    /// It takes no files at all.
    case none
    /// It takes files and does not say how large they may be.
    case untold
    /// Files of at most so many bytes each.
    case each(Int)
  }

  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet {
      guard isFocused != oldValue else { return }
      invalidation.raise()
      if isFocused { look() }
    }
  }

  private let shell: ShellViewModel
  private let support: () async throws -> [String]
  private let room: () async throws -> FileRoom
  private var own = OwnPresence()
  private var devices: [ContactClient] = []
  private var supportAddresses: [String]?
  private var uploads = FileTotals(count: 0, byteCount: 0)
  /// `nil`: it was not asked.
  private var fileRoom: FileRoom?
  private var selected = 0 { didSet { if selected != oldValue { invalidation.raise() } } }

  /// - Parameters:
  ///   - support: asks the server where its people can be reached (XEP-0157).
  ///   - room: how large a file the server takes (XEP-0363 §3).
  package init(
    shell: ShellViewModel, support: @escaping () async throws -> [String],
    room: @escaping () async throws -> FileRoom = { .untold }
  ) {
    self.shell = shell
    self.support = support
    self.room = room
    shell.follow { [weak self] in self?.handle($0) }
    load()
  }

  private var localizer: Localizer { shell.format.localizer }

  private func handle(_ event: DomainEvent) {
    switch event {
    case .presenceChanged(let changed):
      if changed.contains(where: { $0.jid == shell.format.account }) { load() }
    case .connectionChanged: load()
    // What has gone is counted by the messages that offer it: what is on its way changes nothing.
    case .transfersChanged(let changed):
      if changed.contains(where: { $0.direction == .upload && $0.state == .done }) { load() }
    case .messagesStored(let stored):
      if stored.contains(where: { $0.direction == .outgoing && $0.file != nil }) { load() }
    default: break
    }
  }

  /// What is known here.
  private func load() {
    shell.lifetime.inOrder { [weak self] in
      guard let self else { return }
      own = await shell.ports.ownPresence.ownPresence()
      if let files = shell.ports.files {
        do {
          uploads = try await files.history.totals(of: FileFilter(direction: .outgoing))
        } catch {
          shell.report(error)
        }
      }
      if let people = shell.ports.people {
        let details = try? await people.describing.details(of: shell.format.account)
        devices = details?.clients ?? []
      }
      invalidation.raise()
    }
  }

  /// Asks the server, once somebody looks.
  private func look() {
    guard shell.connectionState.isOnline else { return }
    shell.lifetime.aside { [weak self] in
      guard let self else { return }
      if supportAddresses == nil { supportAddresses = try? await support() }
      if fileRoom == nil { fileRoom = try? await room() }
      if let people = shell.ports.people,
        let details = try? await people.describing.refreshedDetails(of: shell.format.account)
      {
        devices = details.clients
      }
      invalidation.raise()
    }
  }

  // MARK: Rows

  package var title: String { shell.titled(localizer("account.page")) }

  package var items: [ValueItem] {
    Row.allCases.enumerated().map { place, row in
      var item = ValueItem(
        id: row.rawValue, title: localizer("account.row.\(row.rawValue)"), value: value(of: row))
      item.isSelected = place == selected
      return item
    }
  }

  private func value(of row: Row) -> String {
    let none = localizer("settings.none")
    switch row {
    case .presence: return shell.format.presence(own.availability)
    case .status: return own.status ?? none
    case .priority: return String(own.priority)
    case .devices:
      let names = devices.map { device in
        let name = device.name.map { "\($0) (\(device.presence.resource))" }
        return String((name ?? device.presence.resource).prefix(60))
      }
      return names.isEmpty ? none : names.joined(separator: ", ")
    case .files:
      let files =
        uploads.count == 0
        ? none
        : localizer.plural(
          "account.files", uploads.count, ["size": localizer.size(uploads.byteCount)])
      switch fileRoom {
      case nil: return files
      case FileRoom.none?: return localizer("account.filesRefused", ["files": files])
      case .untold?: return localizer("account.filesUntold", ["files": files])
      case .each(let size)?:
        return localizer("account.filesLimit", ["files": files, "size": localizer.size(size)])
      }
    case .support:
      guard let supportAddresses else { return localizer("account.unknown") }
      return supportAddresses.isEmpty ? none : supportAddresses.joined(separator: ", ")
    case .password, .signOut, .delete: return ""
    }
  }

  package var help: [String] {
    let row = Row.allCases[selected]
    // What does not fit its row stands here whole.
    let whole = [.devices, .support].contains(row) ? value(of: row) : ""
    return [localizer("account.row.\(row.rawValue)-help"), whole].filter { !$0.isEmpty }
  }

  // MARK: What the person does

  package func select(_ id: ValueItem.ID) {
    if let place = Row.allCases.firstIndex(where: { $0.rawValue == id }) { selected = place }
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
          title: localizer("account.row.presence"), words: all.map { shell.format.presence($0) },
          selected: all.firstIndex(of: own.availability) ?? 0
        ) { [weak self] in
          if let index = $0 { self?.set(all[index]) }
        })
    case .status: ask(.status, own.status ?? "") { [weak self] in self?.set(status: $0) }
    case .priority:
      ask(.priority, String(own.priority)) { [weak self] in self?.set(priority: $0) }
    case .password: shell.actions.changePassword()
    case .signOut: shell.actions.signOut()
    case .delete: try? Command.unregister.execute(CommandCall(rest: ""), shell)
    case .files: shell.actions.openTab(.files)
    case .devices, .support: look()
    }
  }

  package func turn(_ step: Int) {
    let all = Self.availabilities
    guard Row.allCases[selected] == .presence, let now = all.firstIndex(of: own.availability) else {
      return
    }
    set(all[(now + step + all.count) % all.count])
  }

  /// Del: takes the words away, or the priority back to 0.
  package func reset() {
    switch Row.allCases[selected] {
    case .status: _ = set(status: "")
    case .priority: _ = set(priority: "0")
    default: break
    }
  }

  private func set(_ availability: Availability) {
    own.availability = availability
    invalidation.raise()
    shell.setPresence(availability, status: own.status)
  }

  private func set(status: String) -> String? {
    own.status = status.isEmpty ? nil : String(status.prefix(500))
    invalidation.raise()
    shell.setPresence(own.availability, status: own.status)
    return nil
  }

  private func set(priority: String) -> String? {
    guard let number = Int8(priority) else { return localizer("account.badPriority") }
    shell.perform(Notice(.info, "status.profileSaved")) { [weak self, ports = shell.ports] in
      try await ports.ownPresence.setPriority(Int(number))
      self?.load()
    }
    return nil
  }

  private func ask(_ row: Row, _ text: String, _ take: @escaping (String) -> String?) {
    let title = localizer("account.row.\(row.rawValue)")
    var field = FormField(.text, "value", label: title)
    field.text = text
    field.cursor = text.count
    field.hint = localizer("account.row.\(row.rawValue)-help")
    let prompt = PromptViewModel(
      title: title, fields: [field], submit: localizer("settings.save"), localizer: localizer)
    prompt.onSubmit = { typed in
      take(typed["value"] ?? "").map { ["value": $0] } ?? [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }
}
