import NatterCore
import XMPP

/// The known history of a room: from before it was entered, and as the room sends it.
struct KnownHistory: Sendable {
  /// `true` if messages of the room were known before it was entered.
  var isKnown = false
  /// The archive id of the newest of them.
  var newestID: String?
  /// The history that the room has sent since it was entered.
  private(set) var sent: JoinHistory?

  /// Records that the room is being entered, and has sent nothing yet.
  mutating func begin() { sent = nil }

  /// Adds `message` if it is from the history that `room` sends on entering (XEP-0045 §7.2.13).
  mutating func add(_ message: MessageStanza, of room: JID) {
    guard message.kind == .groupchat, message.from?.resource != nil, message.delay != nil,
      message.isStored, let id = message.stanzaID(by: room)
    else { return }
    add(id)
  }

  /// Extends the stretch that the room has sent: its messages arrive in order, and without gaps.
  mutating func add(_ id: String) {
    if sent == nil { sent = JoinHistory(first: id, last: id) }
    sent?.last = id
    if id == newestID { sent?.known = id }
  }
}
