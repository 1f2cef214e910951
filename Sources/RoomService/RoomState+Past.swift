import NatterCore
import XMPP

/// What a room tells of its past on entering (XEP-0045 §7.2.13).
extension RoomState {
  /// Takes note of the stretch that the room tells: what it tells comes in its order, and nothing lies between.
  mutating func notePast(_ message: MessageStanza) {
    guard message.kind == .groupchat, message.from?.resource != nil, message.delay != nil,
      message.isStored, let id = message.stanzaID(by: room.jid)
    else { return }
    if past == nil { past = JoinHistory(first: id, last: id) }
    past?.last = id
    if id == newestID { past?.known = id }
  }
}
