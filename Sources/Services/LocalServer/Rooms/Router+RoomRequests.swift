import FoundationEssentials
import XML
import XMPP

/// Requests to rooms, to who is in them, and to their domain.
extension Router {
  mutating func receive(
    roomRequest request: Element, to: JID, from session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    let type = request["type"] ?? ""
    if !to.isBare, type == "result" || type == "error" {
      return try passBack(request, to: to, from: session, ledger)
    }
    guard type == "get" || type == "set", let payload = request.elements.first else { return }
    let isSet = type == "set"
    let answer: IQReply
    if to.local == nil {
      answer = try answerAsRooms(payload, isSet: isSet, ledger)
    } else if let room = try room(to, ledger) {
      answer =
        try to.isBare
        ? answerAsRoom(room, payload, isSet: isSet, session, ledger)
        : pass(request, payload, to: to, in: room, session, ledger)
    } else if payload.is("ping", Namespace.ping) {
      // XEP-0410 §3: neither there nor in it, which is all that the asker wants to know.
      answer = .refused(.notAcceptable)
    } else {
      answer = .refused(.itemNotFound)
    }
    finish(request, answer, to: session)
  }

  // MARK: The domain of the rooms (§6)

  private func answerAsRooms(
    _ payload: Element, isSet: Bool, _ ledger: ServerTransaction
  ) throws -> IQReply {
    switch (payload.name, payload.namespace, isSet) {
    case ("query", Namespace.discoInfo, false):
      guard payload["node"] == nil else { return .refused(.itemNotFound) }
      return .result(features.rooms)
    case ("query", Namespace.discoItems, false):
      var query = Element("query", Namespace.discoItems)
      guard payload["node"] == nil else { return .result(query) }
      for room in try ledger.rooms.publicRooms() where rooms[room.name]?.isLocked != true {
        let address = JID(local: room.name, domain: roomDomain).description
        query.append(
          Element(
            "item", Namespace.discoItems,
            ["jid": address, "name": room.title.isEmpty ? room.name : room.title]))
      }
      return .result(query)
    case ("ping", Namespace.ping, false): return .result()
    case ("query", Namespace.version, false): return .result(features.versionAnswer)
    default: return .refused(.serviceUnavailable)
    }
  }

  // MARK: A room

  private mutating func answerAsRoom(
    _ room: Room, _ payload: Element, isSet: Bool, _ session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply {
    switch (payload.name, payload.namespace, isSet) {
    case ("query", Namespace.discoInfo, false):
      guard let node = payload["node"] else { return .result(features.room(room)) }
      // There are no reserved nicks here (§7.12).
      guard node == "x-roomuser-item" else { return .refused(.itemNotFound) }
      return .result(Element("query", Namespace.discoInfo, ["node": node]))
    case ("query", Namespace.discoItems, false):
      var query = Element("query", Namespace.discoItems)
      query["node"] = payload["node"]
      if room.settings.isPublic || room.nicknames[session.id] != nil {
        for nickname in room.occupants.keys.sorted() {
          query.append(
            Element("item", Namespace.discoItems, ["jid": room.address(nickname)]))
        }
      }
      return .result(query)
    case (_, Namespace.archive, _):
      guard mayRead(room, session) else { return .refused(.forbidden) }
      return try answerArchive(payload, isSet: isSet, owner: room.jid, to: session, ledger)
    case ("query", Names.roomAdmin, false):
      return listRoles(payload, in: room, session)
    case ("query", Names.roomAdmin, true):
      return try changeRoles(payload, in: room, session, ledger)
    case ("query", Names.roomOwner, _):
      return try answerOwner(payload, isSet: isSet, of: room, session, ledger)
    case ("ping", Namespace.ping, false): return .result()
    default: return .refused(.serviceUnavailable)
    }
  }

  /// Returns whether an account may read the archive: as if it could join.
  private func mayRead(_ room: Room, _ session: ClientSession) -> Bool {
    let affiliation = room.affiliation(of: session.jid)
    if affiliation == .outcast { return false }
    if room.nicknames[session.id] != nil || affiliation >= .member { return true }
    return !room.settings.isMembersOnly && room.settings.password.isEmpty && !room.isLocked
  }

  // MARK: Who is in it (§17.4)

  private mutating func pass(
    _ request: Element, _ payload: Element, to: JID, in room: Room, _ session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply {
    guard let asker = room.occupant(of: session.id) else { return .refused(.notAcceptable) }
    // XEP-0410 §3.3: who pings itself wants to know whether it is still there.
    if payload.is("ping", Namespace.ping), asker.nickname == to.resource { return .result() }
    guard let asked = to.resource.flatMap({ room.occupants[$0] }), let taker = asked.sessions.last
    else { return .refused(.itemNotFound) }
    if payload.is("vCard", Names.vcard), let account = asked.account.local {
      guard request["type"] == "get" else { return .refused(.notAllowed) }
      return .result(try card(of: account, ledger))
    }
    var copy = request
    copy["from"] = room.address(asker.nickname)
    copy["to"] = taker.address
    // The answer finds the client that has asked by the number.
    copy["id"] = "\(session.id.number).\(request["id"] ?? "")"
    send(copy, to: taker.id)
    return .done
  }

  private mutating func passBack(
    _ answer: Element, to: JID, from session: ClientSession, _ ledger: ServerTransaction
  ) throws {
    guard let room = try room(to, ledger), let answerer = room.occupant(of: session.id),
      let id = answer["id"], let dot = id.firstIndex(of: "."), let number = Int(id[..<dot]),
      let asker = sessions[ConnectionID(number: number)],
      room.nicknames[asker.id] == to.resource
    else { return }
    var copy = answer
    copy["from"] = room.address(answerer.nickname)
    copy["to"] = asker.jid.description
    copy["id"] = String(id[id.index(after: dot)...])
    send(copy, to: asker.id)
  }
}
