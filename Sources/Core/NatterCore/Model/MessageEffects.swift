import XMPP

extension Message {
  /// The effect of a message without a text on another one. It is stored, sent and deduplicated
  /// like any other, and not shown.
  package enum Effect: String, Hashable, Sendable {
    /// All reactions of its sender, as emoji separated by spaces (XEP-0444).
    case reaction
    /// A retraction by the author (XEP-0424).
    case retraction
    /// A retraction by the room (XEP-0425).
    case moderation
  }

  /// The reactions of one sender to a message (XEP-0444).
  package struct Reaction: Hashable, Sendable {
    /// The bare address, or in a room the occupant's.
    package let sender: JID
    package let isOwn: Bool
    /// Untrusted; at least one.
    package let emoji: [String]

    package init(sender: JID, isOwn: Bool, emoji: [String]) {
      self.sender = sender
      self.isOwn = isOwn
      self.emoji = emoji
    }
  }

  /// The number of senders that react to a message with one emoji.
  package struct ReactionTotal: Hashable, Sendable {
    /// Untrusted.
    package let emoji: String
    package let people: Int

    package init(emoji: String, people: Int) {
      self.emoji = emoji
      self.people = people
    }
  }

  /// The party that retracted a message.
  package enum Retraction: String, Hashable, Sendable {
    case author, moderator
  }

  /// Indicates whether it was retracted: nothing of its content is left.
  package var isRetracted: Bool { retraction != nil }

  /// Returns the id that reactions and retractions refer to: the room's in a room, otherwise the
  /// sender's (XEP-0444 §3.2, XEP-0424 §3.1); `nil` if no id would identify the message to others.
  package func reference(inRoom isRoom: Bool) -> String? {
    guard isRoom else { return originID }
    // A room that assigns no ids leaves those of the senders.
    return stanzaID ?? (delivery == .queued ? nil : originID)
  }
}
