import FoundationEssentials
import NatterCore
import XMPP

/// The outbox's knowledge of the session: the messages that were written to it, and their fate.
struct OutboxSession: SessionScoped {
  private(set) var channel: (any StanzaChannel)?
  /// The most bytes that a stanza may have (XEP-0478).
  private(set) var stanzaLimit = StanzaLimit.usual
  /// Messages that were queued earlier carry a delay stamp (XEP-0203).
  private(set) var start = Date.distantPast
  /// Counts starts and ends of sessions, so that work of one session does not continue in the next.
  private(set) var number = 0
  /// The messages that are written or about to be, by origin-id. Before the start: those of the
  /// session that is taken up.
  private(set) var written: Set<String> = []
  /// The messages that were looked for in the archive, and are not there, by origin-id.
  private(set) var missed: Set<String> = []
  /// The conversations whose archive has no end.
  private(set) var endless: Set<JID> = []
  /// The messages that the server refused, by origin-id: its acknowledgement of them means nothing.
  private(set) var refused: Set<String> = []
  /// The rooms of the messages that were written to rooms since the server's session began, by
  /// origin-id: the server's acknowledgement does not cover the room; the room's reflection does.
  private(set) var rooms: [String: JID] = [:]
  /// The effects on other messages of those that were written since then, by origin-id.
  private(set) var effects: [String: Message.Effect] = [:]
  /// Indicates whether the session that is about to start exists on the server already.
  private var isTakenUp = false

  init() {}

  // MARK: - Start and end

  /// The session that is about to start is one that the server has already: what was written to it
  /// is still on its way.
  mutating func takeUp() { isTakenUp = true }

  /// Adds the messages that the server's session has in transit.
  /// - Parameter rooms: the rooms of those that are meant for rooms.
  mutating func takeUp(_ ids: [String], rooms: [String: JID]) {
    written.formUnion(ids)
    self.rooms.merge(rooms) { known, _ in known }
  }

  mutating func begin(over channel: any StanzaChannel, limit: StanzaLimit, at date: Date) {
    self.channel = channel
    if !isTakenUp { (rooms, effects) = ([:], [:]) }
    isTakenUp = false
    number += 1
    refused.removeAll()
    start = date
    stanzaLimit = limit
  }

  mutating func end() {
    var next = OutboxSession()
    next.number = number + 1
    // The server's session may be taken up: its rooms and recipients still answer, and before the
    // next start the server may acknowledge what it had.
    (next.rooms, next.effects, next.refused) = (rooms, effects, refused)
    self = next
  }

  // MARK: - What is written

  /// Returns those of `messages` that are neither written nor in `leaving`. From here on they count
  /// as written.
  mutating func claim(_ messages: [Message], except leaving: Set<String>) -> [Message] {
    messages.filter { message in
      guard let id = message.originID else { return false }
      return !leaving.contains(id) && written.insert(id).inserted
    }
  }

  /// These were not written after all, unless that was in an earlier session.
  mutating func release(_ ids: some Sequence<String>, in session: Int) {
    if session == number { written.subtract(ids) }
  }

  /// Notes that a message is about to be written.
  mutating func noteWriting(_ message: Message, _ originID: String, toRoom isForRoom: Bool) {
    if isForRoom { rooms[originID] = message.conversation }
    effects[originID] = message.effect
  }

  /// Writing a message failed before a byte of it was written.
  /// - Parameter others: those that were to follow, and the message itself, by origin-id.
  mutating func undo(_ originID: String, and others: some Sequence<String>, in session: Int) {
    guard session == number else { return }
    written.subtract(others)
    rooms[originID] = nil
  }

  /// The user sends a message again. It may have arrived since it was looked for.
  mutating func forget(_ id: String) {
    written.remove(id)
    refused.remove(id)
    missed.remove(id)
  }

  /// Messages to `room` may be lost: each is looked for in the archive before it is written again.
  mutating func forgetWritten(to room: JID) {
    for (id, its) in rooms where its == room {
      written.remove(id)
      missed.remove(id)
      rooms[id] = nil
    }
  }

  // MARK: - What became of it

  /// A message was refused by its recipient or the recipient's server.
  mutating func noteRefused(_ id: String) { refused.insert(id) }

  /// The archive does not have these.
  mutating func noteMissed(_ ids: some Sequence<String>, in session: Int) {
    if session == number { missed.formUnion(ids) }
  }

  /// The archive of a conversation does not come to an end.
  mutating func noteEndless(_ conversation: JID) { endless.insert(conversation) }
}
