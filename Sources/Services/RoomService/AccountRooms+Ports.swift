import NatterCore
import XMPP

extension AccountRooms: RoomReading {
  package func rooms() async -> [Room] {
    await loader.load()
    return registry.rooms.values.map {
      var room = $0.room
      room.people = $0.occupants.count
      return room
    }
  }

  package func occupants(of room: JID) -> [Occupant] {
    registry.rooms[room.bare].map { Array($0.occupants.values) } ?? []
  }
}

extension AccountRooms: MessageRouting {
  /// The route by the state of the room that `conversation` is in; direct if it is in none.
  package func route(to conversation: JID) async -> MessageRoute {
    await loader.load()
    guard let state = registry.rooms[conversation.bare] else { return .direct }
    switch state.room.phase {
    // A room that may admit the user later is tried again by itself.
    case .outside: return state.room.exit?.mayPass == true ? .held : .outside
    case .entering: return .held
    case .inside:
      guard state.hasSettled else { return .held }
      return conversation.isBare ? .room : .occupant
    }
  }
}

extension AccountRooms: RoomViewing {
  package func knows(_ room: JID) async -> Bool {
    await loader.load()
    return registry.rooms[room.bare] != nil
  }

  package func views() -> [JID: RoomMembership] {
    registry.rooms.compactMapValues(\.membership)
  }

  package func hosts(_ address: JID) async -> Bool {
    if await knows(address) { return true }
    return await addresses.isAtRoomService(address)
  }

  /// Returns whether a bare address is the account's own or a contact's.
  func isPerson(_ address: JID) async -> Bool { await addresses.isPerson(address) }

  // Not without `async`: a caller would get the protocol's own, which does nothing.
  package func archiveRefused(of room: JID) async { await refusals.refused(room.bare) }
}

extension AccountRooms: RoomEntering {
  package func join(_ room: JID, nick: String?, password: String?) async throws {
    await loader.load()
    try await joiner.join(room, nick: nick, password: password)
  }

  package func leave(_ room: JID) async throws {
    await loader.load()
    try await joiner.leave(room)
  }

  package func changeNick(_ nick: String, in room: JID) async throws {
    await loader.load()
    try await joiner.changeNick(nick, in: room)
  }

  /// Returns whether `address` is a room: a known one, or by the answer of its service (XEP-0030
  /// §3.1).
  package func isRoom(_ address: JID) async -> Bool {
    if await knows(address) { return true }
    return await addresses.isAnnouncedRoom(address)
  }
}

extension AccountRooms: OwnPresenceFollowing {
  package func ownPresenceChanged(_ presence: OwnPresence) async {
    self.presence.own = presence
    await self.presence.send()
  }
}

extension AccountRooms {
  /// Stores the notification rule of a room in its bookmark, for all clients of the account
  /// (XEP-0492), which is published as soon as there is a connection; ignores a room without a
  /// bookmark.
  /// - Throws: `NatterError` if it could not be stored: then nothing has changed.
  package func keepNotification(_ setting: XEP0492Notification?, of room: JID) async throws {
    await loader.load()
    try await notifications.choose(setting, for: room.bare)
  }
}

extension AccountRooms: RoomInviting {
  package func invitations() async -> [RoomInvitation] {
    await loader.load()
    return invitations.pending
  }

  package func accept(_ invitation: RoomInvitation) async throws {
    await loader.load()
    let password = invitations.password(for: invitation.room.bare)
    try await join(invitation.room, nick: nil, password: password)
  }

  package func decline(_ invitation: RoomInvitation) async throws {
    try await invitations.decline(invitation)
  }
}

extension AccountRooms: RoomModerating {
  package func setSubject(_ subject: String, of room: JID) async throws {
    try await moderation.setSubject(subject, of: room)
  }

  package func invite(_ guest: JID, to room: JID, reason: String?) async throws {
    try await moderation.invite(guest, to: room, reason: reason)
  }

  package func setRole(
    _ role: Occupant.Role, of nick: String, in room: JID, reason: String?
  ) async throws {
    try await moderation.setRole(role, of: nick, in: room, reason: reason)
  }

  package func setAffiliation(
    _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
  ) async throws {
    try await moderation.setAffiliation(affiliation, of: person, in: room, reason: reason)
  }

  package func retract(_ id: String, in room: JID, reason: String?) async throws {
    try await moderation.retract(id, in: room, reason: reason)
  }

  package func people(with affiliation: Occupant.Affiliation, in room: JID) async throws
    -> [Occupant]
  {
    try await moderation.people(with: affiliation, in: room)
  }
}

extension AccountRooms: VoiceAsking {
  package func askForVoice(in room: JID) async throws {
    try await moderation.askForVoice(in: room)
  }

  package func voiceRequests() -> [VoiceRequest] {
    registry.rooms.values.flatMap(\.voiceRequests)
  }

  package func answer(_ request: VoiceRequest, isAllowed: Bool) async throws {
    try await moderation.answer(request, isAllowed: isAllowed)
  }
}

extension AccountRooms: RoomOwning {
  package func configuration(of room: JID) async throws -> DataForm {
    DataForm(try await configuration.form(of: room.bare))
  }

  package func configure(_ room: JID, with answers: [String: [String]]) async throws {
    try await configuration.configure(room.bare, with: answers)
  }

  package func destroy(_ room: JID, reason: String?) async throws {
    try await configuration.destroy(room.bare, reason: reason)
  }

  package func address(ofRoom name: String) async throws -> JID {
    await loader.load()
    return try await addresses.address(ofRoom: name)
  }
}
