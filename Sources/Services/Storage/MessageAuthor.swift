import FoundationEssentials
import NatterCore
import XMPP

/// The sender of a message, as far as it decides who may change the message.
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

  /// Returns `true` if it is the same sender: elsewhere the bare JID decides, in a room the
  /// occupant id, or else the nick.
  func `is`(_ other: MessageAuthor, inRoom isRoom: Bool) -> Bool {
    guard isOutgoing == other.isOutgoing else { return false }
    // A local message has the account's JID, and comes back with the nick of that moment.
    if isOutgoing { return true }
    if let occupantID, let its = other.occupantID { return occupantID == its }
    return isRoom ? sender == other.sender : sender.bare == other.sender.bare
  }
}

extension IncomingMessage {
  /// Returns `true` if the occupant who has this nick now had it at `date`: by the occupant id, or
  /// because no other occupant can have come.
  func isStill(_ author: MessageAuthor, since date: Date) -> Bool {
    if direction == .outgoing, !isOwnByName { return true }
    if occupantID != nil || author.occupantID != nil { return occupantID == author.occupantID }
    return presentSince.map { date >= $0 } ?? false
  }
}

extension ConversationRecord {
  /// `true` where the resource identifies the occupant: in rooms, and in private conversations with
  /// an occupant.
  var usesNicks: Bool { conversation.kind == .room || !conversation.jid.isBare }
}
