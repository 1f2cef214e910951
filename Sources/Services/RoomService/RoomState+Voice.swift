import NatterCore
import XMPP

// Visitors who ask for voice (XEP-0045 §7.13, §8.6), and changes of the user's own role and
// affiliation.
extension RoomState {
  /// Returns the reports of how the user's role and affiliation have changed.
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

  /// Adds a voice request. The room asks moderators only, and only present visitors count.
  mutating func voiceAsked(_ message: MessageStanza) -> [Effect] {
    guard let asked = XEP0045VoiceRequest(message), room.role == .moderator,
      occupants[asked.nick]?.role == .visitor, voiceRequests.count < Self.voiceLimit,
      !voiceRequests.contains(where: { $0.nick == asked.nick })
    else { return [] }
    let request = VoiceRequest(room: room.jid, nick: asked.nick, jid: asked.jid)
    voiceRequests.append(request)
    return [.voiceRequested(request)]
  }

  /// Takes over the voice request of an occupant who has changed their nick since.
  mutating func voiceAsked(renamed occupant: Occupant) -> [Effect] {
    guard let request = renamedVoices.removeValue(forKey: occupant.nick),
      room.role == .moderator, occupant.role == .visitor, voiceRequests.count < Self.voiceLimit
    else { return [] }
    voiceRequests.append(request)
    return [.voiceRequested(request)]
  }

  /// Removes and returns the requests of occupants who have voice by now or are gone, and all once
  /// the user is no moderator.
  mutating func takeSettledVoices() -> [VoiceRequest] {
    let settled = voiceRequests.filter {
      room.phase != .inside || room.role != .moderator || occupants[$0.nick]?.role != .visitor
    }
    voiceRequests.removeAll(where: settled.contains)
    return settled
  }
}
