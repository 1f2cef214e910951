import XML
import XMPP

/// Messages in rooms (XEP-0045 §7.4-7.9, §8.1).
extension Router {
  private static let subjectLimit = 16 << 10

  mutating func receive(
    roomMessage message: Element, _ kind: MessageKind, to: JID, from session: ClientSession,
    _ ledger: ServerTransaction
  ) throws {
    guard let room = try room(to, ledger) else {
      return refuse(message, .itemNotFound, to: session.id)
    }
    let invitation = message.first("x", Names.roomUser)
    guard let occupant = room.occupant(of: session.id) else {
      if to.isBare, let decline = invitation?.first("decline", Names.roomUser) {
        return try pass(decline, "decline", by: room, from: session, message, ledger)
      }
      return refuse(message, .notAcceptable, to: session.id)
    }
    if let nickname = to.resource {
      return try whisper(message, kind, to: nickname, from: occupant, session, in: room, ledger)
    }
    switch kind {
    case .groupchat: try speak(message, by: occupant, session, in: room, ledger)
    case .error: break
    case .normal, .chat, .headline:
      let invites = invitation?.all("invite", Names.roomUser) ?? []
      if let form = message.first("x", Namespace.dataForms).flatMap({ XEP0004DataForm($0) }),
        form.formType == Names.roomRequest
      {
        try requestVoice(form, message, by: occupant, session, in: room, ledger)
      } else if let decline = invitation?.first("decline", Names.roomUser) {
        try pass(decline, "decline", by: room, from: session, message, ledger)
      } else if !invites.isEmpty {
        for invite in invites.prefix(50) {
          try self.invite(invite, message, by: occupant, session, in: room, ledger)
        }
      } else {
        refuse(message, .badRequest, to: session.id)
      }
    }
  }

  // MARK: To all occupants

  private mutating func speak(
    _ message: Element, by occupant: Occupant, _ session: ClientSession, in room: Room,
    _ ledger: ServerTransaction
  ) throws {
    guard occupant.role >= .participant else { return refuse(message, .forbidden, to: session.id) }
    var copy = message
    copy["to"] = nil
    copy["from"] = room.address(occupant.nickname)
    copy.removeAll("x", Names.roomUser)
    copy.removeAll("occupant-id", Names.occupantIDs)
    copy.removeStanzaIDs(by: room.jid)
    copy.append(Element("occupant-id", Names.occupantIDs, ["id": occupant.id]))
    if let subject = message.childText("subject"), message.childText("body") == nil {
      guard occupant.role == .moderator || room.settings.allowsSubjects else {
        return refuse(message, .forbidden, to: session.id)
      }
      guard subject.utf8.count <= Self.subjectLimit else {
        return refuse(message, .notAcceptable, to: session.id)
      }
      let new = RoomSubject(text: subject, nickname: occupant.nickname, time: now())
      rooms[room.name]?.subject = new
      try ledger.rooms.setSubject(new, of: room.name)
    } else if room.settings.isArchived, isStored(message, .normal),
      message.first("no-permanent-store", Names.hints) == nil
    {
      let speaker = JID(local: room.name, domain: roomDomain, resource: occupant.nickname)
      _ = try archive(&copy, owner: room.jid, with: speaker, ledger)
    }
    try spread(copy, by: occupant, in: room, ledger)
  }

  /// Sends a message to all occupants but those who have blocked its sender (XEP-0191 §2.1).
  private mutating func spread(
    _ message: Element, by speaker: Occupant, in room: Room, _ ledger: ServerTransaction
  ) throws {
    let copy = Broadcast(message)
    let address = JID(local: room.name, domain: roomDomain, resource: speaker.nickname)
    for occupant in (rooms[room.name]?.occupants ?? [:]).values {
      if let account = occupant.account.local, account != speaker.account.local,
        try blocks(account, address, ledger)
      {
        continue
      }
      for session in occupant.sessions { send(copy, to: session) }
    }
  }

  // MARK: To one (§7.5)

  private mutating func whisper(
    _ message: Element, _ kind: MessageKind, to nickname: String, from occupant: Occupant,
    _ session: ClientSession, in room: Room, _ ledger: ServerTransaction
  ) throws {
    guard kind != .groupchat else { return refuse(message, .badRequest, to: session.id) }
    guard let recipient = room.occupants[nickname], let account = recipient.account.local,
      let first = recipient.sessions.last
    else { return refuse(message, .itemNotFound, to: session.id) }
    guard
      room.settings.allowsPrivateMessages || occupant.role == .moderator
        || recipient.role == .moderator
    else { return refuse(message, .forbidden, to: session.id) }
    var copy = message
    copy["from"] = room.address(occupant.nickname)
    let chosen = recipient.sessions.compactMap { sessions[$0.id] }
    copy["to"] = chosen.count == 1 ? first.address : recipient.account.description
    copy.removeAll("x", Names.roomUser)
    copy.removeAll("occupant-id", Names.occupantIDs)
    copy.append(Element("x", Names.roomUser))
    copy.append(Element("occupant-id", Names.occupantIDs, ["id": occupant.id]))
    let refusal = try deliver(
      copy, kind, to: chosen.first?.jid ?? recipient.account, account: account, chosen: chosen,
      isCopied: false, ledger)
    if let refusal { return refuse(message, refusal, to: session.id) }
    var sent = message
    sent.removeAll("private", Names.carbons)
    let target = JID(local: room.name, domain: roomDomain, resource: nickname)
    try keep(
      sent, kind, sentBy: session, to: target, isCopied: isCarbonCopied(message, kind), ledger)
  }

  // MARK: Invitations (§7.8.2)

  private mutating func invite(
    _ invite: Element, _ message: Element, by occupant: Occupant, _ session: ClientSession,
    in room: Room, _ ledger: ServerTransaction
  ) throws {
    let affiliation = room.affiliation(of: occupant.account)
    guard room.settings.allowsInvitations || affiliation >= .admin else {
      return refuse(message, .forbidden, to: session.id)
    }
    guard let to = invite["to"].flatMap({ Address.parse($0) }) else {
      return refuse(message, .jidMalformed, to: session.id)
    }
    guard isOurs(to), let account = to.local, try ledger.accounts.exists(account) else {
      return refuse(message, .itemNotFound, to: session.id)
    }
    if room.settings.isMembersOnly, room.affiliation(of: to) == .none {
      guard affiliation >= .admin else { return refuse(message, .forbidden, to: session.id) }
      rooms[room.name]?.affiliations[to.bare] = .member
      try ledger.rooms.setAffiliation(.member, of: to.bare, in: room.name)
    }
    try pass(invite, "invite", by: room, from: session, message, ledger)
  }

  /// Brings an invitation, or the answer to one, to whom it is for.
  private mutating func pass(
    _ content: Element, _ name: String, by room: Room, from session: ClientSession,
    _ message: Element, _ ledger: ServerTransaction
  ) throws {
    guard let to = content["to"].flatMap({ Address.parse($0) }), isOurs(to), let account = to.local
    else { return refuse(message, .jidMalformed, to: session.id) }
    var passed = Element(name, Names.roomUser, ["from": session.jid.bare.description])
    let reason = content.childText("reason", Names.roomUser)
    if let reason { passed.append(Element("reason", Names.roomUser, text: reason)) }
    if let thread = content.first("continue", Names.roomUser) { passed.append(thread) }
    var payload = Element("x", Names.roomUser, [:], [passed])
    var copy = Element(
      "message", Namespace.client, ["from": room.jid.description, "to": to.description])
    copy["id"] = message["id"]
    if name == "invite" {
      if !room.settings.password.isEmpty {
        payload.append(Element("password", Names.roomUser, text: room.settings.password))
      }
      copy.append(payload)
      // The direct form beside it, for clients that know that one (XEP-0249).
      var direct = Element("x", Names.conference, ["jid": room.jid.description])
      direct["reason"] = reason
      if !room.settings.password.isEmpty { direct["password"] = room.settings.password }
      copy.append(direct)
    } else {
      copy.append(payload)
    }
    let refusal = try deliver(
      copy, .normal, to: to, account: account, isCopied: isCarbonCopied(copy, .normal), ledger)
    if let refusal { refuse(message, refusal, to: session.id) }
  }

  // MARK: Voice (§7.13, §8.6)

  private mutating func requestVoice(
    _ form: XEP0004DataForm, _ message: Element, by occupant: Occupant, _ session: ClientSession,
    in room: Room, _ ledger: ServerTransaction
  ) throws {
    if let allowed = form["muc#request_allow"]?.values.first {
      guard occupant.role == .moderator else {
        return refuse(message, .forbidden, to: session.id)
      }
      guard ["1", "true"].contains(allowed) else { return }
      guard let nickname = form["muc#roomnick"]?.values.first,
        let asker = room.occupants[nickname], asker.role == .visitor
      else { return refuse(message, .itemNotFound, to: session.id) }
      setRole(
        .participant, of: asker, in: room.name,
        OccupantChange(role: .participant, actor: occupant.nickname))
      return
    }
    guard occupant.role == .visitor else { return }
    let question = XEP0004DataForm(
      .form, title: "Voice request",
      fields: [
        .init("FORM_TYPE", kind: .hidden, values: [Names.roomRequest]),
        .init("muc#role", label: "Requested role", values: ["participant"]),
        .init(
          "muc#jid", kind: .jidSingle, label: "Address", values: [session.jid.description]),
        .init("muc#roomnick", label: "Nickname", values: [occupant.nickname]),
        .init("muc#request_allow", kind: .boolean, label: "Grant voice?", values: ["0"]),
      ])
    let copy = Broadcast(
      Element("message", Namespace.client, ["from": room.jid.description], [question.element]))
    for moderator in room.occupants.values where moderator.role == .moderator {
      for taker in moderator.sessions { send(copy, to: taker) }
    }
  }

  /// Gives an occupant another role and shows it.
  mutating func setRole(
    _ role: RoomRole, of occupant: Occupant, in name: String, _ change: OccupantChange
  ) {
    rooms[name]?.setRole(role, of: occupant.nickname)
    if let changed = rooms[name]?.occupants[occupant.nickname] {
      show(changed, in: name, change: change)
    }
  }
}
