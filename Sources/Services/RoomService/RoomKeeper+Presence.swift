import NatterCore
import XML
import XMPP

// A changed presence goes to subscribers, not to rooms: the client sends it to these itself
// (XEP-0045 §7.7).
extension RoomKeeper: OwnPresenceFollowing {
  package func ownPresenceChanged(_ presence: OwnPresence) async {
    own = presence
    await sendPresence()
  }

  /// Sends the presence to each joined room that has another one.
  func sendPresence() async {
    guard let channel, own.availability != .offline else { return }
    for (jid, state) in rooms
    where state.room.phase == .inside && state.sent?.looks(like: own) != true {
      let said = own
      let presence = Element(
        "presence", Namespace.client, ["to": state.room.occupant.description], said.elements)
      // Without a connection it is sent when the session resumes, or with the next join.
      do { try await channel.send(presence) } catch { return }
      if rooms[jid]?.attempt == state.attempt { rooms[jid]?.sent = said }
    }
  }
}

extension OwnPresence {
  /// Whether a room would see no difference: it has no use for the priority.
  func looks(like other: OwnPresence) -> Bool {
    availability == other.availability && status == other.status
  }
}
