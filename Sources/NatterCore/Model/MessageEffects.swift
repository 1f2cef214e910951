import XMPP

extension Message {
  /// What a message that says nothing does to another one. It is stored, sent and known again as all are, and not shown.
  package enum Effect: String, Hashable, Sendable {
    /// Tells all that its sender feels about it, in emoji with blanks between (XEP-0444).
    case reaction
    /// Takes it back (XEP-0424): only its author does.
    case retraction
    /// The room takes it back (XEP-0425).
    case moderation
  }

  /// What one person feels about a message (XEP-0444).
  package struct Reaction: Hashable, Sendable {
    /// Who: the bare address, or in a room the occupant's.
    package let sender: JID
    package let isOwn: Bool
    /// From outside; at least one.
    package let emoji: [String]

    package init(sender: JID, isOwn: Bool, emoji: [String]) {
      self.sender = sender
      self.isOwn = isOwn
      self.emoji = emoji
    }
  }

  /// How many senders react to a message with one emoji.
  package struct ReactionTotal: Hashable, Sendable {
    /// From outside.
    package let emoji: String
    package let people: Int

    package init(emoji: String, people: Int) {
      self.emoji = emoji
      self.people = people
    }
  }

  /// Who took a message back.
  package enum Retraction: String, Hashable, Sendable {
    case author, moderator
  }

  /// Whether it was taken back: there is nothing left of what it said.
  package var isRetracted: Bool { retraction != nil }

  /// What it is called where somebody reacts to it or takes it back: what the room calls it, elsewhere what its sender does
  /// (XEP-0444 §3.2, XEP-0424 §3.1); `nil`: nobody could tell which message is meant.
  package func reference(inRoom isRoom: Bool) -> String? {
    guard isRoom else { return originID }
    // A room that has no names for messages leaves them those of their senders.
    return stanzaID ?? (delivery == .queued ? nil : originID)
  }
}

extension MessageStanza {
  /// What it does to another message, which that is, and the text that tells of it.
  package var effect: (kind: Message.Effect, target: String, text: String)? {
    if let reactions { return (.reaction, reactions.id, reactions.emoji.joined(separator: " ")) }
    guard let retraction else { return nil }
    let isOfRoom = kind == .groupchat && from?.isBare == true
    return (isOfRoom || retraction.isModerated ? .moderation : .retraction, retraction.id, "")
  }

  /// Whether a room says it to all who are in it, as announcements of its service, and what happens in a room of IRC behind a
  /// gateway; or takes a message back. What it says of itself by status codes is told of in Natter's own words.
  package var isOfRoomItself: Bool {
    guard kind == .groupchat, let from, from.isBare else { return false }
    if let effect { return effect.kind == .moderation }
    return roomCodes.isEmpty && words != nil
  }
}
