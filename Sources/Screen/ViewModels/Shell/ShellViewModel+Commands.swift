import NatterCore
import Text
import XMPP

// Effects of commands and list keys on the program.
extension ShellViewModel: CommandContext {
  package var activeConversation: JID? { sidebar.active }
  package var tools: ConversationTools { ConversationTools(shell: self) }

  package func person(_ text: String) throws -> JID {
    let wanted = text.trimmed
    if wanted.hasAddressMark {
      if let jid = actions.parseAddress(wanted), jid.local != nil { return meant(by: jid) }
      // What cannot be an address may be one as it is shown.
      if let jid = NameMatch(wanted, people).address(among: known + hiddenConversations) {
        return jid
      }
      throw NatterError(.invalidInput, "error.badAddress", ["text": wanted])
    }
    let found = known(by: wanted)
    if found.count == 1 { return found[0] }
    throw NatterError(
      .invalidInput, found.isEmpty ? "error.unknownPerson" : "error.ambiguousPerson",
      ["text": wanted, "names": found.map(\.description).joined(separator: ", ")])
  }

  package func personHere(for command: String) throws -> JID {
    guard let jid = sidebar.active, jid.isBare, sidebar.conversation(jid)?.kind == .direct else {
      throw NatterError(.invalidInput, "error.noContactHere", ["command": command])
    }
    return jid
  }

  package func open(_ jid: JID) { open(jid) {} }

  /// - Parameter then: done once the conversation is open.
  func open(_ jid: JID, then: @escaping @MainActor () -> Void) {
    onDemand()
    let jid = meant(by: jid)
    let unknown = UnknownAddress(jid: jid, shell: self)
    if unknown.mayBeRoom { return unknown.open(then: then) }
    defer { lifetime.inOrder { then() } }
    if !jid.isBare { return open(occupant: jid) }
    guard let conversation = sidebar.conversation(jid) else { return openNew(jid) }
    // What is open already stays as it is.
    if jid != sidebar.active { show(conversation) }
    onOpen()
  }

  /// Opens the conversation with `jid`, of which nothing is known yet.
  func openNew(_ jid: JID) {
    let line = CommandOrigin.current
    let pending = openings.begin()
    lifetime.inOrder { [weak self, ports, openings] in
      do {
        // Earlier messages can be read even if the sender has left since.
        if let error = self?.absence(of: jid),
          try await ports.conversations.conversation(jid) == nil
        {
          throw error
        }
        if let self, people.isOccupant(jid), let room = try await addresses.openRoom(of: jid) {
          handle(.conversationsChanged([room]))
        }
        let isRoom = self?.people.isRoom(jid) ?? false
        let conversation = try await ports.conversations.open(
          jid, kind: isRoom ? .room : .direct)
        self?.handle(.conversationsChanged([conversation]))
        self?.show(conversation)
        self?.onOpen()
        openings.end(pending)
      } catch {
        openings.end(pending, isOpen: false)
        self?.report(error, of: line)
      }
    }
  }

  package func send(_ body: String, to jid: JID) {
    let isActive = jid == sidebar.active
    if let error = absence(of: jid) ?? (isActive ? obstacle(to: jid) : nil) { return report(error) }
    let aim = CommandOrigin.current?.aim
    if isActive { return deliver(body, typed: body.asTyped, to: jid, for: aim) }
    let unknown = UnknownAddress(jid: meant(by: jid), shell: self)
    guard unknown.mayBeRoom else {
      open(jid)
      return deliver(body, typed: body.asTyped, to: jid)
    }
    // A room is not written to before it is entered: what was typed for it stays in the input.
    onDemand()
    let line = CommandOrigin.current
    unknown.open(orElse: { [weak self] in if let line { self?.giveBack(line) } }) { [weak self] in
      self?.deliver(body, typed: body.asTyped, to: jid)
    }
  }

  package func addContact(_ jid: JID, withoutResource resource: String?) {
    addContact(jid, name: nil, withoutResource: resource)
  }

  /// Adds a contact under a name that the user chose.
  /// - Parameters:
  ///   - group: the group that it goes into, beside those that it is in.
  ///   - invitation: what shows that the contact invited this account (XEP-0379).
  ///   - message: the text for the contact in the request.
  ///   - resource: what was typed behind the address, and is no part of a contact's.
  func addContact(
    _ jid: JID, name: String?, group: String? = nil, invitation: String? = nil,
    message: String? = nil, withoutResource resource: String? = nil
  ) {
    guard jid.bare != format.account.bare else {
      return report(
        NatterError(.invalidInput, "error.ownAddress", ["text": jid.bare.description]))
    }
    let contact = people.contacts[jid.bare]
    let groups = contact?.groups ?? []
    // A presence that is granted is not requested; a contact's own request is answered.
    let isKnown = contact?.showsPresence == true && !sidebar.requests.contains(jid.bare)
    let key =
      isKnown ? "status.isContact" : resource == nil ? "status.added" : "status.addedBare"
    let notice = StatusNotice(
      .info, key, ["address": jid.shown, "resource": resource ?? ""])
    if isKnown, name == nil, group.map(groups.contains) ?? true { return show(notice) }
    roster {
      let isSent = try await $0.add(
        jid, name: name, invitation: invitation, message: message)
      guard let group, !groups.contains(group) else { return isSent }
      return try await $0.regroup(jid, into: groups + [group])
    } done: { [weak self] in
      // Who had asked is answered by that.
      self?.sidebar.removeRequest(jid)
      return notice
    }
  }

  package func removeContact(_ jid: JID) {
    actions.confirm(
      ConfirmRequest(
        titleKey: "confirm.removeTitle", textKey: "confirm.remove",
        acceptKey: "confirm.removeAccept",
        arguments: ["name": name(of: jid), "address": jid.shown]
      ) { [weak self] in
        self?.roster {
          try await $0.remove(jid)
        } done: {
          StatusNotice(.info, "status.removed", ["address": jid.shown])
        }
      })
  }

  /// Grants a request to see this account's presence.
  package func approve(_ jid: JID) {
    answer(jid, "status.approved") { try await $0.approve(jid) }
  }

  /// Refuses a request to see this account's presence.
  package func deny(_ jid: JID) {
    answer(jid, "status.denied") { try await $0.deny(jid) }
  }

  /// Ends a wait for the next attempt, or the offline state; if online already, shows that.
  package func connect() {
    if connectionState.isOnline { showConnection() }
    lifetime.aside { [ports] in await ports.connection.connectNow() }
  }

  /// The terminal got or lost the focus: without it, the server may hold back what can wait.
  package func terminalFocusChanged(_ isFocused: Bool) {
    lifetime.aside { [ports] in await ports.connection.clientActive(isFocused) }
  }

  package func disconnect() {
    lifetime.aside { [ports] in await ports.connection.goOffline() }
  }

  package func retryFailed() {
    let failed = timeline.failedMessages
    settleTransfers(cancels: false, orElse: failed.isEmpty)
    guard !failed.isEmpty else { return }
    timeline.personWrote()
    lifetime.inOrder { [weak self, ports] in
      do { for message in failed { try await ports.sender.retry(message) } } catch {
        self?.report(error)
      }
    }
  }

  package func cancelFailed() {
    if let chosen = timeline.selectedMessage, chosen.delivery == .queued {
      return takeBack(chosen)
    }
    let failed = timeline.failedMessages
    if failed.isEmpty,
      let waiting = timeline.recentMessages.first(where: {
        $0.direction == .outgoing && $0.delivery == .queued
      })
    {
      return takeBack(waiting)
    }
    settleTransfers(cancels: true, orElse: failed.isEmpty)
    guard !failed.isEmpty else { return }
    lifetime.inOrder { [weak self, ports] in
      do { for message in failed { try await ports.sender.cancel(message) } } catch {
        self?.report(error)
      }
    }
  }

  /// Takes back a message that waits to be sent, and says so.
  private func takeBack(_ message: Message) {
    let text = ErrorText.oneLine(message.file?.safeName ?? message.body)
    lifetime.inOrder { [weak self, ports] in
      do {
        try await ports.sender.cancel(message)
        self?.show(
          StatusNotice(
            .info, "status.takenBack", ["text": text.count > 60 ? text.prefix(59) + "…" : text]))
      } catch {
        self?.report(error)
      }
    }
  }

  package func show(_ notice: StatusNotice) { status.show(notice) }

  package func showConnection() { show(connection.notice(connectKey: status.connectKey, format)) }

  private func answer(
    _ jid: JID, _ key: String,
    _ change: @escaping @MainActor (any RosterManaging) async throws -> Bool
  ) {
    let name = name(of: jid)
    roster(change) { [weak self] in
      self?.sidebar.removeRequest(jid)
      return StatusNotice(.info, key, ["name": name])
    }
  }

  /// - Parameter change: returns whether the server has it; else the notice says that it waits.
  func roster(
    _ change: @escaping @MainActor (any RosterManaging) async throws -> Bool,
    done: @escaping () -> StatusNotice
  ) {
    lifetime.aside { [weak self, ports] in
      do {
        let isSent = try await change(ports.rosterChanges)
        let notice = done()
        self?.show(isSent ? notice : StatusNotice(.info, "status.changeWaits"))
      } catch {
        self?.report(error)
      }
    }
  }
}
