import NatterCore
import XMPP

// Who may only listen, and asks to speak (XEP-0045 §7.13, §8.6); what the person may do from now on.
extension RoomState {
  /// What is told of how the person's place in the room has changed.
  func promotions(from before: Room) -> [Effect] {
    if before.affiliation != room.affiliation {
      return [
        .incident(
          RoomIncident(
            room: room.jid, .affiliationChanged, ["affiliation": room.affiliation.rawValue]))
      ]
    }
    if before.role == .visitor, room.role == .participant || room.role == .moderator {
      return [.incident(RoomIncident(room: room.jid, .youVoiceGained))]
    }
    if before.role != .visitor, room.role == .visitor {
      return [.incident(RoomIncident(room: room.jid, .youVoiceLost))]
    }
    return []
  }

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

  /// Takes over the question of somebody who was called otherwise when he asked.
  mutating func voiceAsked(renamed occupant: Occupant) -> [Effect] {
    guard let request = renamedVoices.removeValue(forKey: occupant.nick),
      room.role == .moderator, occupant.role == .visitor
    else { return [] }
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
