import NatterCore
import XMPP

// The forms about contacts.
extension ShellViewModel {
  /// Asks for a new contact's address and name.
  package func askForContact() {
    let localizer = format.localizer
    var address = FormField(.text, "address", label: localizer("contacts.address"))
    address.isRequired = true
    address.hint = localizer("contacts.addressHint")
    let name = FormField(.text, "name", label: localizer("contacts.name"))
    let prompt = PromptViewModel(
      title: localizer("contacts.addTitle"), text: localizer("contacts.addText"),
      fields: [address, name], submit: localizer("contacts.add"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let self else { return [:] }
      guard let jid = actions.parseAddress(typed["address"] ?? "")?.bare, jid.local != nil else {
        return ["address": localizer("contacts.badAddress")]
      }
      let name = typed["name"] ?? ""
      addContact(jid, name: name.isEmpty ? nil : name)
      return [:]
    }
    prompt.close = actions.showForm(prompt.form)
  }

  /// Asks what a contact is to be called here.
  package func askForName(of jid: JID) {
    let localizer = format.localizer
    var name = FormField(.text, "name", label: localizer("contacts.name"))
    name.text = people.contacts[jid.bare]?.name ?? ""
    name.cursor = name.text.count
    name.hint = localizer("contacts.renameHint")
    let prompt = PromptViewModel(
      title: localizer("contacts.renameTitle"), text: jid.bare.description, fields: [name],
      submit: localizer("contacts.rename"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      let name = typed["name"] ?? ""
      self?.roster {
        try await $0.rename(jid.bare, to: name.isEmpty ? nil : name)
      } done: {
        Notice(
          .info, "status.renamed",
          ["address": jid.bare.description, "name": name.isEmpty ? jid.bare.description : name])
      }
      return [:]
    }
    prompt.close = actions.showForm(prompt.form)
  }

  /// Asks for another name of the contact that is selected in the sidebar.
  package func renameSelection() {
    guard let item = sidebar.items.first(where: \.isSelected), let jid = item.jid,
      people.contacts[jid.bare] != nil
    else { return show(Notice(.info, "status.noContact")) }
    askForName(of: jid)
  }
}
