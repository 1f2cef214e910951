import NatterCore
import XMPP

// A server does not tell rooms of a changed presence, which was sent to all who see the account: its client does
// (XEP-0045 §7.7).
extension RoomKeeper: OwnPresenceFollowing {
  package func ownPresenceChanged(_ presence: OwnPresence) async {
    own = presence
    await tellPresence()
  }

  /// Tells each room that the account is in, and that was told something else, how it is now.
  func tellPresence() async {
    guard let channel, own.availability != .offline else { return }
    for (jid, state) in rooms
    where state.room.phase == .inside && state.told?.looks(like: own) != true {
      let said = own
      let presence = Element(
        "presence", Namespace.client, ["to": state.room.seat.description], said.elements)
      // Without a connection it is told when the session goes on, or with the next entrance.
      do { try await channel.send(presence) } catch { return }
      if rooms[jid]?.attempt == state.attempt { rooms[jid]?.told = said }
    }
  }
}

extension OwnPresence {
  /// Whether a room would see no difference: it has no use for the priority.
  func looks(like other: OwnPresence) -> Bool {
    availability == other.availability && status == other.status
  }
}
