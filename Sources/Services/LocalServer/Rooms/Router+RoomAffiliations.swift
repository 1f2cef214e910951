import XML
import XMPP

/// Affiliations and roles: who has which, and who may change them (XEP-0045 §8, §9).
extension Router {
  /// One change that was asked for and is allowed.
  private struct Step {
    let account: JID?
    let occupant: Occupant?
    let affiliation: Affiliation?
    let role: RoomRole?
    let reason: String?
  }

  // MARK: Lists

  mutating func listRoles(
    _ query: Element, in room: Room, _ session: ClientSession
  ) -> IQReply {
    let items = query.all("item", Names.roomAdmin)
    guard items.count == 1, let item = items.first else { return .refused(.badRequest) }
    let own = room.affiliation(of: session.jid)
    var answer = Element("query", Names.roomAdmin)
    if let text = item["affiliation"] {
      guard let affiliation = Affiliation(rawValue: text) else { return .refused(.badRequest) }
      // Who sees all addresses may see the lists of those who belong here as well.
      let isOpen =
        room.settings.showsAddresses && affiliation >= .member
        && (own >= .member || room.nicknames[session.id] != nil)
      guard own >= .admin || isOpen else { return .refused(.forbidden) }
      let accounts = room.affiliations.filter { $0.value == affiliation }.keys
      for account in accounts.map(\.description).sorted() {
        answer.append(
          Element("item", Names.roomAdmin, ["affiliation": text, "jid": account]))
      }
      return .result(answer)
    }
    guard let role = item["role"].flatMap({ RoomRole(rawValue: $0) }) else {
      return .refused(.badRequest)
    }
    guard room.occupant(of: session.id)?.role == .moderator else { return .refused(.forbidden) }
    for occupant in room.occupants.values.sorted(by: { $0.nickname < $1.nickname })
    where occupant.role == role {
      var element = Element(
        "item", Names.roomAdmin,
        [
          "affiliation": room.affiliation(of: occupant.account).rawValue, "role": role.rawValue,
          "nick": occupant.nickname,
        ])
      element["jid"] = occupant.sessions.last?.address
      answer.append(element)
    }
    return .result(answer)
  }

  // MARK: Changes

  mutating func changeRoles(
    _ query: Element, in room: Room, _ session: ClientSession, _ ledger: ServerTransaction
  ) throws -> IQReply {
    let items = query.all("item", Names.roomAdmin)
    guard !items.isEmpty, items.count <= 500 else { return .refused(.badRequest) }
    var steps: [Step] = []
    for item in items {
      switch step(item, in: room, by: session) {
      case .success(let step): steps.append(step)
      case .failure(let refusal): return .refused(refusal.reason)
      }
    }
    // §10.5: a room has an owner.
    var updated = room.affiliations
    for step in steps {
      if let account = step.account, let affiliation = step.affiliation {
        updated[account] = affiliation
      }
    }
    guard updated.values.contains(.owner) else { return .refused(.conflict) }
    guard updated.count <= 5_000 else { return .refused(.resourceConstraint) }
    let actor = room.occupant(of: session.id)?.nickname
    for step in steps { try take(step, in: room.name, actor: actor, ledger) }
    return .result()
  }

  /// The change that an item asks for, if its sender may make it (§8.2-8.4, §9.1-9.8, §10.3-10.6).
  private func step(
    _ item: Element, in room: Room, by session: ClientSession
  ) -> Result<Step, RequestRefusal> {
    let occupant = item["nick"].flatMap { room.occupants[$0] }
    let given = item.address("jid")
    guard given != .unreadable else { return .refused(.jidMalformed) }
    let address = given.jid?.bare
    let own = room.affiliation(of: session.jid)
    let reason = item.childText("reason", Names.roomAdmin)
    if let text = item["affiliation"] {
      guard let affiliation = Affiliation(rawValue: text) else { return .refused(.badRequest) }
      guard let account = address ?? occupant?.account else {
        return .refused(item["nick"] == nil ? .badRequest : .itemNotFound)
      }
      guard own >= .admin else { return .refused(.forbidden) }
      let current = room.affiliation(of: account)
      let needsOwner = current >= .admin || affiliation >= .admin
      guard own == .owner || !needsOwner else { return .refused(.notAllowed) }
      guard affiliation != .outcast || account != session.jid.bare else {
        return .refused(.conflict)
      }
      return .success(
        Step(account: account, occupant: nil, affiliation: affiliation, role: nil, reason: reason))
    }
    guard let role = item["role"].flatMap({ RoomRole(rawValue: $0) }) else {
      return .refused(.badRequest)
    }
    guard let occupant = occupant ?? address.flatMap({ room.occupants(of: $0).first }) else {
      return .refused(.itemNotFound)
    }
    guard room.occupant(of: session.id)?.role == .moderator else { return .refused(.forbidden) }
    let theirs = room.affiliation(of: occupant.account)
    if role == .moderator || occupant.role == .moderator {
      guard own >= .admin else { return .refused(.notAllowed) }
    }
    if role < occupant.role, theirs >= .admin || theirs > own, occupant.account != session.jid.bare
    {
      guard own > theirs, role == .none else { return .refused(.notAllowed) }
    }
    return .success(
      Step(account: nil, occupant: occupant, affiliation: nil, role: role, reason: reason))
  }

  private mutating func take(
    _ step: Step, in name: String, actor: String?, _ ledger: ServerTransaction
  ) throws {
    if let occupant = step.occupant, let role = step.role {
      let change = OccupantChange(role: role, actor: actor, reason: step.reason)
      guard role == .none else { return setRole(role, of: occupant, in: name, change) }
      return try expel(occupant, from: name, .kicked, change, ledger)
    }
    guard let account = step.account, let affiliation = step.affiliation,
      let room = rooms[name], room.affiliation(of: account) != affiliation
    else { return }
    rooms[name]?.affiliations[account] = affiliation == .none ? nil : affiliation
    try ledger.rooms.setAffiliation(affiliation, of: account, in: name)
    for occupant in room.occupants(of: account) {
      var change = OccupantChange(
        role: .none, affiliation: affiliation, actor: actor, reason: step.reason)
      if affiliation == .outcast {
        try expel(occupant, from: name, .banned, change, ledger)
      } else if room.settings.isMembersOnly, affiliation < .member {
        try expel(occupant, from: name, .affiliationLost, change, ledger)
      } else {
        change.role = room.role(for: affiliation)
        setRole(change.role, of: occupant, in: name, change)
      }
    }
  }
}

extension Result where Failure == RequestRefusal {
  fileprivate static func refused(_ reason: StanzaRefusal) -> Self {
    .failure(RequestRefusal(reason))
  }
}
