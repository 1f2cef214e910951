import FoundationEssentials
import NatterCore
import SQLite
import XML
import XMPP

extension MessageStore: OutboxStoring {
  /// Stores the message, marks its conversation read, and drops the draft that it was.
  ///
  /// A second call with the same `originID` stores nothing and returns what the first one stored.
  package func enqueue(
    body: String, file: SharedFile?, reply: Message.Reply?, to conversation: JID,
    from sender: JID, originID: String, at date: Date
  ) async throws -> (message: Message, conversation: Conversation) {
    return try await database.storing { database in
      try await database.write { db in
        let stored = try Self.enqueue(originID, to: conversation, in: db) { conversation in
          var typed = IncomingMessage(
            conversation: conversation, sender: sender, direction: .outgoing, body: body,
            sentAt: date, originID: originID, file: file)
          typed.reply = reply
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
      SELECT sent_at FROM message INDEXED BY message_page
      WHERE conversation = ? AND corrects IS NULL ORDER BY sent_at DESC LIMIT 1
      """, conversation
    ) { ColumnCoding.date($0.int64(0)) }
    guard let newest, newest >= date else { return date }
    return newest + ArchiveRange.step
  }

  /// - Parameter time: the message's position in the conversation, by row; `nil`: its time.
  private static func enqueue(
    _ originID: String, to conversation: JID, in db: DatabaseConnection,
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
    let typedAt = typed.sentAt
    typed.sentAt = try time?(record.rowID) ?? typedAt
    let message = try MessageRecord.insert(
      typed, delivery: .queued, conversation: record.rowID, in: db)
    if typed.sentAt != typedAt {
      // The limit of waiting does not depend on the position.
      try db.run(
        "UPDATE message SET queued_at = ? WHERE id = ?", ColumnCoding.microseconds(typedAt),
        message.id.rawValue)
    }
    try SearchIndex.takeUpMany(in: db)
    record.receive(message, countsUnread: false)
    record.markRead()
    // A draft that is being typed while a script sends something else stays.
    if typed.body.hasPrefix(record.conversation.draft.carried) { record.conversation.draft = "" }
    try record.save(in: db)
    return (message, record.conversation, true)
  }

  package func takeOver(
    _ body: String, to conversation: JID, from sender: JID, originID: String, typedAt date: Date,
    fate: HandoffState
  ) async throws -> HandoffResult {
    try await database.storing { database in
      try await database.write { db in
        let stored = try Self.enqueue(originID, to: conversation, in: db) {
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

  package func attempts() async throws -> [String: Date] {
    try await database.storing { database in
      try await database.read { db in
        Dictionary(
          try db.rows(OutboxQuery.attempts) { ($0.string(0), ColumnCoding.date($0.int64(1))) },
          uniquingKeysWith: { first, _ in first })
      }
    }
  }

  @discardableResult
  package func markAttempted(_ originIDs: [String], at date: Date) async throws -> Set<String> {
    let time = ColumnCoding.microseconds(date)
    return try await database.storing { database in
      try await database.write { db in
        var marked: Set<String> = []
        for originID in originIDs {
          try db.run(OutboxQuery.markAttempted, time, originID)
          if db.changes > 0 { marked.insert(originID) }
        }
        return marked
      }
    }
  }

  package func setDelivery(_ delivery: Delivery, ofOriginID originID: String) async throws
    -> Message?
  {
    try await setDelivery(delivery, ofOriginID: originID, onlyIn: nil)
  }

  package func setDelivery(_ delivery: Delivery, ofOriginID originID: String, sentTo peer: JID)
    async throws -> Message?
  {
    try await setDelivery(delivery, ofOriginID: originID, onlyIn: peer)
  }

  package func giveUp(_ originID: String, reason: String) async throws -> Message? {
    try await database.storing { database in
      try await database.write { db in
        guard try Self.outgoing(originID, in: db)?.delivery == .queued else { return nil }
        return try Self.setDelivery(
          .failed(reason: reason), ofOriginID: originID, onlyIn: nil, isRefused: false, in: db)
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

  private func setDelivery(_ delivery: Delivery, ofOriginID originID: String, onlyIn peer: JID?)
    async throws -> Message?
  {
    try await database.storing { database in
      try await database.write { db in
        try Self.setDelivery(delivery, ofOriginID: originID, onlyIn: peer, in: db)
      }
    }
  }

  private static func setDelivery(
    _ delivery: Delivery, ofOriginID originID: String, onlyIn peer: JID?, isRefused: Bool = true,
    in db: DatabaseConnection
  ) throws -> Message? {
    guard let message = try outgoing(originID, sentTo: peer, in: db),
      message.delivery?.mayBecome(delivery) == true
    else { return nil }
    // A refused message that is sent again is new: its copy in an archive does not count.
    if delivery.failure != nil, isRefused {
      try RefusedCopyRecord.open(message.id.rawValue, in: db)
    }
    try db.run(
      "UPDATE message SET delivery = ?, failure = ? WHERE id = ?",
      ColumnCoding.name(of: delivery), delivery.failure, message.id.rawValue)
    if delivery == .queued || delivery.failure != nil && isRefused {
      try db.run("UPDATE message SET attempted_at = NULL WHERE id = ?", message.id.rawValue)
    }
    // A reaction that has no recipient does not count.
    if message.effect == .reaction, let target = try target(of: message.id, in: db) {
      try ReactionRecord.settle(target, in: db)
    }
    return try db.firstRow(OutboxQuery.byID, message.id.rawValue, map: MessageRecord.message)
  }

  private static func target(of id: Message.ID, in db: DatabaseConnection) throws -> Int64? {
    // 0: the message is not here, and nothing of it has to be counted.
    try db.firstRow("SELECT corrects FROM message WHERE id = ? AND corrects > 0", id.rawValue) {
      $0.int64(0)
    }
  }

  /// The newest outgoing message with `originID`: other clients may reuse ids.
  private static func outgoing(
    _ originID: String, sentTo peer: JID? = nil, in db: DatabaseConnection
  ) throws -> Message? {
    let messages = try db.rows(OutboxQuery.byOriginID, originID, map: MessageRecord.message)
    guard let peer else { return messages.first }
    return try messages.first { message in
      if message.conversation == peer { return true }
      guard message.conversation == peer.bare else { return false }
      // Elsewhere a resource is one of the user's clients; in a room it is any occupant.
      return try ConversationRecord.find(message.conversation, in: db)?.conversation.kind != .room
    }
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
