import XML
import XMPP

/// Setting rooms up and ending them (XEP-0045 §10).
extension Router {
  mutating func answerOwner(
    _ query: Element, isSet: Bool, of room: Room, _ session: ClientSession,
    _ ledger: ServerTransaction
  ) throws -> IQReply {
    guard room.affiliation(of: session.jid) == .owner else { return .refused(.forbidden) }
    guard isSet else {
      return .result(Element("query", Names.roomOwner, [:], [room.settings.form().element]))
    }
    if let end = query.first("destroy", Names.roomOwner) {
      destroy(room, end)
      try remove(room: room.name, ledger)
      return .result()
    }
    guard let form = query.first("x", Namespace.dataForms).flatMap({ XEP0004DataForm($0) })
    else { return .refused(.badRequest) }
    if form.kind == .cancel {
      // §10.1.3: a room that was never set up goes again.
      if room.isLocked {
        destroy(room, Element("destroy", Names.roomOwner))
        try remove(room: room.name, ledger)
      }
      return .result()
    }
    guard form.kind == .submit else { return .refused(.badRequest) }
    return try configure(room, form, ledger)
  }

  private mutating func configure(
    _ room: Room, _ form: XEP0004DataForm, _ ledger: ServerTransaction
  ) throws -> IQReply {
    let old = room.settings
    var new = old
    guard new.apply(form) else { return .refused(.notAcceptable) }
    rooms[room.name]?.settings = new
    rooms[room.name]?.isLocked = false
    guard let changed = rooms[room.name] else { return .refused(.itemNotFound) }
    try ledger.rooms.put(changed)
    guard old != new else { return .result() }

    var codes: [RoomStatus] = []
    if old.showsAddresses != new.showsAddresses {
      codes.append(new.showsAddresses ? .isNonAnonymous : .isSemiAnonymous)
    }
    if old.isArchived != new.isArchived {
      codes.append(new.isArchived ? .isArchived : .isNotArchived)
    }
    codes.append(.settingsChanged)
    let statuses = codes.map {
      Element("status", Names.roomUser, ["code": String($0.rawValue)])
    }
    broadcast(
      Element(
        "message", Namespace.client, ["type": "groupchat", "from": room.jid.description],
        [Element("x", Names.roomUser, [:], statuses)]), in: room.name)
    if new.isMembersOnly, !old.isMembersOnly {
      for occupant in changed.occupants.values
      where changed.affiliation(of: occupant.account) < .member {
        try expel(
          occupant, from: room.name, .membersOnlyNow, OccupantChange(role: .none), ledger)
      }
    }
    return .result()
  }

  /// Informs the occupants that the room is gone, and where to go instead (§10.9).
  private mutating func destroy(_ room: Room, _ request: Element) {
    var end = Element("destroy", Names.roomUser)
    end["jid"] = request["jid"]
    for name in ["reason", "password"] {
      if let text = request.childText(name, Names.roomOwner) {
        end.append(Element(name, Names.roomUser, text: text))
      }
    }
    let item = Element("item", Names.roomUser, ["affiliation": "none", "role": "none"])
    for occupant in room.occupants.values {
      let presence = Broadcast(
        Element(
          "presence", Namespace.client,
          ["type": "unavailable", "from": room.address(occupant.nickname)],
          [
            Element(
              "x", Names.roomUser, [:],
              [item, Element("status", Names.roomUser, ["code": "110"]), end])
          ]))
      for taker in occupant.sessions { send(presence, to: taker) }
    }
  }
}
