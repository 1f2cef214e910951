import NatterCore
import Text
import XMPP

// Effects of commands and keys on rooms.
extension ShellViewModel {
  /// The room that is open.
  /// - Throws: `NatterError` when there is none.
  func openRoom() throws -> (JID, RoomPorts) {
    guard let active = sidebar.active, let rooms = ports.rooms, people.isRoom(active) else {
      throw NatterError(.invalidInput, "error.room.noRoom")
    }
    return (active, rooms)
  }

  package func listPeople(with affiliation: Occupant.Affiliation) throws {
    let (room, ports) = try openRoom()
    perform(nil) { [weak self] in
      let people = try await ports.moderating.people(with: affiliation, in: room)
      guard let self else { return }
      let names = format.localizer.list(people.map { $0.jid?.description ?? $0.nick })
      show(
        StatusNotice(
          .info, people.isEmpty ? "status.nobodyWith" : "status.peopleWith",
          ["affiliation": affiliation.rawValue, "names": names]))
    }
  }

  package func showTopic() throws {
    let (room, ports) = try openRoom()
    perform(nil) { [weak self] in
      let subject = await ports.reading.rooms().first { $0.jid == room }?.subject ?? ""
      guard let self else { return }
      let topic = TopicText(subject: subject)
      topic.notice.map { show($0) } ?? topic.read(format, on: actions.showForm)
    }
  }

  package func destroyRoom(reason: String) throws {
    let (room, ports) = try openRoom()
    actions.confirm(
      ConfirmRequest(
        titleKey: "confirm.destroyTitle", textKey: "confirm.destroy",
        acceptKey: "confirm.destroyAccept", arguments: ["address": room.shown]
      ) { [weak self] in
        self?.perform(nil) { try await ports.owning.destroy(room, reason: reason) }
      })
  }

  /// Runs `work` in the background, shows `done` after it, or its error.
  func perform(_ done: StatusNotice?, _ work: @escaping @MainActor () async throws -> Void) {
    lifetime.aside { [weak self] in
      do {
        try await work()
        if let done { self?.show(done) }
      } catch {
        self?.report(error)
      }
    }
  }

  package func inRoom(
    _ done: StatusNotice?, _ work: @escaping @MainActor (JID, RoomPorts) async throws -> Void
  ) throws {
    let (room, ports) = try openRoom()
    perform(done) { try await work(room, ports) }
  }

  package func joinRoom(_ name: String, nick: String?) {
    joinRoom(name, nick: nick, password: nil)
  }

  /// Enters a room and opens it.
  /// - Parameters:
  ///   - name: its address, or its name alone at the service of the account's server.
  ///   - password: the one of an address; `nil`: the stored one, or the user is asked.
  package func joinRoom(_ name: String, nick: String?, password: String?) {
    guard let rooms = ports.rooms else { return }
    // A server may have to resolve a room's name, or say whether an address is a room's.
    opening(name, limit: Self.patience) { [weak self, actions, ports] in
      let room: JID
      if name.hasAddressMark {
        guard let jid = actions.parseAddress(name)?.bare, jid.local != nil else {
          throw NatterError(.invalidInput, "error.badAddress", ["text": name])
        }
        room = jid
      } else {
        room = try await rooms.entering.address(ofRoom: name)
      }
      return try await RoomJoinTracker.join(room, for: self) {
        try await rooms.entering.join(room, nick: nick, password: password)
        return try await ports.conversations.open(room, kind: .room)
      }
    }
  }

  /// The longest time that keys wait for a conversation that needs a server's answer.
  static let patience = Duration.seconds(3)

  /// Opens the conversation that `work` finds in the background, or shows its error. Keys wait.
  /// - Parameters:
  ///   - name: what it is called, for who waits.
  ///   - then: done once it is open.
  func opening(
    _ name: String, limit: Duration?, then: @escaping @MainActor () -> Void = {},
    _ work: @escaping @MainActor () async throws -> Conversation
  ) {
    let pending = openings.begin(limit: limit) { [weak self] in self?.reportDelay(name) }
    perform(nil) { [weak self, openings] in
      do {
        let conversation = try await work()
        self?.open(found: conversation, name, isLate: !openings.isWaiting(pending))
        openings.end(pending)
        then()
      } catch {
        openings.end(pending, isOpen: false)
        throw error
      }
    }
  }

  /// Reports that from here on keys go to the conversation that is open.
  private func reportDelay(_ name: String) {
    guard let open = activeConversation else {
      return show(StatusNotice(.info, "status.stillLooking", ["name": name]))
    }
    show(
      StatusNotice(
        .warning, "status.stillLookingElse", ["name": name, "other": people.name(of: open)]))
  }

  private func open(found conversation: Conversation, _ name: String, isLate: Bool) {
    if let successor { return successor.open(found: conversation, name, isLate: isLate) }
    handle(.conversationsChanged([conversation]))
    let refused = joins.refusal(afterOpening: conversation.jid)
    // An unfinished message is never split in two.
    if isLate, !input.text.isEmpty {
      show(StatusNotice(.info, "status.openBeside", ["name": name]))
      if let refused { reportLeft(refused) }
      return
    }
    onDemand()
    show(conversation)
    onOpen()
    if let refused, refused.asksForPassword { askPassword(for: refused) }
  }

  package func leaveRoom(_ name: String) throws {
    guard let rooms = ports.rooms else { return }
    let room: JID
    if name.isEmpty {
      room = try openRoom().0
    } else if let known = (sidebar.order + hiddenConversations).first(where: {
      people.isRoom($0) && ($0 == actions.parseAddress(name)?.bare || people.name(of: $0) == name)
    }) {
      room = known
    } else {
      throw NatterError(.invalidInput, "error.room.unknown", ["name": name])
    }
    let shown = people.name(of: room)
    perform(nil) { [weak self] in
      try await rooms.entering.leave(room)
      self?.close(
        room, saying: StatusNotice(.info, "status.left", ["name": shown, "address": room.shown]))
    }
  }

  package func toggleMembers() throws {
    _ = try openRoom()
    onToggleDetails()
  }

  package func nick(_ call: CommandCall) -> (nick: String, rest: String) {
    call.nick(among: members.nicks)
  }

  package func occupant(_ nick: String, isHere: Bool) -> JID? {
    guard let room = openRoomAddress, !nick.hasAddressMark else { return nil }
    let nick = isHere ? NickMatch.nick(nick, among: members.nicks(of: room)) : nick
    return nick.flatMap { room.with(resource: $0) }
  }

  // MARK: Invitations

  func accept(_ invitation: RoomInvitation) {
    guard let rooms = ports.rooms else { return }
    let name = people.address(invitation.room)
    opening(name, limit: Self.patience) { [weak self, ports] in
      try await RoomJoinTracker.join(invitation.room, for: self) {
        try await rooms.inviting.accept(invitation)
        return try await ports.conversations.open(invitation.room, kind: .room)
      }
    }
  }

  func decline(_ invitation: RoomInvitation) {
    guard let rooms = ports.rooms else { return }
    let name = people.address(invitation.room)
    perform(StatusNotice(.info, "status.declined", ["name": name])) {
      try await rooms.inviting.decline(invitation)
    }
  }

  // MARK: Who may speak

  func answer(voice occupant: JID, isAllowed: Bool) {
    guard let rooms = ports.rooms, let request = sidebar.voiceRequest(of: occupant) else { return }
    perform(
      StatusNotice(
        .info, isAllowed ? "status.voiceGiven" : "status.voiceDenied",
        ["name": People.nick(request.nick), "room": people.name(of: request.room)])
    ) {
      try await rooms.voices.answer(request, isAllowed: isAllowed)
    }
  }

  // MARK: People

  /// Opens a private conversation with the selected occupant of the room.
  package func openMember() {
    guard let room = sidebar.active, people.isRoom(room), let nick = members.selection,
      let jid = room.with(resource: nick), nick != people.room(room)?.nick
    else { return }
    open(occupant: jid)
  }

  /// Opens the private conversation with an occupant (XEP-0045 §7.5).
  func open(occupant jid: JID) {
    if let conversation = sidebar.conversation(jid) {
      if jid != sidebar.active { show(conversation) }
      return onOpen()
    }
    openNew(jid)
  }

  /// The names in the room that is open, for completion: who spoke last first.
  var nickCandidates: [CompletionItem] {
    guard let active = sidebar.active, people.isRoom(active) else { return [] }
    let own = people.room(active)?.nick
    var seen: Set<String> = [own ?? ""]
    let speakers = timeline.window.speakers.filter { seen.insert($0).inserted }
    let others = members.nicks.filter { seen.insert($0).inserted }
    return (speakers + others).map { CompletionItem(text: $0, isNick: true) }
  }

  /// The rooms that are known, for completion.
  var roomCandidates: [CompletionItem] {
    (sidebar.order + hiddenConversations).filter { people.isRoom($0) }.map {
      CompletionItem(text: $0.description, detail: people.name(of: $0))
    }
  }

  /// Returns the obstacle to a message to `jid` now; `nil` without one.
  func obstacle(to jid: JID) -> NatterError? {
    guard people.isRoom(jid.bare), let room = people.room(jid), room.phase == .outside else {
      return nil
    }
    return NatterError(.refused, "error.room.notInside")
  }

  // MARK: Forms

  package func configureRoom() throws {
    let (room, rooms) = try openRoom()
    let title = format.localizer("room.configTitle", ["name": people.name(of: room)])
    perform(nil) { [weak self] in
      let form = try await rooms.owning.configuration(of: room)
      guard let self else { return }
      let model = RoomFormViewModel(form, title: title, localizer: format.localizer)
      model.onSubmit = { [weak self] answer in
        self?.perform(StatusNotice(.info, "status.configured")) {
          try await rooms.owning.configure(room, with: answer)
        }
      }
      model.close = actions.showForm(model.form)
    }
  }
}
