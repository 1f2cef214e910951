import NatterCore
import Text
import XMPP

// The forms about contacts.
extension ShellViewModel {
  /// Asks for a new contact: the address, and what may be said with it.
  package func askForContact() {
    let localizer = format.localizer
    var address = FormField(.text, "address", label: localizer("contacts.address"))
    address.isRequired = true
    address.hint = localizer("contacts.addressHint")
    let name = FormField(.text, "name", label: localizer("contacts.name"))
    var group = FormField(.text, "group", label: localizer("contacts.group"))
    group.hint = localizer("contacts.groupHint")
    var message = FormField(.text, "message", label: localizer("contacts.message"))
    message.hint = localizer("contacts.messageHint")
    let prompt = PromptViewModel(
      title: localizer("contacts.addTitle"), text: localizer("contacts.addText"),
      fields: [address, name, group, message], submit: localizer("contacts.add"),
      localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      guard let self else { return [:] }
      guard let typedAddress = actions.parseAddress(typed["address"] ?? ""),
        typedAddress.local != nil
      else { return ["address": localizer("contacts.badAddress")] }
      let jid: JID
      do { jid = try contactAddress(typedAddress) } catch {
        let reported = NatterError(reporting: error, key: "contacts.badAddress")
        return ["address": localizer(reported.key, reported.arguments)]
      }
      func said(_ field: String) -> String? { typed[field].flatMap { $0.isEmpty ? nil : $0 } }
      addContact(
        jid, name: said("name"), group: said("group"), message: said("message"),
        withoutResource: typedAddress.bare == jid ? typedAddress.resource : nil)
      return [:]
    }
    prompt.close = actions.showForm(prompt.form)
  }

  package func showWho(_ jid: JID) throws {
    if let occupant = members.occupant(jid) {
      let arguments = [
        occupant.jid?.description, format.localizer("affiliation.\(occupant.affiliation.rawValue)"),
        format.presence(occupant.availability),
        occupant.status.flatMap {
          $0.isEmpty ? nil : format.localizer("header.status", ["text": $0])
        },
      ]
      return show(
        StatusNotice(
          .info, "status.whois",
          [
            "name": People.nick(occupant.nick),
            "words": format.localizer.list(arguments.compactMap { $0 }),
          ]))
    }
    let jid = jid.bare
    guard people.contacts[jid] == nil else {
      return try actions.request(
        "contacts/show", ["page": "contact", "item": jid.description])
    }
    guard people.room(jid) == nil else {
      return try actions.request("discover/room", ["jid": jid.description])
    }
    show(StatusNotice(.info, "status.whoisStranger", ["address": jid.shown]))
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
        StatusNotice(
          .info, "status.renamed",
          ["address": jid.bare.shown, "name": name.isEmpty ? jid.bare.description : name])
      }
      return [:]
    }
    prompt.close = actions.showForm(prompt.form)
  }

  /// Asks for another name of the contact that is selected in the sidebar.
  package func renameSelection() {
    guard let item = sidebar.items.first(where: \.isSelected), let jid = item.jid,
      people.contacts[jid.bare] != nil
    else { return show(StatusNotice(.info, "status.noContact")) }
    askForName(of: jid)
  }
}
