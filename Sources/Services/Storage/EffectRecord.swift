import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The effects of rows without text on messages: reactions (XEP-0444), retractions (XEP-0424,
/// XEP-0425).
enum EffectRecord {
  /// Stores the change of a message, and applies it as far as the message is stored.
  /// - Parameters:
  ///   - target: the message, where the caller knows it.
  ///   - reacted: receives the messages whose reactions are to be written (`ReactionRecord.write`).
  /// - Returns: the messages that changed otherwise.
  static func insert(
    _ message: IncomingMessage, delivery: Delivery?, on target: Int64? = nil,
    in record: ConversationRecord, reacted: inout Set<Int64>, _ db: DatabaseConnection
  ) throws -> [Message] {
    let target = try target ?? self.target(of: message, in: record, db)
    let row = try MessageRecord.insert(
      message, delivery: delivery, conversation: record.rowID, correcting: target ?? 0, in: db)
    guard let target, let effect = message.effect else { return [] }
    return try apply(effect, of: row.id.rawValue, message, to: target, in: record, &reacted, db)
  }

  /// Applies the changes that waited for a message, or for its correction.
  /// - Parameters:
  ///   - ids: the ids of the message.
  ///   - row: its row, or that of the message that it corrects.
  ///   - reacted: receives the messages whose reactions are to be written (`ReactionRecord.write`).
  /// - Returns: the messages that changed otherwise.
  static func adopt(
    for row: Int64, _ ids: [String?], in record: ConversationRecord, reacted: inout Set<Int64>,
    _ db: DatabaseConnection
  ) throws -> [Message] {
    var changed: [Message] = []
    for id in Set(ids.compactMap { $0 }) {
      let waiting = try db.rows(
        """
        SELECT id, sender, is_outgoing, occupant_id, effect, first_body, sent_at, position
        FROM message INDEXED BY message_effect_waiting
        WHERE conversation = ? AND replaces = ? AND corrects = 0 ORDER BY id
        """, record.rowID, id
      ) { row -> (id: Int64, message: IncomingMessage)? in
        guard let effect = row.optionalString(4).flatMap(Message.Effect.init) else { return nil }
        var message = IncomingMessage(
          conversation: record.conversation.jid, sender: ColumnCoding.jid(row.string(1)),
          direction: row.bool(2) ? .outgoing : .incoming, body: row.string(5),
          sentAt: ColumnCoding.date(row.int64(6)), originID: nil)
        (message.effect, message.replaces) = (effect, id)
        message.occupantID = row.optionalString(3)
        message.placedAt = ColumnCoding.date(row.int64(7))
        return (row.int64(0), message)
      }
      for case let (id, message)? in waiting {
        guard let effect = message.effect,
          try target(of: message, in: record, db) == row
        else { continue }
        try db.run("UPDATE message SET corrects = ? WHERE id = ?", row, id)
        changed += try apply(effect, of: id, message, to: row, in: record, &reacted, db)
      }
    }
    return changed
  }

  /// Returns the message that `message` may change; `nil` where none is known.
  private static func target(
    of message: IncomingMessage, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Int64? {
    guard let id = message.replaces, let effect = message.effect else { return nil }
    let isRoom = record.conversation.kind == .room
    // In a room the sender's id counts only where the room assigned none: anyone can forge such an
    // id.
    let names =
      isRoom ? ["stanza_id = ?", "origin_id = ? AND stanza_id IS NULL"] : ["origin_id = ?"]
    for name in names {
      let found = try db.rows(
        """
        SELECT id, corrects, sender, is_outgoing, occupant_id, sent_at FROM message
        WHERE conversation = ? AND \(name) AND effect IS NULL ORDER BY id DESC LIMIT ?
        """, record.rowID, id, MessageRecord.namesakeLimit
      ) { row in
        (
          row: row.optionalInt64(1) ?? row.int64(0),
          author: MessageAuthor(
            sender: ColumnCoding.jid(row.string(2)), isOutgoing: row.bool(3),
            occupantID: row.optionalString(4)), sentAt: ColumnCoding.date(row.int64(5))
        )
      }.first { known in
        switch effect {
        case .reaction: true
        case .moderation: isRoom && message.sender == record.conversation.jid
        case .retraction:
          MessageAuthor(of: message).is(known.author, inRoom: record.usesNicks)
            && (!record.usesNicks || message.isStill(known.author, since: known.sentAt))
        }
      }
      if let found { return found.row }
    }
    return nil
  }

  private static func apply(
    _ effect: Message.Effect, of own: Int64, _ message: IncomingMessage, to row: Int64,
    in record: ConversationRecord, _ reacted: inout Set<Int64>, _ db: DatabaseConnection
  ) throws -> [Message] {
    switch effect {
    case .reaction:
      let said = ReactionRecord.Statement(
        row: own, position: ColumnCoding.microseconds(message.placedAt), sender: message.sender,
        isOwn: message.direction == .outgoing, occupantID: message.occupantID,
        emoji: message.body)
      try ReactionRecord.take(said, on: row, in: record, db)
      reacted.insert(row)
      return []
    case .retraction: return try erase(row, by: .author, in: db)
    case .moderation: return try erase(row, by: .moderator, in: db)
    }
  }

  /// Removes the current and earlier texts of a message from the input history.
  static func forgetTyped(_ row: Int64, in db: DatabaseConnection) throws {
    try db.run(
      """
      DELETE FROM input_history
      WHERE conversation = (SELECT conversation FROM message WHERE id = ?) AND text IN (
        SELECT body FROM message WHERE id = ? UNION SELECT first_body FROM message
        WHERE (id = ? OR corrects = ?) AND first_body IS NOT NULL)
      """, row, row, row, row)
  }

  /// Erases the text of a message, here and where it was quoted or corrected. The text of a queued
  /// message is kept until it has arrived.
  /// - Returns: the message, and those that quoted it.
  static func erase(
    _ row: Int64, by retraction: Message.Retraction, in db: DatabaseConnection
  ) throws -> [Message] {
    guard
      let message = try db.firstRow(
        """
        SELECT conversation, is_outgoing, stanza_id, origin_id FROM message
        WHERE id = ? AND retraction IS NULL
        """, row,
        map: {
          (
            conversation: $0.int64(0), isOutgoing: $0.bool(1),
            ids: [$0.optionalString(2), $0.optionalString(3)].compactMap { $0 }
          )
        })
    else { return [] }
    if message.isOutgoing {
      try forgetTyped(row, in: db)
      try db.run(
        """
        DELETE FROM message WHERE corrects = ? AND effect IS NULL AND delivery = 'queued'
          AND attempted_at IS NULL
        """, row)
    }
    try db.run(
      """
      UPDATE message SET retraction = ?,
        first_body = CASE WHEN delivery = 'queued' THEN COALESCE(first_body, body) END,
        body = '', edit = NULL, reactions = NULL, reply_id = NULL, reply_author = NULL, reply_text = NULL
      WHERE id = ? OR corrects = ? AND effect IS NULL
      """, retraction.rawValue, row, row)
    try ReactionRecord.forget(row, in: db)
    try db.run(
      """
      UPDATE message SET file_address = NULL, file_name = NULL, file_type = NULL, file_size = NULL,
        file_sha256 = NULL WHERE id = ? AND delivery IS NOT 'queued'
      """, row)
    var changed = [row]
    for id in message.ids {
      changed += try db.rows(
        """
        UPDATE message SET reply_text = '' WHERE conversation = ? AND reply_id = ?
          AND reply_text <> '' RETURNING id
        """, message.conversation, id
      ) { $0.int64(0) }
    }
    return try changed.compactMap {
      try db.firstRow(OutboxQuery.byID, $0, map: MessageRecord.message)
    }
  }
}
