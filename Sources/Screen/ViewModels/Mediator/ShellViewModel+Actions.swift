import NatterCore
import Text
import XMPP

// The actions of the chats. An address from outside opens and fills in, and never sends by itself.
extension ShellViewModel {
  /// Makes the actions of chats, rooms and contacts known.
  package func publishActions(to mediator: Mediator) {
    mediator.publish(
      Mediator.Action(
        "chats/open", required: ["jid"], optional: ["body"],
        ask: { [weak self] in self?.foreign($0["jid"])?.askToOpen(then: $1) ?? false }
      ) { [weak self] in
        guard let self else { return }
        let jid = meant(by: try address($0["jid"]))
        let body = $0["body"] ?? ""
        open(jid) { [weak self] in
          guard !body.isEmpty, let self, activeConversation == jid else { return }
          if AddedBody(text: body).add(to: input) { show(StatusNotice(.info, "status.bodyAdded")) }
        }
      })
    mediator.publish(
      Mediator.Action("chats/reveal", required: ["jid", "message"]) { [weak self] in
        guard let self else { return }
        // A private conversation in a room has the address of who it is with.
        guard let text = $0["jid"], let jid = actions.parseAddress(text) else {
          throw NatterError(.invalidInput, "error.badAddress", ["text": $0["jid"] ?? ""])
        }
        let unknown = NatterError(.invalidInput, "error.unknownMessage")
        guard let number = $0["message"].flatMap({ Int64($0) }) else { throw unknown }
        lifetime.inOrder { [weak self, archive = ports.timeline] in
          do {
            // A message that does not exist starts no conversation.
            guard try await archive.storedMessage(Message.ID(number))?.conversation == jid else {
              throw unknown
            }
            self?.reveal(Message.ID(number), in: jid)
          } catch {
            self?.report(error)
          }
        }
      })
    mediator.publish(
      Mediator.Action(
        "rooms/join", required: ["jid"], optional: ["nick", "password"],
        ask: { [weak self] in
          self?.foreign($0["jid"])?.askToJoin(as: $0["nick"], then: $1) ?? false
        }
      ) { [weak self] in
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
            self?.perform(StatusNotice(.info, "status.invited", ["name": guest.description])) {
              try await rooms.moderating.invite(guest, to: room, reason: nil)
            }
          })
      })
    mediator.publish(
      Mediator.Action("contacts/add", required: ["jid"], optional: ["name", "group", "preauth"]) {
        [weak self] in
        guard let self else { return }
        let jid = try contactAddress(try address($0["jid"]))
        let invitation = $0["preauth"]
        func given(_ text: String?) -> String? {
          text.map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
        }
        let (name, group) = (given($0["name"]), given($0["group"]))
        // The author of the address has chosen them: the user sees them before they are used.
        let textKey =
          switch (name, group) {
          case (nil, nil): "confirm.add"
          case (_, nil): "confirm.addNamed"
          case (nil, _): "confirm.addIn"
          default: "confirm.addNamedIn"
          }
        let reported = ["address": jid.shown, "name": name, "group": group]
        actions.confirm(
          ConfirmRequest(
            titleKey: "confirm.addTitle", textKey: textKey, acceptKey: "contacts.add",
            arguments: reported.compactMapValues { $0 }
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

  private func foreign(_ text: String?) -> ForeignAddress? {
    (try? address(text)).map { ForeignAddress(jid: $0, shell: self) }
  }

  /// Asks before doing what a foreign address wants. The parameters are those of `ConfirmRequest`.
  package func ask(
    title: String, text: String, accept: String, _ arguments: [String: String],
    then proceed: @escaping () throws -> Void
  ) {
    actions.confirm(
      ConfirmRequest(
        titleKey: title, textKey: text, acceptKey: accept, arguments: arguments
      ) { [weak self] in
        do { try proceed() } catch { self?.report(error) }
      })
  }

  private func address(_ text: String?) throws -> JID {
    guard let text, let jid = actions.parseAddress(text) else {
      throw NatterError(.invalidInput, "error.badAddress", ["text": text ?? ""])
    }
    return jid
  }

  /// Opens a foreign address of any kind: in this program if it is one of its own, else in the
  /// program for it.
  package func open(link: String) {
    guard ResourceAddress(link) != nil else { return tools.scripts.addresses.open(link: link) }
    open(address: link, isForeign: true)
  }

  /// Opens an address of this program's own, or reports that it is unknown.
  /// - Parameter isForeign: whether another author wrote it: then the user may be asked first.
  func open(address: String, isForeign: Bool = false) {
    do {
      try actions.openAddress(address, isForeign)
    } catch {
      report(error)
    }
  }
}
