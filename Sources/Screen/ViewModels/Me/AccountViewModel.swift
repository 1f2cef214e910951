import Keys
import NatterCore
import Text

/// The account on its server: its devices, its stored data, and the ways to leave.
package final class AccountViewModel: ValueListing {
  private enum Row: String, CaseIterable {
    case devices, files, support, password, signOut, delete
  }

  /// The file size that the server accepts.
  package enum FileRoom: Hashable, Sendable {
    /// It accepts no files at all.
    case none
    /// It accepts files of an unknown size.
    case unreported
    /// The limit per file, in bytes.
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
  private var devices: [ContactClient] = []
  private var supportAddresses: [String]?
  private var uploads = FileTotals(count: 0, byteCount: 0)
  /// The answer of the server; `nil` before the query.
  private var fileRoom: FileRoom?
  private var selected = 0 { didSet { if selected != oldValue { invalidation.raise() } } }

  /// - Parameters:
  ///   - support: queries the server's contact addresses (XEP-0157).
  ///   - room: queries the largest file size that the server accepts (XEP-0363 §3).
  package init(
    shell: ShellViewModel, support: @escaping () async throws -> [String],
    room: @escaping () async throws -> FileRoom = { .unreported }
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
    // Sent files are counted by the messages that offer them: transfers in progress change nothing.
    case .transfersChanged(let changed):
      if changed.contains(where: { $0.direction == .upload && $0.state == .done }) { load() }
    case .messagesStored(let stored):
      if stored.contains(where: { $0.direction == .outgoing && $0.file != nil }) { load() }
    default: break
    }
  }

  /// Loads the stored data.
  private func load() {
    shell.lifetime.inOrder { [weak self] in
      guard let self else { return }
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

  /// Queries the server, when the user opens the page.
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
    Row.allCases.enumerated().map { index, row in
      var item = ValueItem(
        id: row.rawValue, title: localizer("account.row.\(row.rawValue)"), value: value(of: row))
      item.isSelected = index == selected
      return item
    }
  }

  private func value(of row: Row) -> String {
    let none = localizer("settings.none")
    switch row {
    case .devices:
      let names = devices.map { device in
        let known = device.name.map { "\($0) (\(device.presence.resource))" }
        let name = String((known ?? device.presence.resource).prefix(60))
        return device.isThisProgram ? localizer("account.thisProgram", ["program": name]) : name
      }
      return names.isEmpty ? none : localizer.list(names)
    case .files:
      let files =
        uploads.count == 0
        ? none
        : localizer.plural(
          "account.files", uploads.count, ["size": localizer.size(uploads.byteCount)])
      switch fileRoom {
      case nil: return files
      case FileRoom.none?: return localizer("account.filesRefused", ["files": files])
      case .unreported?: return localizer("account.filesUntold", ["files": files])
      case .each(let size)?:
        return localizer("account.filesLimit", ["files": files, "size": localizer.size(size)])
      }
    case .support:
      guard let supportAddresses else { return localizer("account.unknown") }
      return supportAddresses.isEmpty ? none : localizer.list(supportAddresses)
    case .password, .signOut, .delete: return ""
    }
  }

  package var help: [String] {
    let row = Row.allCases[selected]
    // A value that does not fit its row is shown in full here.
    let whole = [.devices, .support].contains(row) ? value(of: row) : ""
    return [localizer("account.row.\(row.rawValue)-help"), whole].filter { !$0.isEmpty }
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

  package func open() {
    switch Row.allCases[selected] {
    case .password: shell.actions.changePassword()
    case .signOut: shell.actions.signOut()
    case .delete: try? Command.unregister.execute(CommandCall(rest: ""), shell)
    case .files: shell.actions.openTab(.files)
    case .devices, .support: look()
    }
  }

  package func turn(_ step: Int) {}

  package func reset() {}
}
