import NatterCore
import XMPP

// Who may only listen, and asks to speak (XEP-0045 §7.13, §8.6).
extension RoomState {
  /// Takes the question whether somebody may speak. The room asks moderators alone, and of those who are there.
  mutating func voiceAsked(_ message: MessageStanza) -> [Effect] {
    guard let asked = XEP0045VoiceRequest(message), room.role == .moderator,
      occupants[asked.nick]?.role == .visitor,
      !voiceRequests.contains(where: { $0.nick == asked.nick })
    else { return [] }
    let request = VoiceRequest(room: room.jid, nick: asked.nick, jid: asked.jid)
    voiceRequests.append(request)
    return [.voiceRequested(request)]
  }

  /// Takes those off the list who may speak by now, or are gone, and everybody once the person has no say in it any more.
  mutating func takeSettledVoices() -> [VoiceRequest] {
    let settled = voiceRequests.filter {
      room.phase != .inside || room.role != .moderator || occupants[$0.nick]?.role != .visitor
    }
    voiceRequests.removeAll(where: settled.contains)
    return settled
  }
}
