import NatterCore
import Text
import ViewModels
import XMPP

// Rooms in line mode (XEP-0045).
extension PlainSession {
  /// `/join ROOM [NICK [PASSWORD]]`: the result is printed when the room has answered.
  func join(_ argument: String) async {
    let request = CommandCall(rest: argument.trimmed).joinRequest
    let first = request.room
    guard !first.isEmpty else { return PlainHelp(session: self).showUsage(of: "join") }
    do {
      let room: JID
      if first.hasAddressMark {
        guard let jid = JID(typed: first)?.bare, jid.local != nil else {
          return PlainHelp(session: self).showUsage(of: "join")
        }
        room = jid
      } else {
        room = try await ports.rooms.address(ofRoom: first)
      }
      let before = rooms[room]
      let isInside = before?.phase == .inside
      // Known before anything of it arrives.
      if before == nil { rooms[room] = Room(jid: room, nick: "") }
      // Who asks is answered, be it the same as before.
      rooms[room]?.exit = nil
      do {
        try await ports.rooms.join(room, nick: request.nick, password: request.password)
      } catch {
        // It may be none.
        rooms[room] = before
        throw error
      }
      if isInside { say("plain.chatting", ["name": name(room)]) }
      try await showNewest(of: room)
    } catch {
      report(error)
    }
  }

  /// `/leave [ROOM]`
  func leave(_ argument: String) async {
    let room =
      argument.isEmpty
      ? current
      : rooms.keys.first { jid in
        jid.description == argument || name(jid) == argument
      }
    guard let room, rooms[room] != nil else {
      return PlainHelp(session: self).showUsage(of: "leave")
    }
    do {
      try await ports.rooms.leave(room)
      say("plain.room-left", ["name": name(room)])
      if room == current { current = nil }
    } catch {
      report(error)
    }
  }

  /// `/members`: who is here.
  func listMembers() async {
    guard let current, rooms[current] != nil else { return say("error.room.noRoom") }
    let nicks = await ports.rooms.occupants(of: current).map(\.nick).sorted()
    printNotice(localizer.list(nicks), of: current)
  }

  /// `/invite ADDRESS [REASON]`
  func invite(_ argument: String) async {
    let (who, reason) = CommandCall(rest: argument).split
    await inRoom(argument, "invite") { rooms, room in
      guard let named = person(who) else { return }
      let guest = try await contact(named)
      try await rooms.invite(guest, to: room, reason: reason.isEmpty ? nil : reason)
      say("status.invited", ["name": name(guest)])
    }
  }

  func show(_ invitation: RoomInvitation) {
    let notice = invitation.notice(shown, inLines: true)
    say(notice.key, notice.arguments)
  }

  /// Answers a pending request: to speak in a room, an invitation, or a subscription request.
  /// - Returns: whether anything was asked.
  func answer(_ jid: JID, isAccepted: Bool) async throws -> Bool {
    if try await answer(voice: jid, isAllowed: isAccepted) { return true }
    if try await answer(invitationTo: jid, isAccepted: isAccepted) { return true }
    return isAccepted
      ? try await ports.people.approve(jid) : try await ports.people.deny(jid)
  }

  /// Goes where one is invited, or does not.
  /// - Returns: whether there is an invitation to the room.
  /// - Throws: `NatterError` when the refusal has no recipient.
  private func answer(invitationTo room: JID, isAccepted: Bool) async throws -> Bool {
    let waiting = await ports.rooms.invitations()
    guard let invitation = waiting.first(where: { $0.room == room }) else { return false }
    guard !isAccepted else {
      await join(room.description)
      return true
    }
    try await ports.rooms.decline(invitation)
    say("status.declined", ["name": name(room)])
    return true
  }

  /// Answers an occupant's request to speak in a room.
  /// - Parameter jid: the occupant JID of the sender.
  /// - Returns: whether it is an occupant JID: only occupants ask to speak.
  /// - Throws: `NatterError` when there is no such request, or it has ended.
  private func answer(voice jid: JID, isAllowed: Bool) async throws -> Bool {
    guard let nick = jid.resource, rooms[jid.bare] != nil else { return false }
    let waiting = await ports.rooms.voiceRequests()
    guard let request = waiting.first(where: { $0.id == jid }) else {
      throw NatterError(.invalidInput, "error.room.noRequest", ["name": nick])
    }
    try await ports.rooms.answer(request, isAllowed: isAllowed)
    say(
      isAllowed ? "status.voiceGiven" : "status.voiceDenied",
      ["name": People.nick(nick), "room": name(jid.bare)])
    return true
  }

  /// Does `work` of a command, which needs an argument, to the room that is talked to.
  func inRoom(
    _ argument: String, _ command: String,
    _ work: (any RoomEntering & RoomModerating & VoiceAsking, JID) async throws -> Void
  ) async {
    guard !argument.isEmpty else { return PlainHelp(session: self).showUsage(of: command) }
    await inRoom(work)
  }

  func inRoom(
    _ work: (any RoomEntering & RoomModerating & VoiceAsking, JID) async throws -> Void
  ) async {
    guard let current, rooms[current] != nil else { return say("error.room.noRoom") }
    do { try await work(ports.rooms, current) } catch { report(error) }
  }

  /// Prints once why the user is outside.
  func show(_ room: Room) {
    let before = rooms[room.jid]
    rooms[room.jid] = room
    // While a room is retried, the reason that was printed stays.
    if room.phase == .entering { rooms[room.jid]?.exit = before?.exit }
    guard room.phase == .outside, room.exit != nil, before?.exit != room.exit,
      let text = TimelineIncident.absence(in: room, format: format)
    else { return }
    printNotice(text, of: room.jid)
  }

  func showEntered(_ jid: JID) {
    guard let room = rooms[jid] else { return }
    say("plain.room-entered", ["name": name(jid), "nick": People.nick(room.nick)])
  }

  /// A line about a room.
  func printNotice(_ text: String, of room: JID) {
    say("plain.room", ["name": name(room), "text": text])
  }
}
