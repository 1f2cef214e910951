import FoundationEssentials
import NatterCore
import SQLite
import XML
import XMPP

/// The outbox of an account: messages from this client, what is known of their delivery, and which
/// of them the server may have.
package struct OutboxStore: Sendable {
  let database: Database
  init(_ database: Database) { self.database = database }
}

extension OutboxStore: OutboxStoring {
  package var relations: any RelationStoring { RelationStore(database) }

  /// Stores the message, marks its conversation read, and drops the draft that it was.
  ///
  /// A second call with the same `originID` stores nothing and returns what the first one stored.
  package func enqueue(
    body: String, file: SharedFile?, reply: Message.Reply?, thread: ThreadChoice,
    to conversation: JID, from sender: JID, originID: String, at date: Date, by program: String?
  ) async throws -> (message: Message, conversation: Conversation) {
    return try await database.storing { database in
      try await database.write { db in
        let stored = try Self.enqueue(originID, in: thread, to: conversation, in: db) {
          conversation in
          var typed = IncomingMessage(
            conversation: conversation, sender: sender, direction: .outgoing, body: body,
            sentAt: date, originID: originID, file: file)
          (typed.reply, typed.sentBy) = (reply, program)
          return typed
        } at: { conversation in
          try Self.end(of: conversation, in: db, notBefore: date)
        }
        return (stored.message, stored.conversation)
      }
    }
  }

  /// The position of a message typed at `date`: after all stored ones, whatever the clocks say. A
  /// clock may be days behind the server's, and an answer above its question would be lost.
  private static func end(
    of conversation: Int64, in db: DatabaseConnection, notBefore date: Date
  ) throws -> Date {
    let newest = try db.firstRow(
      """
      SELECT position FROM message INDEXED BY message_page
      WHERE conversation = ? AND corrects IS NULL ORDER BY position DESC LIMIT 1
      """, conversation
    ) { $0.int64(0) }
    let position = MessagePlacer.position(at: ColumnCoding.microseconds(date), below: newest)
    return ColumnCoding.date(position)
  }

  /// - Parameter time: the message's position in the conversation, by row; `nil`: its time.
  private static func enqueue(
    _ originID: String, in thread: ThreadChoice, to conversation: JID, in db: DatabaseConnection,
    _ make: (_ conversation: JID) -> IncomingMessage,
    at time: ((_ conversation: Int64) throws -> Date)? = nil
  ) throws -> (message: Message, conversation: Conversation, isNew: Bool) {
    // An address of unknown kind is never reduced to the bare JID: it may be an occupant's.
    var record = try ConversationRecord.findOrCreate(
      conversation, isOccupant: !conversation.isBare, in: db)
    let conversation = record.conversation.jid
    if let known = try outgoing(originID, in: db), known.conversation == conversation {
      return (known, record.conversation, false)
    }
    var typed = make(conversation)
    typed.placement.time = try time?(record.rowID)
    typed.thread = try ThreadRecord.thread(thread, in: record, db)
    let message = try MessageRecord.insert(
      typed, delivery: .queued, conversation: record.rowID, in: db)
    try SearchIndex.takeUpMany(in: db)
    record.receive(message, countsUnread: false)
    record.markRead()
    // A draft that is being typed while a script sends something else stays.
    if typed.body.hasPrefix(record.conversation.draft.carried) { record.conversation.draft = "" }
    try record.save(in: db)
    return (message, record.conversation, true)
  }

  package func takeOver(
    _ body: String, thread: Message.Thread?, to conversation: JID, from sender: JID,
    originID: String, typedAt date: Date, fate: HandoffState
  ) async throws -> HandoffResult {
    // A message that may have been sent is stored, and sent again, as it was.
    let isOpen = thread == nil && fate == .unsent
    let choice = isOpen ? ThreadChoice.ofConversation : .given(thread)
    return try await database.storing { database in
      try await database.write { db in
        let stored = try Self.enqueue(originID, in: choice, to: conversation, in: db) {
          IncomingMessage(
            conversation: $0, sender: sender, direction: .outgoing, body: body, sentAt: date,
            originID: originID)
        }
        var changed: Message?
        switch fate {
        case .unsent: break
        case .attempted(let since):
          try db.run(OutboxQuery.markAttempted, ColumnCoding.microseconds(since), originID)
        case .refused(let reason):
          // It was sent: a copy in an archive does not prove that it arrived.
          try db.run(OutboxQuery.markAttempted, ColumnCoding.microseconds(date), originID)
          changed = try Self.setDelivery(
            .failed(reason: reason), ofOriginID: originID, onlyIn: stored.message.conversation,
            in: db)
        }
        return HandoffResult(
          message: changed ?? stored.message, conversation: stored.conversation,
          isNew: stored.isNew, isChanged: !stored.isNew && changed != nil)
      }
    }
  }

  package func queued() async throws -> [Message] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(OutboxQuery.queued, map: MessageRecord.message)
      }
    }
  }

  package func requeue(_ id: Message.ID, at date: Date) async throws -> Message? {
    let time = ColumnCoding.microseconds(date)
    return try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          UPDATE message SET delivery = 'queued', failure = NULL, queued_at = ?,
            follows = CASE WHEN corrects IS NULL AND effect IS NULL THEN NULL ELSE 0 END
          WHERE (id = ? OR id = (SELECT edit FROM message WHERE id = ?)) AND delivery = 'failed'
            AND retraction IS NULL
          """, time, id.rawValue, id.rawValue)
        guard db.changes > 0 else { return nil }
        return try db.firstRow(OutboxQuery.byID, id.rawValue, map: MessageRecord.message)
      }
    }
  }

  package func shiftWaiting(by seconds: TimeInterval) async throws {
    let shift = Int64(max(-1e16, min(1e16, seconds * 1_000_000)))
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          UPDATE message SET queued_at = COALESCE(queued_at, sent_at) + ?
          WHERE delivery = 'queued'
          """, shift)
      }
    }
  }

  package func expire(queuedBefore date: Date, reason: String) async throws -> [Message] {
    let time = ColumnCoding.microseconds(date)
    return try await database.storing { database in
      try await database.write { db in
        let expired = try db.rows(
          """
          UPDATE message SET delivery = 'failed', failure = ?
          WHERE delivery = 'queued' AND effect IS NULL AND retraction IS NULL
            AND COALESCE(queued_at, sent_at) < ? RETURNING id
          """, reason, time
        ) { $0.int64(0) }
        return try expired.sorted().compactMap {
          try db.firstRow(OutboxQuery.byID, $0, map: MessageRecord.message)
        }
      }
    }
  }

  package func remove(_ id: Message.ID) async throws -> OutboxRemoval? {
    try await database.storing { database in
      try await database.write { db in try Self.remove(id, in: db) }
    }
  }

  static func remove(_ id: Message.ID, in db: DatabaseConnection) throws -> OutboxRemoval? {
    let conversation = try db.firstRow(
      """
      DELETE FROM message WHERE id = ? AND delivery IN ('queued', 'failed') RETURNING conversation
      """, id.rawValue, map: { $0.int64(0) })
    if let conversation {
      try db.run("DELETE FROM message WHERE corrects = ?", id.rawValue)
      try db.run(
        """
        UPDATE conversation SET last_activity =
          (SELECT MAX(position) FROM message
            WHERE message.conversation = conversation.id AND corrects IS NULL)
        WHERE id = ?
        """, conversation)
      return .gone
    }
    try db.run(
      """
      DELETE FROM message WHERE corrects = ? AND effect IS NULL
        AND delivery IN ('queued', 'failed')
      """, id.rawValue)
    guard db.changes > 0 else { return nil }
    try CorrectionRecord.settle(id.rawValue, in: db)
    return try db.firstRow(OutboxQuery.byID, id.rawValue, map: MessageRecord.message)
      .map { .restored($0) }
  }
}

/// The statements of the outbox.
package enum OutboxQuery {
  package static let queued = """
    SELECT \(MessageRecord.typedColumns) FROM message JOIN conversation
      ON conversation.id = message.conversation WHERE delivery = 'queued' ORDER BY message.id
    """
  package static let attempts = """
    SELECT origin_id, attempted_at FROM message
    WHERE delivery = 'queued' AND attempted_at IS NOT NULL AND origin_id IS NOT NULL
    """
  package static let markAttempted = """
    UPDATE message SET attempted_at = COALESCE(attempted_at, ?)
    WHERE is_outgoing = 1 AND origin_id = ? AND delivery = 'queued'
    """
  package static let byOriginID = """
    SELECT \(MessageRecord.typedColumns) FROM message JOIN conversation
      ON conversation.id = message.conversation WHERE is_outgoing = 1 AND origin_id = ?
      ORDER BY message.id DESC
    """
  /// The message of a row, as it is shown: for a replaced message, the one that replaces it.
  package static let byID = """
    SELECT \(MessageRecord.columns) FROM message JOIN conversation
      ON conversation.id = message.conversation
      WHERE message.id = (SELECT COALESCE(named.corrects, named.id) FROM message AS named WHERE named.id = ?)
    """
}
