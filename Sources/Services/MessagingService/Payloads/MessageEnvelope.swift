import FoundationEssentials
import NatterCore
import XMPP

/// The surroundings of a message's payloads: the conversation, the sender, the time and the ids.
///
/// Each way by which a message arrives makes it from its own evidence: a live stanza, a carbon
/// copy, a result of the account's archive or of a room's.
struct MessageEnvelope {
  let conversation: JID
  let sender: JID
  var direction = Message.Direction.incoming
  /// The time of sending, as far as it is known.
  let sentAt: Date
  let originID: String?
  let stanzaID: String?
  let isDelayed: Bool
  /// The time at which an archive stored it; `nil`: it does not come from an archive.
  var archivedAt: Date?
  /// The user's nick in the room, for the message of another occupant: mentions of it count.
  var mentionable: String?
  /// The time since when the occupant has been in the room, if the sender is one.
  var presentSince: Date?
  /// Indicates whether only the nick identifies the user as the sender, who was absent.
  var isOwnByName = false
  /// Indicates whether an occupant id in it is the room's. Where the room assigns none, anyone can
  /// forge them (XEP-0421 §3).
  var hasTrustedOccupantID = true
}

extension MessageStanza {
  /// Indicates whether a room sends it to all occupants, such as announcements of its service and
  /// events of an IRC room behind a gateway, or retracts a message. Events that it reports by
  /// status codes are excluded: Natter shows its own text for them.
  var isOfRoomItself: Bool {
    guard kind == .groupchat, let from, from.isBare else { return false }
    if let effect = MessageEffect(self) { return effect.kind == .moderation }
    return roomCodes.isEmpty && hasText
  }
}
