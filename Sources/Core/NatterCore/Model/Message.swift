import FoundationEssentials
import XML
import XMPP

/// A stored chat message, however it arrived.
package struct Message: Identifiable, Hashable, Sendable {
  /// The row in the account's database: unique, never reused, without an implied order.
  package struct ID: Hashable, Comparable, Sendable {
    package let rawValue: Int64
    package init(_ rawValue: Int64) { self.rawValue = rawValue }
    package static func < (a: ID, b: ID) -> Bool { a.rawValue < b.rawValue }
  }

  /// Incoming from others; outgoing from any client of the account.
  package enum Direction: String, Hashable, Sendable { case incoming, outgoing }

  /// The position in the conversation.
  package let position: MessagePosition
  package var id: ID { position.id }
  /// The bare address of the contact or room; for private messages in a room the occupant's
  /// address.
  package let conversation: JID
  /// The sender's full address; in a room the occupant's address.
  package let sender: JID
  package let direction: Direction
  package let body: String
  /// Indicates whether `body` is the beginning of a longer text (`bodyLimit`), which is in the
  /// database.
  package let isShortened: Bool
  /// The time of sending, as far as it is known: the delay stamp (XEP-0203) or else the arrival.
  /// UTC. It never changes; `position` gives the order.
  package let sentAt: Date
  /// The sender's id: origin-id, equal to the stanza's `id` in messages that Natter sends
  /// (XEP-0359 §3).
  package let originID: String?
  /// The archive's id, only if the archive's owner set it (XEP-0359 §3).
  package let stanzaID: String?
  /// The state of delivery of an outgoing message; `nil` for incoming ones.
  package let delivery: Delivery?
  /// Indicates whether it arrived late (XEP-0203), as offline messages do.
  package let isDelayed: Bool
  /// The attached file.
  package let file: SharedFile?
  private var references: References
  /// The message that it replies to (XEP-0461).
  package var reply: Reply? { references.reply }
  /// The thread that it belongs to (XEP-0201); `nil`: none.
  package var thread: Thread? { references.thread }
  /// The name of the script, or of the other program, that sent it for the user; `nil`: the user
  /// wrote it, or it is not known.
  package var sentBy: String? { references.sentBy }
  /// The correction that replaced the original text (XEP-0308); `nil`: none.
  package let edit: Edit?
  /// Indicates whether the original text is unsent as well, in a corrected message: `delivery` is
  /// that of the original.
  package let isFirstQueued: Bool
  /// The message that it replaces; `nil`: it is a message of its own.
  private let replaced: Replaced?
  /// The effect on that message; `nil`: it has a text.
  package let effect: Effect?
  /// The reactions to it (XEP-0444), oldest first: of the first senders, if there are many, and the
  /// user's.
  package let reactions: [Reaction]
  /// The number of senders of each emoji, if `reactions` does not contain all of them; otherwise
  /// empty.
  package let reactionTotals: [ReactionTotal]
  /// The party that retracted it (XEP-0424); `nil`: not retracted.
  package let retraction: Retraction?
  /// The kind of content, if the body is not the text of the message; `nil` if it is.
  package let content: Content?

  /// - Parameter placedAt: the time whose position it has; `nil`: `sentAt`.
  package init(
    id: ID, conversation: JID, sender: JID, direction: Direction, body: String, sentAt: Date,
    placedAt: Date? = nil,
    originID: String?, stanzaID: String? = nil, delivery: Delivery? = nil, isDelayed: Bool = false,
    file: SharedFile? = nil, reply: Reply? = nil, edit: Edit? = nil, isFirstQueued: Bool = false,
    replaces: String? = nil, isCorrection: Bool = false,
    effect: Effect? = nil, reactions: [Reaction] = [], reactionTotals: [ReactionTotal] = [],
    retraction: Retraction? = nil, isShortened: Bool = false, content: Content? = nil
  ) {
    position = MessagePosition(at: placedAt ?? sentAt, id: id)
    self.isShortened = isShortened
    self.reactionTotals = reactionTotals
    self.content = content
    self.effect = effect
    self.reactions = reactions
    self.retraction = retraction
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
    references = References(reply: reply)
    self.edit = edit
    self.isFirstQueued = isFirstQueued
    replaced = replaces.map { Replaced(id: $0, isCorrected: isCorrection) }
  }

  /// The number of characters (Unicode scalars) of a body to show, unless all of it is requested: a
  /// long one would fill the screen a hundred times, and hundreds of them would fill the memory.
  package static let bodyLimit = 10_000

  /// Returns the beginning of `body`, and whether it is cut.
  package static func shortened(_ body: String) -> (body: String, isShortened: Bool) {
    guard body.utf8.count > bodyLimit,
      let end = body.unicodeScalars.index(
        body.startIndex, offsetBy: bodyLimit, limitedBy: body.endIndex), end < body.endIndex
    else { return (body, false) }
    return (String(body.unicodeScalars[..<end]), true)
  }

  /// Returns the same message in a thread.
  package func inThread(_ thread: Thread?) -> Message {
    var message = self
    message.references.thread = thread
    return message
  }

  /// Returns the same message as one that a program sent for the user.
  package func sent(by program: String?) -> Message {
    var message = self
    message.references.sentBy = program
    return message
  }

  /// Returns the same message with its whole text.
  package func showing(whole body: String) -> Message { showing(body, isShortened: false) }

  /// The same message with the beginning of its text, if that is longer than `bodyLimit`.
  package var shortened: Message {
    let (body, isCut) = Self.shortened(body)
    return isCut ? showing(body, isShortened: true) : self
  }

  private struct Replaced: Hashable, Sendable {
    let id: String
    let isCorrected: Bool
  }

  /// The sender's id of the message that it replaces; `nil`: it is a message of its own.
  package var replaces: String? { replaced?.id }
  /// Indicates whether its text replaced that message's: it has no row of its own then. A message
  /// that names one of another sender, or one that is unknown, has a row.
  package var isCorrection: Bool { replaced?.isCorrected == true }

  private func showing(_ body: String, isShortened: Bool) -> Message {
    Message(
      id: id, conversation: conversation, sender: sender, direction: direction, body: body,
      sentAt: sentAt, placedAt: position.time, originID: originID, stanzaID: stanzaID,
      delivery: delivery, isDelayed: isDelayed, file: file, reply: reply, edit: edit,
      isFirstQueued: isFirstQueued,
      replaces: replaces, isCorrection: isCorrection, effect: effect, reactions: reactions,
      reactionTotals: reactionTotals, retraction: retraction, isShortened: isShortened,
      content: content
    ).inThread(thread).sent(by: sentBy)
  }
}

/// A position in a conversation's order: apart from the time at which a message was sent, which
/// other clocks may have set.
package struct MessagePosition: Hashable, Comparable, Sendable {
  /// The point on the scale of times that the position corresponds to: that of sending, unless the
  /// order requires another one.
  package let time: Date
  package let id: Message.ID
  package init(at time: Date, id: Message.ID) {
    self.time = time
    self.id = id
  }
  package static func < (a: MessagePosition, b: MessagePosition) -> Bool {
    a.time == b.time ? a.id < b.id : a.time < b.time
  }
}

/// The state of delivery of a local message (flows.md, "Sending").
package enum Delivery: Hashable, Sendable {
  /// In the database, not yet accepted by the server.
  case queued
  /// The server has it (XEP-0198 ack).
  case sent
  /// A client of the recipient has it (XEP-0184).
  case delivered
  /// The recipient saw it (XEP-0333).
  case read
  /// It is not sent again automatically; `reason` is text for the user, from the server or from
  /// Natter.
  case failed(reason: String)
}

/// A message from the network, before it has a row.
package struct IncomingMessage: Hashable, Sendable {
  package var conversation: JID
  package var sender: JID
  package var direction: Message.Direction
  /// As at the other end of a stream (`carried`): a message that comes back is recognized by it.
  package let body: String
  /// The time of sending, as far as it is known; `placement` gives the order.
  package var sentAt: Date
  package var originID: String?
  package var stanzaID: String?
  package var isDelayed: Bool
  /// Indicates whether it comes from an archive.
  package var isArchived: Bool { archivedAt != nil }
  /// The time at which the archive stored it, as the archive reports.
  package var archivedAt: Date?
  /// Indicates whether its sender says that it was sent later than it was written: it may be stored
  /// already (XEP-0203).
  package var isSentAgain = false
  /// Its position in the conversation, as far as it differs from that of its time.
  package var placement = Placement()
  /// Indicates whether only the nick identifies the user as the sender and the user was absent:
  /// another occupant may have used the nick then.
  package var isOwnByName = false
  /// Indicates whether it mentions the user's nick (rooms).
  package var isMention: Bool
  /// The attached file.
  package var file: SharedFile?
  private var references = Message.References()
  /// The message that it replies to (XEP-0461).
  package var reply: Message.Reply? {
    get { references.reply }
    set { references.reply = newValue }
  }
  /// The thread that it belongs to (XEP-0201).
  package var thread: Message.Thread? {
    get { references.thread }
    set { references.thread = newValue }
  }
  /// The name of the program that sent it for the user; `nil`: none did, or it is not known.
  package var sentBy: String? {
    get { references.sentBy }
    set { references.sentBy = newValue }
  }
  /// The sender's id of the message that it replaces (XEP-0308); `nil`: it is a message of its own.
  package var replaces: String?
  /// The effect on that message, which `body` specifies; `nil`: it has a text.
  package var effect: Message.Effect?
  /// The content other than a text; `nil`: the text is all.
  package var payload: Payload?
  /// A hash that distinguishes it from another message with the same id where the text does not
  /// (`ContentPayload` in MessagingService).
  package var contentPrint: String?
  /// The party that retracted it, if an archive has kept nothing else of it.
  package var retraction: Message.Retraction?
  /// The sender's stable id in a room, independent of the nick (XEP-0421).
  package var occupantID: String?
  /// The time since when the occupant of this nick has been in the room without leaving; `nil`: not
  /// known. Messages under the nick since then are from that occupant.
  package var presentSince: Date?

  /// The deviation of a message's position in the conversation from that of its time of sending.
  package struct Placement: Hashable, Sendable {
    /// The point on the scale of times that the position corresponds to; `nil`: that of sending.
    package var time: Date?
    /// Makes it follow all messages that arrived until then, whatever its own timestamp says, which
    /// comes from another clock; `nil`: `time` determines the position.
    package var follows: Following?
    /// Indicates whether it fills a gap in an archive: it is not unread where the user has read a
    /// later message.
    package var fillsGap = false
  }

  /// The point on the scale of times that its position corresponds to.
  package var placedAt: Date {
    get { placement.time ?? sentAt }
    set { placement.time = newValue }
  }

  package var follows: Following? {
    get { placement.follows }
    set { placement.follows = newValue }
  }

  /// A position after all messages that have arrived.
  package struct Following: Hashable, Sendable {
    /// The arrival time of the last of them.
    package let before: Date
    /// Seconds to leave between the last message and this one. Greater than 0: the clock that
    /// separates them may have a resolution of a second, and messages that prove missing between
    /// them need timestamps.
    package let room: TimeInterval
    /// The messages that had arrived by then, if it arrives beside an archive, which may have
    /// delivered later ones meanwhile; `nil`: the time alone decides.
    package let arrived: Arrived?
    /// The previous message that arrived in the same way.
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

  /// The messages that a database had of an account at some moment. Messages that the archive
  /// delivers later, adjacent to them, count as well.
  package struct Arrived: Hashable, Sendable {
    /// The row that was stored last; 0 if there was none.
    package let newest: Message.ID
    /// The archive's owner, and the start of its last known range; `nil`: no range was known.
    package let stretch: Stretch?

    /// A range of an archive, by its owner and its start.
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
    isMention: Bool = false, file: SharedFile? = nil
  ) {
    self.conversation = conversation
    self.sender = sender
    self.direction = direction
    self.body = body.carried
    self.sentAt = sentAt
    self.originID = originID
    self.stanzaID = stanzaID
    self.isDelayed = isDelayed
    self.isMention = isMention
    self.file = file
  }
}

extension IncomingMessage {
  private static let stampPrefix = "natter:stamp:"

  /// Returns the id for a message without one, in a history that reports when it was sent: reading
  /// the history again yields the same id. No sender uses it, and it is not shown, replied to or
  /// sent.
  package static func stampID(for stamp: Date) -> String {
    stampPrefix + "\(Int64((stamp.timeIntervalSince1970 * 1_000_000).rounded()))"
  }

  /// Returns whether `id` is such an id.
  package static func isStampID(_ id: String) -> Bool { id.hasPrefix(stampPrefix) }
  /// Returns `id` if its sender assigned it; `nil` for an id of `stampID`, which must not be shown,
  /// replied to or sent.
  package static func givenID(_ id: String?) -> String? { id.flatMap { isStampID($0) ? nil : $0 } }
}
