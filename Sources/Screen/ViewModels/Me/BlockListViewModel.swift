import NatterCore
import Text
import XMPP

/// The addresses that the account has blocked: a page of Me, where each can be unblocked.
package final class BlockListViewModel: ValueListing {
  package let invalidation = Invalidation()
  package var isFocused = false {
    didSet { if isFocused != oldValue { invalidation.raise() } }
  }

  private let shell: ShellViewModel
  private let service: any BlockListChanging
  private var blocked: [BlockedAddress] = []
  private var age: SnapshotAge?
  private var selected = 0 { didSet { if selected != oldValue { invalidation.raise() } } }

  package init(shell: ShellViewModel, blocking: any BlockListChanging) {
    self.shell = shell
    service = blocking
    age = SnapshotAge(shell: shell) {
      try await blocking.blockListConfirmedAt()
    } onChange: { [weak self] in
      self?.invalidation.raise()
    }
    shell.follow { [weak self] in
      self?.age?.handle($0)
      if case .blockListChanged = $0 { self?.load() }
    }
    load()
  }

  private func load() {
    shell.lifetime.inOrder { [weak self] in
      guard let self else { return }
      do {
        blocked = try await service.blocked()
        selected = min(selected, max(0, blocked.count - 1))
        invalidation.raise()
      } catch {
        shell.report(error)
      }
    }
  }

  package var title: String { shell.format.localizer("blocked.title") }

  package var items: [ValueItem] {
    blocked.enumerated().map { index, one in
      let jid = one.jid
      let name = shell.people.name(of: jid)
      var item = ValueItem(
        id: jid.description, title: jid.shown,
        value: name == jid.shown ? "" : name)
      if let change = one.change {
        item.note = note(on: change)
        item.isWrong = !change.isWaiting
      }
      item.isSelected = index == selected
      return item
    }
  }

  private func note(on change: ContactChange) -> String {
    let localizer = shell.format.localizer
    if let refusal = change.refusal {
      return localizer("blocked.refused", ["text": ErrorText.oneLine(localizer(refusal))])
    }
    return localizer(change.operation == .unblock ? "blocked.unblockWaits" : "blocked.waits")
  }

  package var help: [String] {
    let localizer = shell.format.localizer
    return [age?.text, localizer(blocked.isEmpty ? "blocked.none" : "blocked.help")]
      .compactMap { $0 } + [localizer("blocked.add")]
  }

  package func select(_ id: ValueItem.ID) {
    if let index = blocked.firstIndex(where: { $0.jid.description == id }) { selected = index }
  }

  package func select(key: String) { select(key) }

  package func moveSelection(_ step: Int) {
    let last = max(0, blocked.count - 1)
    selected = step == .min ? 0 : step == .max ? last : min(last, max(0, selected + step))
  }

  package func open() { reset() }

  package func turn(_ step: Int) {}

  /// Unblocks the selected address, or reverts a change that the server has refused or not
  /// received.
  package func reset() {
    guard blocked.indices.contains(selected) else { return }
    let one = blocked[selected]
    guard let change = one.change, change.operation == .unblock || !change.isWaiting else {
      return shell.unblock(one.jid)
    }
    shell.perform(StatusNotice(.info, "status.changeTakenBack")) { [service] in
      try await service.discardBlocking(of: one.jid)
    }
  }

  package var takesMore: Bool { true }

  package func add() -> Bool {
    let localizer = shell.format.localizer
    var address = FormField(.text, "address", label: localizer("contacts.address"))
    address.isRequired = true
    address.hint = localizer("blocked.addressHint")
    let prompt = PromptViewModel(
      title: localizer("contact.blockTitle"), text: localizer("blocked.addText"),
      fields: [address], submit: localizer("contact.blockAccept"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let self else { return [:] }
      let text = typed["address"] ?? ""
      guard
        let jid = shell.actions.parseAddress(text).map({
          shell.people.isOccupant($0) ? $0 : $0.bare
        })
      else {
        return ["address": localizer("contacts.badAddress")]
      }
      shell.block(jid, report: nil, service)
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
    return true
  }
}
