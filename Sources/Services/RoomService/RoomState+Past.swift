import NatterCore
import XMPP

// The history that a room sends on entering (XEP-0045 §7.2.13).
extension RoomState {
  /// Extends the stretch of the room's history: it arrives in order, and without gaps.
  mutating func notePast(_ message: MessageStanza) {
    guard message.kind == .groupchat, message.from?.resource != nil, message.delay != nil,
      message.isStored, let id = message.stanzaID(by: room.jid)
    else { return }
    if past == nil { past = JoinHistory(first: id, last: id) }
    past?.last = id
    if id == newestID { past?.known = id }
  }
}
