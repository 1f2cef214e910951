import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Corrections of messages (XEP-0308): they are rows of their own, sent and detected like all
/// others, and not shown; their text is in the row of the message that they correct.
enum CorrectionRecord {
  /// Returns the row that `message` corrects; `nil` where it is a message of its own, as far as is
  /// known.
  ///
  /// It must have the same sender. A correction of a correction corrects the message. In a room
  /// that shows nicks only, the occupant of that nick must have been present since; an archive does
  /// not show who came and went in the meantime: there, only an immediate correction is accepted.
  static func target(
    of message: IncomingMessage, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Int64? {
    guard let id = message.replaces else { return nil }
    return try db.rows(
      """
      SELECT id, sender, is_outgoing, occupant_id, corrects, sent_at FROM message
      WHERE conversation = ? AND origin_id = ? AND effect IS NULL ORDER BY id DESC LIMIT ?
      """, record.rowID, id, MessageRecord.namesakeLimit
    ) {
      (
        row: $0.optionalInt64(4) ?? $0.int64(0),
        author: MessageAuthor(
          sender: ColumnCoding.jid($0.string(1)), isOutgoing: $0.bool(2),
          occupantID: $0.optionalString(3)),
        sentAt: ColumnCoding.date($0.int64(5))
      )
    }.first { known in
      MessageAuthor(of: message).is(known.author, inRoom: record.usesNicks)
        && (!record.usesNicks || message.isStill(known.author, since: known.sentAt)
          || message.isArchived && message.occupantID == nil && known.author.occupantID == nil
            && isAtOnce(message.sentAt, after: known.sentAt))
    }?.row
  }

  /// Seconds within which no other occupant is assumed to take a free nick and correct its
  /// messages.
  private static let haste: TimeInterval = 120

  private static func isAtOnce(_ date: Date, after other: Date) -> Bool {
    date.timeIntervalSince(other) <= haste
  }

  /// Applies corrections of `message` that arrived before it.
  /// - Returns: the rows that were messages of their own until now.
  static func adopt(
    for row: Int64, _ message: IncomingMessage, in record: ConversationRecord,
    _ db: DatabaseConnection
  ) throws -> [Message.ID] {
    guard let id = message.originID else { return [] }
    let waiting = try db.rows(
      """
      SELECT id, sender, is_outgoing, occupant_id, is_delayed, sent_at
      FROM message INDEXED BY message_waiting
      WHERE conversation = ? AND replaces = ? AND corrects IS NULL AND id <> ?
      """, record.rowID, id, row
    ) {
      (
        row: $0.int64(0),
        author: MessageAuthor(
          sender: ColumnCoding.jid($0.string(1)), isOutgoing: $0.bool(2),
          occupantID: $0.optionalString(3)),
        isDelayed: $0.bool(4), sentAt: ColumnCoding.date($0.int64(5))
      )
    }.filter { waiting in
      guard MessageAuthor(of: message).is(waiting.author, inRoom: record.usesNicks) else {
        return false
      }
      // The arrival of the occupant who sent it live is not known any more.
      if !record.usesNicks || waiting.author.occupantID != nil { return true }
      return waiting.isDelayed
        ? isAtOnce(waiting.sentAt, after: message.sentAt) : waiting.author.isOutgoing
    }.map(\.row)
    for correction in waiting {
      try db.run(
        "UPDATE message SET corrects = ?, first_body = body, body = '' WHERE id = ?", row,
        correction)
      // The reactions to it are to the message.
      try db.run(
        "UPDATE message SET corrects = ? WHERE corrects = ? AND effect = 'reaction'", row,
        correction)
      try ReactionRecord.forget(correction, in: db)
    }
    if !waiting.isEmpty {
      try settle(row, in: db)
      try ReactionRecord.settle(row, in: db)
    }
    return waiting.map { Message.ID($0) }
  }

  /// Gives a message the text of its last correction; without one, its first text.
  static func settle(_ row: Int64, in db: DatabaseConnection) throws {
    let last = try db.firstRow(
      """
      SELECT id, first_body, (SELECT retraction FROM message AS target WHERE target.id = message.corrects)
      FROM message WHERE corrects = ? AND effect IS NULL ORDER BY position DESC, id DESC LIMIT 1
      """, row
    ) { (row: $0.int64(0), body: $0.optionalString(1) ?? "", retraction: $0.optionalString(2)) }
    if let retraction = last?.retraction {
      // It has no text any more, also after later corrections.
      try db.run(
        """
        UPDATE message SET retraction = ?, first_body = CASE WHEN delivery = 'queued' THEN first_body END
        WHERE corrects = ? AND effect IS NULL AND retraction IS NULL
        """, retraction, row)
      return
    }
    guard let last else {
      try db.run(
        """
        UPDATE message SET body = COALESCE(first_body, body), first_body = NULL, edit = NULL
        WHERE id = ? AND edit IS NOT NULL
        """, row)
      return
    }
    // An offered file is removed, its name in the same statement: a trigger that removed it before
    // the one that corrects the index would leave the old text there.
    try db.run(
      """
      UPDATE message SET first_body = COALESCE(first_body, body), body = ?, edit = ?,
        file_address = NULL, file_name = NULL WHERE id = ?
      """, last.body, last.row, row)
  }

  /// Stores a correction of the message `target`.
  static func insert(
    _ message: IncomingMessage, delivery: Delivery?, correcting target: Int64,
    conversation: Int64, in db: DatabaseConnection
  ) throws -> Message? {
    var message = message
    message.file = nil
    _ = try MessageRecord.insert(
      message, delivery: delivery, conversation: conversation, correcting: target, in: db)
    try settle(target, in: db)
    return try db.firstRow(OutboxQuery.byID, target, map: MessageRecord.message)
  }
}
