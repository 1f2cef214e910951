import Crypto
import XML
import XMPP

/// Rooms (XEP-0045): where they are kept, who sees what of whom.
extension Router {
  func isRoom(_ jid: JID) -> Bool { jid.domain == roomDomain }

  /// The room of this address, from memory or from the database.
  mutating func room(_ jid: JID, _ ledger: ServerTransaction) throws -> Room? {
    guard isRoom(jid), let name = jid.local else { return nil }
    if let known = rooms[name] { return known }
    let kept = try ledger.rooms.room(jid.bare)
    rooms[name] = kept
    return kept
  }

  /// Makes a room whose owner is the one who came first (§10.1).
  /// - Returns: why not.
  mutating func create(
    _ jid: JID, for session: ClientSession, _ ledger: ServerTransaction
  ) throws -> StanzaRefusal? {
    guard try ledger.rooms.count() < settings.roomLimit else { return .resourceConstraint }
    var room = Room(jid, secret: randomBytes(32))
    room.isLocked = true
    room.affiliations[session.jid.bare] = .owner
    rooms[room.name] = room
    try ledger.rooms.put(room)
    try ledger.rooms.setAffiliation(.owner, of: session.jid.bare, in: room.name)
    return nil
  }

  /// Removes a room with everything that was said in it.
  mutating func remove(room name: String, _ ledger: ServerTransaction) throws {
    guard let room = rooms.removeValue(forKey: name) else { return }
    for id in room.nicknames.keys { sessions[id]?.rooms.remove(name) }
    try ledger.rooms.remove(name)
    try ledger.archives.remove(of: room.jid.description)
  }

  /// Removes a room without occupants that is not persistent.
  mutating func closeIfEmpty(_ name: String, _ ledger: ServerTransaction) throws {
    guard let room = rooms[name], room.occupants.isEmpty,
      room.isLocked || !room.settings.isPersistent
    else { return }
    try remove(room: name, ledger)
  }

  // MARK: Sending

  /// Sends a stanza to all occupants of a room.
  mutating func broadcast(_ stanza: Element, in name: String) {
    let copy = Broadcast(stanza)
    for occupant in (rooms[name]?.occupants ?? [:]).values {
      for session in occupant.sessions { send(copy, to: session) }
    }
  }

  /// Shows an occupant, or that it goes, to all who are there and to itself (§7.2.3).
  /// - Parameters:
  ///   - codes: for all occupants; - ownCodes: for its own clients in addition.
  ///   - session: the one of its own that gets it later.
  mutating func show(
    _ occupant: Occupant, in name: String, _ codes: [RoomStatus] = [],
    ownCodes: [RoomStatus] = [], change: OccupantChange? = nil, except session: ConnectionID? = nil
  ) {
    guard let room = rooms[name] else { return }
    let open = Broadcast(room.presence(of: occupant, showsAddress: true, codes, change: change))
    let closed = Broadcast(room.presence(of: occupant, showsAddress: false, codes, change: change))
    for other in room.occupants.values where other.nickname != occupant.nickname {
      let isOpen = room.settings.showsAddresses || other.role == .moderator
      for taker in other.sessions { send(isOpen ? open : closed, to: taker) }
    }
    let own = Broadcast(
      room.presence(
        of: occupant, showsAddress: true, codes + ownCodes + [.isYours], change: change))
    for taker in occupant.sessions where taker.id != session { send(own, to: taker) }
  }

  /// Sends an occupant out of a room: kicked, banned, no member any more.
  mutating func expel(
    _ occupant: Occupant, from name: String, _ code: RoomStatus, _ change: OccupantChange,
    _ ledger: ServerTransaction
  ) throws {
    for session in occupant.sessions {
      rooms[name]?.remove(session.id)
      sessions[session.id]?.rooms.remove(name)
    }
    show(occupant, in: name, [code], change: change)
    try closeIfEmpty(name, ledger)
  }

  /// A deleted account: its affiliations must not go to the next one of that name.
  mutating func removeFromRooms(_ account: JID, _ ledger: ServerTransaction) throws {
    try ledger.rooms.removeAffiliations(of: account)
    for name in rooms.keys { rooms[name]?.affiliations[account] = nil }
  }
}
