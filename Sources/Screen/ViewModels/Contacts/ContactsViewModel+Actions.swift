import NatterCore
import Text
import XMPP

// Actions on the selected contact, in a list.
extension ContactsViewModel {
  /// Lists the actions for the selected contact.
  package func chooseAction() {
    guard let jid = selected else { return }
    let actions = actions(for: jid)
    shell.actions.choose(
      ChoiceRequest(title: title, labels: actions.map(\.text), selected: 0) {
        if let index = $0 { actions[index].run() }
      })
  }

  private func actions(for jid: JID) -> [(text: String, run: () -> Void)] {
    let localizer = shell.format.localizer
    let shell = shell
    var actions: [(text: String, run: () -> Void)] = []
    func add(_ key: String, _ run: @escaping () -> Void) { actions.append((localizer(key), run)) }
    if isRequest {
      add("contact.approve") { shell.approve(jid) }
      add("contact.deny") { shell.deny(jid) }
    }
    let changes = shell.people.contacts[jid]?.changes ?? []
    if changes.contains(where: { !$0.isWaiting }) {
      add("contact.retry") { shell.retryChanges(of: jid) }
    }
    if !changes.isEmpty { add("contact.takeBack") { shell.discardChanges(of: jid) } }
    add("contact.write") { shell.open(jid) }
    if let contact = shell.people.contacts[jid] {
      add("contact.rename") { shell.askForName(of: jid) }
      add("contact.regroup") { shell.askForGroups(of: jid) }
      if contact.subscription == .none || contact.subscription == .from {
        add(contact.isPending ? "contact.askAgain" : "contact.ask") { shell.askAgain(jid) }
      }
    } else if !isRequest {
      add("contact.add") { shell.addContact(jid, name: nil) }
    }
    if shell.ports.people?.commands != nil, !isRequest {
      add("contact.commands") { shell.chooseRemoteCommand(of: jid) }
    }
    if shell.ports.people != nil {
      if isBlocked {
        add("contact.unblock") { shell.unblock(jid) }
      } else {
        add("contact.block") { shell.block(jid) }
        add("contact.report") { shell.askForReport(of: jid) }
      }
    }
    if shell.people.contacts[jid] != nil { add("contact.remove") { shell.removeContact(jid) } }
    return actions
  }
}

extension ShellViewModel {
  /// Asks which groups a contact belongs to.
  package func askForGroups(of jid: JID) {
    let localizer = format.localizer
    var groups = FormField(.text, "groups", label: localizer("contacts.groups"))
    groups.text = (people.contacts[jid.bare]?.groups ?? []).joined(separator: ", ")
    groups.cursor = groups.text.count
    groups.hint = localizer("contact.groupsHint")
    let prompt = PromptViewModel(
      title: localizer("contact.groupsTitle", ["name": people.name(of: jid)]), fields: [groups],
      submit: localizer("settings.save"), localizer: localizer)
    prompt.onSubmit = { [weak self] typed in
      var seen: Set<String> = []
      let groups = (typed["groups"] ?? "").split(separator: ",").map { String($0).trimmed }
        .filter { !$0.isEmpty && seen.insert($0).inserted }
      self?.roster {
        try await $0.regroup(jid.bare, into: groups)
      } done: {
        StatusNotice(.info, "status.regrouped", ["address": jid.bare.shown])
      }
      return [:]
    }
    prompt.close = actions.showForm(prompt.form)
  }

  /// Repeats the request to see a contact's presence.
  package func askAgain(_ jid: JID) {
    roster {
      try await $0.requestPresence(of: jid.bare)
    } done: {
      StatusNotice(.info, "status.asked", ["address": jid.bare.shown])
    }
  }

  /// Sends the server once more what it has refused.
  func retryChanges(of jid: JID) {
    roster {
      try await $0.retryChanges(of: jid.bare)
    } done: {
      StatusNotice(.info, "status.changeTold")
    }
  }

  /// Takes back what was done to a contact and the server has not.
  func discardChanges(of jid: JID) {
    roster {
      try await $0.discardChanges(of: jid.bare)
      return true
    } done: {
      StatusNotice(.info, "status.changeTakenBack")
    }
  }

  // MARK: Blocking

  /// Blocks a contact, an occupant or a whole room on the server, after a question.
  package func block(_ jid: JID) {
    guard let blocking = ports.people?.blocking else { return }
    let text =
      !jid.isBare
      ? "contact.blockAskOccupant"
      : people.isRoom(jid) ? "contact.blockAskRoom" : "contact.blockAsk"
    actions.confirm(
      ConfirmRequest(
        titleKey: "contact.blockTitle", textKey: text, acceptKey: "contact.blockAccept",
        arguments: [
          "address": jid.shown,
          "name": jid.resource.map(People.nick) ?? people.name(of: jid),
        ]
      ) { [weak self] in self?.block(jid, report: nil, blocking) })
  }

  /// Blocks without a question, and shows the result.
  func block(_ jid: JID, report: AbuseReport?, _ blocking: any BlockListChanging) {
    // A request that waits would come again when they are unblocked.
    if sidebar.requests.contains(jid.bare) { deny(jid.bare) }
    perform(nil) { [weak self] in
      let notice = try await BlockListEditor(blocking).block(jid, report: report)
      self?.show(notice)
    }
  }

  package func unblock(_ jid: JID) {
    guard let blocking = ports.people?.blocking else { return }
    perform(nil) { [weak self] in
      let notice = try await BlockListEditor(blocking).unblock(jid)
      self?.show(notice)
    }
  }

  /// Asks for the reason, then blocks the sender and reports them to the server's operators.
  package func askForReport(of jid: JID) {
    guard let blocking = ports.people?.blocking else { return }
    let localizer = format.localizer
    let reasons: [AbuseReport.Reason] = [.spam, .abuse]
    var reason = FormField(
      .choice(reasons.map { localizer("contact.reason.\($0.rawValue)") }), "reason",
      label: localizer("contact.reason"))
    reason.hint = localizer("contact.reasonHint")
    let note = FormField(.text, "words", label: localizer("contact.reportWords"))
    let prompt = PromptViewModel(
      title: localizer("contact.reportTitle"),
      text: localizer("contact.reportText", ["address": jid.bare.shown]),
      fields: [reason, note], submit: localizer("contact.reportAccept"), localizer: localizer)
    let form = prompt.form
    prompt.onSubmit = { [weak self] typed in
      let report = AbuseReport(
        reason: reasons[form["reason"]?.selected ?? 0], text: typed["words"] ?? "")
      self?.block(jid.bare, report: report, blocking)
      return [:]
    }
    prompt.close = actions.showForm(form)
  }
}
