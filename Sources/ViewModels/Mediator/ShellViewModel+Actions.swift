import NatterCore
import XMPP

// What the chats publish. An address from outside opens and fills in; it never sends anything by itself.
extension ShellViewModel {
  /// Makes the actions of chats, rooms and contacts known.
  package func publishActions(to mediator: Mediator) {
    mediator.publish(
      Mediator.Action("chats/open", required: ["jid"], optional: ["body"]) { [weak self] in
        guard let self else { return }
        let jid = meant(by: try address($0["jid"]))
        open(jid)
        guard let body = $0["body"], !body.isEmpty else { return }
        // After the conversation is there.
        lifetime.inOrder { [weak self] in
          guard let self, activeConversation == jid else { return }
          if input.add(body: body) { show(Notice(.info, "status.bodyAdded")) }
        }
      })
    mediator.publish(
      Mediator.Action("chats/reveal", required: ["jid", "message"]) { [weak self] in
        guard let self else { return }
        // A private conversation in a room has the address of who it is with.
        guard let text = $0["jid"], let jid = actions.parseAddress(text),
          let number = $0["message"].flatMap({ Int64($0) })
        else {
          throw NatterError(
            .invalidInput, "error.badAddress", ["text": $0["jid"] ?? ""])
        }
        reveal(Message.ID(number), in: jid)
      })
    mediator.publish(
      Mediator.Action("rooms/join", required: ["jid"], optional: ["nick", "password"]) {
        [weak self] in
        guard let self else { return }
        joinRoom(
          try address($0["jid"]).bare.description, nick: $0["nick"], password: $0["password"])
      })
    mediator.publish(
      Mediator.Action("rooms/invite", required: ["room", "jid"]) { [weak self] in
        guard let self, let rooms = ports.rooms else { return }
        let room = try address($0["room"]).bare
        let guest = try contactAddress(try address($0["jid"]))
        actions.confirm(
          ConfirmRequest(
            titleKey: "confirm.inviteTitle", textKey: "confirm.invite",
            acceptKey: "confirm.inviteAccept",
            arguments: ["guest": guest.description, "room": room.description]
          ) { [weak self] in
            self?.perform(Notice(.info, "status.invited", ["name": guest.description])) {
              try await rooms.moderating.invite(guest, to: room, reason: nil)
            }
          })
      })
    mediator.publish(
      Mediator.Action("contacts/add", required: ["jid"], optional: ["name", "group", "preauth"]) {
        [weak self] in
        guard let self else { return }
        let jid = try contactAddress(try address($0["jid"]))
        let (name, invitation) = ($0["name"], $0["preauth"])
        let group = $0["group"].map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
        actions.confirm(
          ConfirmRequest(
            titleKey: "confirm.addTitle", textKey: "confirm.add", acceptKey: "contacts.add",
            arguments: ["address": jid.description]
          ) { [weak self] in
            self?.addContact(jid, name: name, group: group, invitation: invitation)
          })
      })
    mediator.publish(
      Mediator.Action("contacts/remove", required: ["jid"]) { [weak self] in
        guard let self else { return }
        removeContact(try contactAddress(try address($0["jid"])))
      })
  }

  private func address(_ text: String?) throws -> JID {
    guard let text, let jid = actions.parseAddress(text) else {
      throw NatterError(.invalidInput, "error.badAddress", ["text": text ?? ""])
    }
    return jid
  }

  /// Opens an address of any kind: in this program where it is one of its own, else with the program for it.
  package func open(link: String) {
    guard ResourceAddress(link) != nil else { return actions.openLink(link) }
    open(address: link)
  }

  /// Opens an address of this program's own; what it does not know is told of.
  func open(address: String) {
    do {
      try actions.openAddress(address)
    } catch {
      report(error)
    }
  }
}
