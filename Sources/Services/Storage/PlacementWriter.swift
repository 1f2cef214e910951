import NatterCore
import SQLite

/// Stores the positions of messages.
enum PlacementWriter {
  /// Of the changes of one message the last counts, and the move may change which is the last.
  /// - Returns: the messages with their new positions.
  static func write(_ placement: MessagePlacer, in db: DatabaseConnection) throws -> [Message] {
    for (row, follows) in placement.follows {
      try db.run("UPDATE message SET follows = ? WHERE id = ?", follows, row)
    }
    var (corrected, reacted): (Set<Int64>, Set<Int64>) = ([], [])
    for (row, position) in placement.moves {
      try db.run("UPDATE message SET placed_at = NULLIF(?, sent_at) WHERE id = ?", position, row)
      let change = try db.firstRow(
        "SELECT corrects, effect FROM message WHERE id = ? AND corrects > 0", row
      ) { (target: $0.int64(0), effect: $0.optionalString(1)) }
      guard let change else { continue }
      switch change.effect {
      case nil: corrected.insert(change.target)
      case Message.Effect.reaction.rawValue: reacted.insert(change.target)
      default: break
      }
    }
    for target in corrected.sorted() { try CorrectionRecord.settle(target, in: db) }
    for target in reacted.sorted() { try ReactionRecord.settle(target, in: db) }
    var reported: Set<Message.ID> = []
    // The line above the first unread message keeps its position, above the message now below it.
    return try placement.moves.keys.sorted().compactMap { row in
      try db.run(
        """
        UPDATE conversation SET (first_unread_at, first_unread_id) = (
          SELECT position, message.id FROM message INDEXED BY message_page
          WHERE message.conversation = conversation.id AND is_outgoing = 0 AND corrects IS NULL
            AND position >= first_unread_at
          ORDER BY position, message.id LIMIT 1)
        WHERE id = (SELECT conversation FROM message WHERE id = ?1) AND first_unread_id = ?1
        """, row)
      guard let message = try db.firstRow(OutboxQuery.byID, row, map: MessageRecord.message),
        reported.insert(message.id).inserted
      else { return nil }
      return message
    }
  }
}
