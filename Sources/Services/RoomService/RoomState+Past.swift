import NatterCore
import XMPP

// The history that a room sends on entering (XEP-0045 §7.2.13).
extension RoomState {
  /// Takes over a message of the room's history.
  mutating func notePast(_ message: MessageStanza) {
    guard message.kind == .groupchat, message.from?.resource != nil, message.delay != nil,
      message.isStored, let id = message.stanzaID(by: room.jid)
    else { return }
    history.add(id)
  }
}
