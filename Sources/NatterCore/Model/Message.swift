import FoundationEssentials
import XMPP

/// A chat message as Natter stores it, however it arrived.
package struct Message: Identifiable, Hashable, Sendable {
  /// The row in the account's database: unique, never used again, no order implied.
  package struct ID: Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    package static func < (a: ID, b: ID) -> Bool { a.rawValue < b.rawValue }
  }

  package enum Direction: String, Hashable, Sendable { case incoming, outgoing }

  package let id: ID
  /// The bare address of the contact or room; of private messages in a room the occupant's address.
  package let conversation: JID
  /// The full address that sent it; in a room the occupant's address.
  package let sender: JID
  package let direction: Direction
  package let body: String
  /// Whether `body` is the beginning of a longer text (`bodyLimit`), which the database has.
  package let isShortened: Bool
  /// When it was sent, as far as is known: the delay stamp (XEP-0203) or else the arrival. UTC.
  package let sentAt: Date
  /// The sender's id: origin-id, equal to the stanza's `id` in what Natter sends (XEP-0359 §3).
  package let originID: String?
  /// The archive's id, only when the archive's owner set it (XEP-0359 §3).
  package let stanzaID: String?
  /// What became of an outgoing message; `nil` for incoming ones.
  package let delivery: Delivery?
  /// Whether it came late (XEP-0203), as offline messages do.
  package let isDelayed: Bool
  /// The file that it offers.
  package let file: SharedFile?
  /// What it answers (XEP-0461).
  package let reply: Reply?
  /// What has taken the place of what it said first (XEP-0308); `nil`: nothing has.
  package let edit: Edit?
  /// Whether what it said first waits to be sent as well, where something has taken its place: `delivery` is of that.
  package let isFirstQueued: Bool
  /// What its sender calls the message that it takes the place of; `nil`: it stands for itself.
  package let replaces: String?
  /// What it does to that message; `nil`: it says something.
  package let effect: Effect?
  /// The reactions to it (XEP-0444), those first who said so first: of the first senders, where there are many, and the user's.
  package let reactions: [Reaction]
  /// How many senders there are for each emoji, where not all of them are in `reactions`; else empty.
  package let reactionTotals: [ReactionTotal]
  /// Who took it back (XEP-0424); `nil`: nobody.
  package let retraction: Retraction?
  /// What it is where its text is not what was said; `nil`: that is its text.
  package let content: Content?

  package init(
    id: ID, conversation: JID, sender: JID, direction: Direction, body: String, sentAt: Date,
    originID: String?, stanzaID: String? = nil, delivery: Delivery? = nil, isDelayed: Bool = false,
    file: SharedFile? = nil, reply: Reply? = nil, edit: Edit? = nil, isFirstQueued: Bool = false,
    replaces: String? = nil,
    effect: Effect? = nil, reactions: [Reaction] = [], reactionTotals: [ReactionTotal] = [],
    retraction: Retraction? = nil, isShortened: Bool = false, content: Content? = nil
  ) {
    self.isShortened = isShortened
    self.reactionTotals = reactionTotals
    self.content = content
    self.effect = effect
    self.reactions = reactions
    self.retraction = retraction
    self.id = id
    self.conversation = conversation
    self.sender = sender
    self.direction = direction
    self.body = body
    self.sentAt = sentAt
    self.originID = originID
    self.stanzaID = stanzaID
    self.delivery = delivery
    self.isDelayed = isDelayed
    self.file = file
    self.reply = reply
    self.edit = edit
    self.isFirstQueued = isFirstQueued
    self.replaces = replaces
  }

  /// The characters (Unicode scalars) of a body that are shown, unless all of it is asked for: a long one would fill the screen
  /// a hundred times, and hundreds of them the memory.
  package static let bodyLimit = 10_000

  /// The beginning of `body`, and whether that is not all.
  package static func shortened(_ body: String) -> (body: String, isShortened: Bool) {
    guard body.utf8.count > bodyLimit,
      let end = body.unicodeScalars.index(
        body.startIndex, offsetBy: bodyLimit, limitedBy: body.endIndex), end < body.endIndex
    else { return (body, false) }
    return (String(body.unicodeScalars[..<end]), true)
  }

  /// The same message with all of its text.
  package func showing(whole body: String) -> Message { showing(body, isShortened: false) }

  /// The same message with the beginning of its text, where it is longer than what is shown.
  package var shortened: Message {
    let (body, isCut) = Self.shortened(body)
    return isCut ? showing(body, isShortened: true) : self
  }

  private func showing(_ body: String, isShortened: Bool) -> Message {
    Message(
      id: id, conversation: conversation, sender: sender, direction: direction, body: body,
      sentAt: sentAt, originID: originID, stanzaID: stanzaID, delivery: delivery,
      isDelayed: isDelayed, file: file, reply: reply, edit: edit, isFirstQueued: isFirstQueued,
      replaces: replaces, effect: effect, reactions: reactions, reactionTotals: reactionTotals,
      retraction: retraction, isShortened: isShortened, content: content)
  }

  /// Where this message stands in its conversation: by time, then by row.
  package var position: MessagePosition { MessagePosition(sentAt: sentAt, id: id) }
}

/// A place in a conversation's order.
package struct MessagePosition: Hashable, Comparable, Sendable {
  package let sentAt: Date
  package let id: Message.ID
  package init(sentAt: Date, id: Message.ID) {
    self.sentAt = sentAt
    self.id = id
  }
  package static func < (a: MessagePosition, b: MessagePosition) -> Bool {
    a.sentAt == b.sentAt ? a.id < b.id : a.sentAt < b.sentAt
  }
}

/// What became of a message that was typed here (flows.md, "Sending").
package enum Delivery: Hashable, Sendable {
  /// In the database, not yet accepted by the server.
  case queued
  /// The server has it (XEP-0198 ack).
  case sent
  /// A client of the recipient has it (XEP-0184).
  case delivered
  /// The recipient saw it (XEP-0333).
  case read
  /// It will not be sent by itself; `reason` is text for a person, from the server or from Natter.
  case failed(reason: String)
}

/// A message from the network, before it has a row.
package struct IncomingMessage: Hashable, Sendable {
  package var conversation: JID
  package var sender: JID
  package var direction: Message.Direction
  /// As it is at the other end, too: what comes back is known by its words.
  package let body: String
  package var sentAt: Date
  package var originID: String?
  package var stanzaID: String?
  package var isDelayed: Bool
  /// Whether it is an archive's answer.
  package var isArchived: Bool { archivedAt != nil }
  /// When it came into the archive whose answer it is, as that tells: `sentAt` may have been moved to keep the order.
  package var archivedAt: Date?
  /// Whether its sender says that he sends it later than he wrote it: it may be there already (XEP-0203).
  package var isSentAgain = false
  /// It comes after all that arrived until then, whatever its own time says, which another clock tells; `nil`: its time says
  /// where it belongs.
  package var follows: Following?
  /// Whether nothing but the nick says that the person said it, and nobody was looking: anybody may have been called so then.
  package var isOwnByName = false
  /// Whether it speaks to the person by name (rooms).
  package var isMention: Bool
  /// The file that it offers.
  package var file: SharedFile?
  /// What it answers (XEP-0461).
  package var reply: Message.Reply?
  /// What its sender calls the message that it takes the place of (XEP-0308); `nil`: it stands for itself.
  package var replaces: String?
  /// What it does to that message, told by `body`; `nil`: it says something.
  package var effect: Message.Effect?
  /// What it brings in place of a text; `nil`: its text is all.
  package var payload: Payload?
  /// What tells it from another one under the same id where its text does not (`MessageStanza.contentPrint`).
  package var contentPrint: String?
  /// Who took it back, where an archive has kept nothing else of it.
  package var retraction: Message.Retraction?
  /// Who sent it, as a room knows him whatever he is called there (XEP-0421).
  package var occupantID: String?
  /// Since when the one who is called so has been in the room without leaving it; `nil`: nobody knows. What was said under the
  /// name since then, he said.
  package var presentSince: Date?

  /// A place after what has arrived.
  package struct Following: Hashable, Sendable {
    /// When what arrived last had arrived.
    package let before: Date
    /// Seconds that are left between the last message and this one. More than nothing: the clock that tells them apart may be as
    /// coarse as a second, and what turns out to be missing between them is to have a place.
    package let room: TimeInterval
    /// What had arrived by then, where it comes beside an archive, which may have told meanwhile of others that were sent after
    /// it; `nil`: the time alone tells.
    package let arrived: Arrived?
    /// The one that came in the same way before it.
    package let last: Message.ID?

    package init(
      before: Date, room: TimeInterval, arrived: Arrived? = nil, last: Message.ID? = nil
    ) {
      self.before = before
      self.room = room
      self.arrived = arrived
      self.last = last
    }
  }

  /// What a database had of an account at some moment. What its archive tells right behind that counts as well, later.
  package struct Arrived: Hashable, Sendable {
    /// The row that was stored last; 0: there was none.
    package let newest: Message.ID
    /// Whose archive it is, and where the stretch begins that was known of it last; `nil`: nothing was known of it.
    package let stretch: Stretch?

    package struct Stretch: Hashable, Sendable {
      package let archive: JID
      package let start: Date
      package init(archive: JID, start: Date) {
        self.archive = archive
        self.start = start
      }
    }

    package init(newest: Message.ID, stretch: Stretch?) {
      self.newest = newest
      self.stretch = stretch
    }
  }

  package init(
    conversation: JID, sender: JID, direction: Message.Direction = .incoming, body: String,
    sentAt: Date, originID: String?, stanzaID: String? = nil, isDelayed: Bool = false,
    follows: Following? = nil, isMention: Bool = false, file: SharedFile? = nil
  ) {
    self.conversation = conversation
    self.sender = sender
    self.direction = direction
    self.body = body.carried
    self.sentAt = sentAt
    self.originID = originID
    self.stanzaID = stanzaID
    self.isDelayed = isDelayed
    self.follows = follows
    self.isMention = isMention
    self.file = file
  }
}

extension IncomingMessage {
  private static let stampPrefix = "natter:stamp:"

  /// What stands for the id of a message that has none, in a history that tells when it was said: the next time it is told it
  /// is the same one. It is nobody's id, and is not shown, answered or sent.
  package static func stampID(for stamp: Date) -> String {
    stampPrefix + "\(Int64((stamp.timeIntervalSince1970 * 1_000_000).rounded()))"
  }

  /// Whether `id` stands for one.
  package static func isStampID(_ id: String) -> Bool { id.hasPrefix(stampPrefix) }
  /// `id` where its sender gave it: what stands for one is nobody's to be shown, answered or sent.
  package static func givenID(_ id: String?) -> String? { id.flatMap { isStampID($0) ? nil : $0 } }
}
