import NatterCore
import Text
import XMPP

// Rooms that are not listed, and services that list more.
extension RoomsPage {
  func add() {
    shell.actions.choose(
      ChoiceRequest(
        title: localizer("discover.rooms.addTitle"),
        labels: [localizer("discover.rooms.enter"), localizer("discover.addTitle")], selected: 0
      ) { [weak self] index in
        switch index {
        case 0: self?.askForRoom()
        case 1: self?.askForService()
        default: break
        }
      })
  }

  /// Joins or creates a room that is not listed: `/join` as a form.
  func askForRoom() {
    var address = FormField(.text, "address", label: localizer("discover.rooms.address"))
    address.isRequired = true
    address.hint = localizer("discover.rooms.addressHint")
    var nick = FormField(.text, "nick", label: localizer("discover.rooms.nick"))
    nick.hint = localizer("discover.rooms.nickHint")
    let prompt = PromptViewModel(
      title: localizer("discover.rooms.enter"), text: localizer("discover.rooms.enterText"),
      fields: [address, nick], submit: localizer("discover.join"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let self else { return [:] }
      let (name, nick) = ((typed["address"] ?? "").trimmed, (typed["nick"] ?? "").trimmed)
      if name.hasAddressMark, shell.actions.parseAddress(name)?.local == nil {
        return ["address": localizer("error.badAddress", ["text": name])]
      }
      shell.joinRoom(name, nick: nick.isEmpty ? nil : nick)
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  private func askForService() {
    var address = FormField(.text, "address", label: localizer("discover.addAddress"))
    address.isRequired = true
    address.hint = localizer("discover.addHint")
    let prompt = PromptViewModel(
      title: localizer("discover.addTitle"), text: localizer("discover.addText"),
      fields: [address], submit: localizer("contacts.add"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let self else { return [:] }
      guard let jid = JID(typed: typed["address"] ?? "") else {
        return ["address": localizer("discover.badAddress")]
      }
      shell.addDirectory(jid, finder: finder)
      return [:]
    }
    prompt.close = shell.actions.showForm(prompt.form)
  }

  /// Asks which of the added services to remove.
  func removeService() {
    let added = listing.directories.filter(\.isAdded)
    guard !added.isEmpty else {
      return shell.show(StatusNotice(.info, "status.discover.noneAdded"))
    }
    shell.actions.choose(
      ChoiceRequest(
        title: localizer("discover.removeTitle"), labels: added.map(\.jid.description), selected: 0
      ) { [weak self] index in
        guard let self, let index else { return }
        shell.removeDirectory(added[index].jid, finder: finder)
      })
  }
}
