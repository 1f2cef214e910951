import XML
import XMPP

extension OccupantSession {
  /// The session of `session` in a room, with the presence that the room shows of it.
  init(_ session: ClientSession, _ presence: Element) {
    self.init(id: session.id, address: session.jid.description, presence: presence)
  }
}

extension Element {
  /// A client's presence without the addresses and without what rooms add (XEP-0045 §7.2).
  var withoutRoomParts: Element {
    var cleaned = self
    for attribute in ["to", "from", "id"] { cleaned[attribute] = nil }
    cleaned.removeAll("x", Names.rooms)
    cleaned.removeAll("x", Names.roomUser)
    cleaned.removeAll("occupant-id", Names.occupantIDs)
    return cleaned
  }
}
