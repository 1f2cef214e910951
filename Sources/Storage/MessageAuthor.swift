import FoundationEssentials
import NatterCore
import XMPP

/// Who sent a message, for whoever wants to change one.
struct MessageAuthor {
  let sender: JID
  let isOutgoing: Bool
  let occupantID: String?

  init(sender: JID, isOutgoing: Bool, occupantID: String?) {
    (self.sender, self.isOutgoing, self.occupantID) = (sender, isOutgoing, occupantID)
  }

  init(of message: IncomingMessage) {
    self.init(
      sender: message.sender, isOutgoing: message.direction == .outgoing,
      occupantID: message.occupantID)
  }

  /// Whether it is the same person: elsewhere the bare address tells, in a room the lasting id, or else the nick.
  func `is`(_ other: MessageAuthor, inRoom isRoom: Bool) -> Bool {
    guard isOutgoing == other.isOutgoing else { return false }
    // What was typed here has the account's address, and comes back with the nick of that moment.
    if isOutgoing { return true }
    if let occupantID, let its = other.occupantID { return occupantID == its }
    return isRoom ? sender == other.sender : sender.bare == other.sender.bare
  }
}

extension IncomingMessage {
  /// Whether whoever is called so in a room now was called so at `date`: the lasting id tells, or that nobody else can have
  /// come.
  func isStill(_ author: MessageAuthor, since date: Date) -> Bool {
    if direction == .outgoing, !isOwnByName { return true }
    if occupantID != nil || author.occupantID != nil { return occupantID == author.occupantID }
    return presentSince.map { date >= $0 } ?? false
  }
}

extension ConversationRecord {
  /// Where the resource is the person: in rooms, and in private with somebody there.
  var tellsNicks: Bool { conversation.kind == .room || !conversation.jid.isBare }
}
