import NatterCore
import XML
import XMPP

/// The requests of occupants to rooms: subject, invitations, roles, affiliations and voice
/// (XEP-0045 §7.8, §7.13, §8, §9), and retraction of messages (XEP-0425).
final class RoomModeration {
  /// The time limit of a room's answer to a message.
  private static let answerLimit = Duration.seconds(30)

  private let registry: RoomRegistry

  init(registry: RoomRegistry) { self.registry = registry }

  /// Sends a subject, and returns once the room has taken it.
  /// - Throws: `NatterError` when it has not, or does not answer.
  func setSubject(_ subject: String, of room: JID) async throws {
    let state = try registry.inside(room)
    // Prosody does not answer if the subject is the same as before.
    if state.hasSettled, state.room.subject == subject { return }
    let (answers, answer) = AsyncThrowingStream<Void, any Error>.makeStream()
    let (sleep, limit) = (registry.clock.sleep, Self.answerLimit)
    let timer = Task {
      do { try await sleep(limit) } catch { return }
      answer.finish(throwing: ChannelError.timedOut)
    }
    defer { timer.cancel() }
    try await send(
      Element(
        "message", Namespace.client,
        ["type": "groupchat", "to": state.room.jid.description],
        [Element("subject", Namespace.client, text: subject)]),
      asking: .subject(subject, answer), of: state)
    do { for try await _ in answers {} } catch { throw NatterError(answering: error) }
  }

  func invite(_ guest: JID, to room: JID, reason: String?) async throws {
    let state = try registry.inside(room)
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

  func setRole(
    _ role: Occupant.Role, of nick: String, in room: JID, reason: String?
  ) async throws {
    let state = try registry.inside(room)
    guard state.occupants[nick] != nil else {
      throw NatterError(.invalidInput, "error.room.nobody", ["name": nick])
    }
    try await administer(
      room, [XEP0045.item(nick: nick, role: role.rawValue, reason: reason)])
  }

  func setAffiliation(
    _ affiliation: Occupant.Affiliation, of person: String, in room: JID, reason: String?
  ) async throws {
    let state = try registry.inside(room)
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

  private func administer(_ room: JID, _ items: [Element]) async throws {
    _ = try await registry.ask(XEP0045.administration("set", room: room.bare, items))
  }

  /// Has the room retract a message.
  /// - Parameter id: the room's id of the message.
  func retract(_ id: String, in room: JID, reason: String?) async throws {
    let state = try registry.inside(room)
    let answer = try await registry.ask(XEP0030Discovery.question(to: state.room.jid))
    guard
      let request = XEP0425Moderation.request(
        retracting: id, in: state.room.jid, reason: reason,
        features: XEP0030Discovery(answer: answer)?.features ?? [])
    else { throw NatterError(.refused, "error.room.noRetraction") }
    _ = try await registry.ask(request)
  }

  func people(with affiliation: Occupant.Affiliation, in room: JID) async throws -> [Occupant] {
    let answer = try await registry.ask(
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

  // MARK: - Voice

  func askForVoice(in room: JID) async throws {
    // A moderator's request would answer another's (Prosody), or come back to them (ejabberd).
    let state = try registry.inside(room)
    guard state.room.role == .visitor else {
      throw NatterError(.invalidInput, "error.room.hasVoice")
    }
    try await send(XEP0045VoiceRequest.request(to: room), asking: .voice, of: state)
  }

  func answer(_ request: VoiceRequest, isAllowed: Bool) async throws {
    // Another moderator may have been quicker, and others be called so by now.
    let state = try registry.inside(request.room)
    guard state.voiceRequests.contains(request) else {
      throw NatterError(.invalidInput, "error.room.noRequest", ["name": request.nick])
    }
    let asked = XEP0045VoiceRequest(room: request.room, nick: request.nick, jid: request.jid)
    try await send(asked.answer(isAllowed: isAllowed), asking: .voice, of: state)
    registry.rooms[request.room]?.voiceRequests.removeAll { $0 == request }
    registry.hub.publish(.voiceRequestSettled(request))
  }

  // MARK: - Answers

  /// Sends a message and remembers what it is for, so that a refusal of it is understood.
  private func send(
    _ message: Element, asking kind: PendingRoomRequests.RequestKind, of state: RoomState
  ) async throws {
    var message = message
    let id = registry.identifiers.next()
    message["id"] = id
    registry.session?.requests.add(
      PendingRoomRequests.Request(kind: kind, room: state.room.jid, attempt: state.attempt), id: id)
    try await registry.send(message)
  }

  /// Takes the answer to a request from a message.
  func receive(_ message: MessageStanza, from sender: JID) {
    if message.kind == .error { return refused(message, from: sender) }
    let nick = registry.rooms[sender.bare]?.room.nick
    let callers = registry.session?.requests.takeFulfilled(by: message, from: sender, nick: nick)
    for caller in callers ?? [] { caller.finish() }
  }

  private func refused(_ message: MessageStanza, from sender: JID) {
    guard
      let request = registry.session?.requests.takeRefused(
        by: message, from: sender, attempt: { registry.rooms[$0]?.attempt })
    else { return }
    let error = message.error ?? StanzaError(.cancel, .undefinedCondition)
    switch request.kind {
    case .subject(_, let caller): caller.finish(throwing: error)
    case .guest(let jid):
      let arguments = ["name": jid.description, "reason": error.condition.rawValue]
      registry.hub.publish(
        .roomIncident(
          RoomIncident(room: request.room, .notInvited, arguments.merging(error.arguments) { $1 })))
    case .voice:
      let key =
        registry.rooms[request.room]?.room.role == .visitor
        ? "error.room.noVoiceRequest" : "stanza.\(error.condition.rawValue)"
      registry.hub.publish(.notice(StatusNotice(.error, key, error.arguments)))
    }
  }
}
