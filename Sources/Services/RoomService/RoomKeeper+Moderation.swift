import NatterCore
import XML
import XMPP

// What those inside may do to a room and its people (XEP-0045 §7.8, §8, §9).
extension RoomKeeper: RoomModerating {
  package func setSubject(_ subject: String, of room: JID) async throws {
    let state = try inside(room)
    // Prosody does not answer if the subject is the same as before.
    if state.hasSettled, state.room.subject == subject { return }
    try await send(subject, to: state)
  }

  package func invite(_ guest: JID, to room: JID, reason: String?) async throws {
    let state = try inside(room)
    // A direct invitation arrives where the room's may not; only the room can add its member.
    if state.room.traits.contains(.membersOnly) || state.room.traits.isEmpty {
      try await send(
        XEP0045.invitation(of: guest, to: state.room.jid, reason: reason),
        asking: .guest(guest.bare), of: state)
    } else {
      try await send(
        XEP0249.invitation(
          of: guest, to: state.room.jid, reason: reason, password: state.bookmark.password),
        asking: .guest(guest.bare), of: state)
    }
  }

  package func setRole(
    _ role: Occupant.Role, of nick: String, in room: JID, reason: String?
  ) async throws {
    let state = try inside(room)
    guard state.occupants[nick] != nil else {
      throw NatterError(.invalidInput, "error.room.nobody", ["name": nick])
    }
    try await administer(
      room, [XEP0045.item(nick: nick, role: role.rawValue, reason: reason)])
  }

  package func setAffiliation(
    _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
  ) async throws {
    let state = try inside(room)
    let jid: JID
    let typed = JID(typed: person)
    // An occupant JID identifies them as well as the nick does; reduced, it would be the room's.
    let nick = typed.flatMap { $0.bare == room.bare ? $0.resource : nil } ?? person
    if let occupant = state.occupants[nick] {
      guard let known = occupant.jid else {
        throw NatterError(.refused, "error.room.hidesAddress", ["name": nick])
      }
      jid = known
    } else if let typed, typed.local != nil, typed.bare != room.bare {
      jid = typed.bare
    } else {
      throw NatterError(.invalidInput, "error.room.nobody", ["name": nick])
    }
    try await administer(
      room, [XEP0045.item(jid: jid, affiliation: affiliation.rawValue, reason: reason)])
  }

  package func people(with affiliation: Occupant.Affiliation, in room: JID) async throws
    -> [Occupant]
  {
    let answer = try await ask(
      XEP0045.administration(
        "get", room: room.bare, [XEP0045.item(affiliation: affiliation.rawValue)]))
    return (answer.first("query", XEP0045.admin)?.all("item", XEP0045.admin) ?? []).map {
      let item = XEP0045Item($0)
      return Occupant(
        nick: item.nick ?? item.jid?.description ?? "",
        role: item.role.flatMap(Occupant.Role.init) ?? .none, affiliation: affiliation,
        availability: .offline, jid: item.jid?.bare)
    }
  }

  /// The state of a room, which the user has to be in.
  func inside(_ room: JID) throws -> RoomState {
    guard let state = rooms[room.bare], state.room.phase == .inside else {
      throw NatterError(
        channel == nil ? .offline : .refused,
        channel == nil ? "error.offline" : "error.room.notInside")
    }
    return state
  }

  private func administer(_ room: JID, _ items: [Element]) async throws {
    _ = try await ask(XEP0045.administration("set", room: room.bare, items))
  }

  func ask(_ question: Element) async throws -> Element {
    guard let channel else { throw NatterError(.offline, "error.offline") }
    do { return try await channel.request(question) } catch { throw NatterError(answering: error) }
  }
}
