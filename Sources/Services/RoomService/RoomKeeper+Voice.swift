import NatterCore
import XMPP

extension RoomKeeper: VoiceAsking {
  package func askForVoice(in room: JID) async throws {
    // A moderator's request would answer another's (Prosody), or come back to them (ejabberd).
    let state = try inside(room)
    guard state.room.role == .visitor else {
      throw NatterError(.invalidInput, "error.room.hasVoice")
    }
    try await send(XEP0045VoiceRequest.request(to: room), asking: .voice, of: state)
  }

  package func voiceRequests() -> [VoiceRequest] { rooms.values.flatMap(\.voiceRequests) }

  package func answer(_ request: VoiceRequest, isAllowed: Bool) async throws {
    // Another moderator may have been quicker, and others be called so by now.
    let state = try inside(request.room)
    guard state.voiceRequests.contains(request) else {
      throw NatterError(.invalidInput, "error.room.noWish", ["name": request.nick])
    }
    let asked = XEP0045VoiceRequest(room: request.room, nick: request.nick, jid: request.jid)
    try await send(asked.answer(isAllowed: isAllowed), asking: .voice, of: state)
    rooms[request.room]?.voiceRequests.removeAll { $0 == request }
    hub.publish(.voiceRequestSettled(request))
  }
}
