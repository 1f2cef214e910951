import NatterCore
import Text
import XMPP

// Publishing to Discover, and the common parts of its pages.
extension ShellViewModel {
  /// Makes the actions of Discover known.
  /// - Parameter show: opens Discover on a page, and goes to something on it.
  package func publishDiscover(
    to mediator: Mediator, ports: DiscoverPorts, show: @escaping (String, String) -> Void
  ) {
    mediator.publish(
      Mediator.Action("discover/search", optional: ["text"]) { show("rooms", $0["text"] ?? "") })
    mediator.publish(
      Mediator.Action("discover/room", required: ["jid"]) { [weak self] in
        guard let self else { return }
        // A foreign room is not queried: its server must not learn that the user is online.
        guard let room = people.room(try service($0["jid"])) else {
          throw NatterError(.invalidInput, "error.room.notJoined", ["room": $0["jid"] ?? ""])
        }
        RoomForm(shell: self, finder: ports.rooms).show(room)
      })
    mediator.publish(
      Mediator.Action("discover/add", required: ["jid"]) { [weak self] in
        guard let self else { return }
        let jid = try service($0["jid"])
        // An address from outside must not reveal to a foreign server that the user is online.
        actions.confirm(
          ConfirmRequest(
            titleKey: "discover.addTitle", textKey: "discover.addQuestion",
            acceptKey: "contacts.add", arguments: ["address": jid.shown]
          ) { [weak self] in
            self?.addDirectory(jid, finder: ports.rooms)
            show("rooms", "")
          })
      })
    mediator.publish(
      Mediator.Action(
        "discover/remove", required: ["jid"],
        ask: { [weak self] in
          self?.ask(
            title: "discover.removeTitle", text: "discover.removeQuestion",
            accept: "discover.removeAccept", ["address": $0["jid"] ?? ""], then: $1)
          return true
        }
      ) { [weak self] in
        guard let self else { return }
        removeDirectory(try service($0["jid"]), finder: ports.rooms)
      })
    mediator.publish(
      Mediator.Action("discover/open", required: ["jid"]) { [weak mediator] in
        try mediator?.perform("discover/add", $0)
      })
    mediator.publish(
      Mediator.Action("discover/node", required: ["jid", "node"], optional: ["request"]) {
        [weak self] in
        guard let self else { return }
        ask(
          try service($0["jid"]), $0["node"] ?? "", wantsItems: $0["request"] == "items",
          ports.parts)
      })
  }

  /// Publishes the calendar actions: an address leads to its event, after a question if it is new.
  /// - Parameter show: opens Discover on a page, and goes to something on it.
  package func publishEvents(
    to mediator: Mediator, planner: any EventPlanning, show: @escaping (String, String) -> Void
  ) {
    mediator.publish(
      Mediator.Action("events/open", required: ["jid", "node"], optional: ["item"]) {
        [weak self] in
        guard let self else { return }
        let id = EventCalendar.ID(
          try service($0["jid"]), $0["node"] ?? XEP0471Event.personalNode)
        let item = $0["item"] ?? ""
        perform(nil) { [weak self] in
          let known = try await planner.listing().calendars.contains {
            $0.id == id && $0.isFollowed
          }
          if known { return show("events", item) }
          self?.actions.confirm(
            ConfirmRequest(
              titleKey: "discover.events.followTitle", textKey: "discover.events.followQuestion",
              acceptKey: "discover.events.followAccept",
              arguments: ["address": id.service.shown]
            ) { [weak self] in
              self?.perform(nil) {
                try await planner.follow(id)
                show("events", item)
              }
            })
        }
      })
  }

  /// Shows what a service says of a node (XEP-0030), after a question, as the service notices it.
  private func ask(
    _ jid: JID, _ node: String, wantsItems: Bool, _ finder: any ServerComponentFinding
  ) {
    let arguments = ["address": jid.shown, "node": ErrorText.oneLine(node)]
    actions.confirm(
      ConfirmRequest(
        titleKey: "discover.askTitle", textKey: "discover.askQuestion",
        acceptKey: "discover.ask", arguments: arguments
      ) { [weak self] in
        guard let self else { return }
        // What can be done there is there to be chosen.
        if wantsItems, node == XEP0050.namespace { return chooseRemoteCommand(of: jid) }
        perform(nil) { [weak self] in
          if wantsItems {
            let items = try await finder.items(of: jid, node: node)
            if let self { ServerComponentForm(shell: self).show(items, of: jid, node: node) }
          } else {
            let part = try await finder.part(jid, node: node)
            if let self { ServerComponentForm(shell: self).show(part, node: node) }
          }
        }
      })
  }

  private func service(_ text: String?) throws -> JID {
    guard let text, let jid = JID(typed: text) else {
      throw NatterError(.invalidInput, "error.badAddress", ["text": text ?? ""])
    }
    return jid
  }

  func addDirectory(_ jid: JID, finder: any PublicRoomFinding) {
    perform(nil) { [weak self] in
      let isSent = try await finder.add(jid) != nil
      self?.reportChange("status.discover.added", of: jid, isSent)
    }
  }

  /// Says that something is followed now, or that it will be.
  func reportChange(_ key: String, of jid: JID, _ isSent: Bool) {
    show(
      isSent
        ? StatusNotice(.info, key, ["address": jid.shown])
        : StatusNotice(.info, "status.discover.postWaits"))
  }

  func removeDirectory(_ jid: JID, finder: any PublicRoomFinding) {
    perform(StatusNotice(.info, "status.discover.removed", ["address": jid.shown])) {
      try await finder.remove(jid)
    }
  }

  /// Shows an address to be copied, and as a picture for the camera of a telephone.
  func share(_ address: String, title: String) {
    let localizer = format.localizer
    var fields = [
      FormField(.paragraph, "text", label: localizer("discover.shareText")),
      FormField(.paragraph, "address", label: address),
    ]
    if format.glyphs.drawsBlocks, let code = QRCode(address) {
      fields += [
        FormField(.spacer, "gap"),
        FormField(.code, "qr", label: code.lines.joined(separator: "\n")),
      ]
    }
    fields += [
      FormField(.spacer, "gap-end"),
      FormField(.button, "close", label: localizer("discover.close")),
    ]
    let form = FormViewModel(
      title: title, fields: fields, keyHints: [localizer.wayOut("dialog.keysClose")],
      defaultButton: "close")
    let close = actions.showForm(form)
    form.onPress = { _ in close() }
    form.onCancel = close
  }
}
