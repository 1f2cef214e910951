import FoundationEssentials
import XML
import XMPP

/// Entering rooms, changing there, leaving them (XEP-0045 §7).
extension Router {
  mutating func receive(
    roomPresence presence: Element, to: JID, from session: ClientSession,
    _ ledger: ServerTransaction
  ) throws {
    guard let name = to.local else { return }
    switch presence["type"] {
    case nil: break
    case "unavailable":
      return try leave(name, session, farewell: presence.childText("status"), ledger)
    case "error": return
    default: return refuse(presence, .featureNotImplemented, to: session.id)
    }
    guard let nickname = to.resource else { return refuse(presence, .jidMalformed, to: session.id) }
    let entrance = presence.first("x", Names.rooms)
    guard let occupant = try room(to, ledger)?.occupant(of: session.id) else {
      // A client that believes to be in the room has to learn that it is not.
      guard let entrance else { return refuse(presence, .notAcceptable, to: session.id) }
      return try enter(presence, entrance, to: to, nickname, session, ledger)
    }
    if occupant.nickname != nickname {
      try rename(occupant, to: nickname, presence, in: name, session, ledger)
    } else if let entrance {
      // The client has forgotten that it is inside: it gets everything again.
      try admit(session, presence.withoutRoomParts, as: nickname, to: name, [], ledger)
      try sendPast(of: name, entrance, to: session, ledger)
    } else {
      rooms[name]?.add(OccupantSession(session, presence.withoutRoomParts), to: occupant)
      if let changed = rooms[name]?.occupants[nickname] { show(changed, in: name) }
    }
  }

  // MARK: Entering

  private mutating func enter(
    _ presence: Element, _ entrance: Element, to: JID, _ nickname: String,
    _ session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    var codes: [RoomStatus] = []
    if rooms[to.local ?? ""] == nil {
      if let refusal = try create(to.bare, for: session, ledger) {
        return refuse(presence, refusal, to: session.id)
      }
      codes.append(.isCreated)
    }
    guard let room = try room(to, ledger) else { return }
    let password = entrance.childText("password", Names.rooms)
    if let refusal = refusal(of: session, as: nickname, password: password, by: room) {
      return refuse(presence, refusal, to: session.id)
    }
    try admit(session, presence.withoutRoomParts, as: nickname, to: room.name, codes, ledger)
    try sendPast(of: room.name, entrance, to: session, ledger)
  }

  /// Why the session may not enter (§7.2.5-7.2.9).
  private func refusal(
    of session: ClientSession, as nickname: String, password: String?, by room: Room
  ) -> StanzaRefusal? {
    let affiliation = room.affiliation(of: session.jid)
    if affiliation == .outcast { return .forbidden }
    if room.isLocked, affiliation != .owner { return .itemNotFound }
    if room.settings.isMembersOnly, affiliation < .member { return .registrationRequired }
    if !room.settings.password.isEmpty, password != room.settings.password {
      return .notAuthorized
    }
    if let there = room.occupants[nickname], there.account != session.jid.bare {
      return .conflict
    }
    let limit = min(
      settings.occupantLimit, room.settings.maximum > 0 ? room.settings.maximum : .max)
    if room.occupants.count >= limit, affiliation < .admin { return .serviceUnavailable }
    return nil
  }

  /// Makes a session part of a room and lets it and the others know (§7.2.2, §7.2.3).
  private mutating func admit(
    _ session: ClientSession, _ presence: Element, as nickname: String, to name: String,
    _ codes: [RoomStatus], _ ledger: ServerTransaction
  ) throws {
    guard let room = rooms[name] else { return }
    let account = session.jid.bare
    let occupant =
      try room.occupants[nickname]
      ?? Occupant(
        nickname: nickname, account: account, id: room.occupantID(of: account, crypto),
        role: room.role(for: room.affiliation(of: account)), sessions: [])
    let taker = OccupantSession(session, presence)
    rooms[name]?.add(taker, to: occupant)
    sessions[session.id]?.rooms.insert(name)

    let isOpen = room.settings.showsAddresses || occupant.role == .moderator
    for other in room.occupants.values where other.nickname != nickname {
      if let shown = isOpen ? other.open : other.closed { send(shown, to: taker) }
    }
    guard let added = rooms[name]?.occupants[nickname] else { return }
    show(added, in: name, except: session.id)
    var ownCodes = codes + [.isYours]
    if room.settings.showsAddresses { ownCodes.append(.showsAddresses) }
    if room.settings.isArchived { ownCodes.append(.isArchived) }
    send(Broadcast(room.presence(of: added, showsAddress: true, ownCodes)), to: taker)
  }

  /// Sends what was said before, as much as is wanted, and the subject (§7.2.13-7.2.15).
  private mutating func sendPast(
    of name: String, _ entrance: Element, to session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    guard let room = rooms[name] else { return }
    let request = entrance.first("history", Names.rooms)
    var limit = request?["maxstanzas"].flatMap { Int($0) } ?? 20
    limit = max(0, min(limit, settings.archivePages.messages))
    var filter = ArchiveFilter(owner: room.jid.description)
    if let since = request?["since"].flatMap({ XEP0082DateTime.date(from: $0) }) {
      filter.start = Int64(since.timeIntervalSince1970 * 1000) * 1000
    }
    if let seconds = request?["seconds"].flatMap({ Int64($0) }), (0...1 << 31).contains(seconds) {
      filter.start = max(filter.start ?? 0, Int64(now() * 1_000_000) - seconds * 1_000_000)
    }
    var allowance = request?["maxchars"].flatMap { Int($0) } ?? .max
    var messages: [ArchivedMessage] = []
    if limit > 0, allowance > 0 {
      for message in try ledger.archives.messages(filter, newest: true, limit: limit).reversed() {
        guard message.stanza.utf8.count <= allowance else { break }
        allowance -= message.stanza.utf8.count
        messages.append(message)
      }
    }
    for message in messages.reversed() {
      guard var stanza = XMLColumn.parse(message.stanza) else { continue }
      stanza["to"] = session.jid.description
      stanza.append(
        Element(
          "delay", Namespace.delay,
          ["from": room.jid.description, "stamp": ArchiveStamp.text(of: message.id)]))
      send(stanza, to: session.id)
    }
    var subject = room.subjectMessage()
    subject["to"] = session.jid.description
    if let time = room.subject?.time {
      subject.append(
        Element(
          "delay", Namespace.delay,
          [
            "from": room.jid.description,
            "stamp": XEP0082DateTime.text(for: Date(timeIntervalSince1970: time)),
          ]))
    }
    send(subject, to: session.id)
  }

  // MARK: Another nickname (§7.6)

  private mutating func rename(
    _ occupant: Occupant, to nickname: String, _ presence: Element, in name: String,
    _ session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    guard let room = rooms[name] else { return }
    if let there = room.occupants[nickname], there.account != occupant.account {
      return refuse(presence, .conflict, to: session.id)
    }
    let change = OccupantChange(role: occupant.role, nickname: nickname)
    rooms[name]?.remove(session.id)
    if let rest = rooms[name]?.occupants[occupant.nickname] {
      // The account's other client keeps the old one.
      var own = room.presence(
        of: occupant, showsAddress: true, [.newNickname, .isYours], change: change)
      own["to"] = session.jid.description
      send(own, to: session.id)
      show(rest, in: name)
    } else {
      show(occupant, in: name, [.newNickname], change: change)
    }
    let new =
      rooms[name]?.occupants[nickname]
      ?? Occupant(
        nickname: nickname, account: occupant.account, id: occupant.id, role: occupant.role,
        sessions: [])
    rooms[name]?.add(OccupantSession(session, presence.withoutRoomParts), to: new)
    if let added = rooms[name]?.occupants[nickname] { show(added, in: name) }
  }

  // MARK: Leaving (§7.14)

  /// Takes a session out of a room.
  mutating func leave(
    _ name: String, _ session: ClientSession, farewell: String?, _ ledger: ServerTransaction
  ) throws {
    guard let occupant = rooms[name]?.occupant(of: session.id) else { return }
    rooms[name]?.remove(session.id)
    sessions[session.id]?.rooms.remove(name)
    let change = OccupantChange(role: .none, farewell: farewell)
    if let rest = rooms[name]?.occupants[occupant.nickname] {
      var own = rooms[name]?.presence(
        of: occupant, showsAddress: true, [.isYours], change: change)
      own?["to"] = session.jid.description
      if let own { send(own, to: session.id) }
      show(rest, in: name)
    } else {
      show(occupant, in: name, change: change)
    }
    try closeIfEmpty(name, ledger)
  }

  /// Takes a session that goes out of all rooms.
  mutating func leaveAll(_ session: ClientSession, farewell: String?, _ ledger: ServerTransaction)
    throws
  {
    for name in session.rooms { try leave(name, session, farewell: farewell, ledger) }
  }
}
