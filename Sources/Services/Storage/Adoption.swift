import NatterCore
import SQLite

/// Changes that arrived before their message, and are applied once it is stored.
enum Adoption {
  /// Applies what is new in a message that came again: changes that waited for an id that it has
  /// now, or its retraction.
  static func news(
    of message: IncomingMessage, _ known: Int64, in record: inout ConversationRecord,
    reacted: inout Set<Int64>, _ db: DatabaseConnection
  ) throws -> [Message] {
    guard message.effect == nil,
      try message.retraction != nil || mayBeChanged(in: &record, db),
      let row = try db.firstRow(
        "SELECT COALESCE(corrects, id) FROM message WHERE id = ?", known, map: { $0.int64(0) })
    else { return [] }
    var changed = try adopt(for: row, message, in: &record, reacted: &reacted, db)
    if let retraction = message.retraction {
      changed += try EffectRecord.erase(row, by: retraction, in: db)
    }
    return changed
  }

  /// Applies the changes that waited for a message. Mostly none wait in the whole conversation:
  /// that is checked once.
  static func adopt(
    for row: Int64, _ message: IncomingMessage, in record: inout ConversationRecord,
    reacted: inout Set<Int64>, _ db: DatabaseConnection
  ) throws -> [Message] {
    guard try mayBeChanged(in: &record, db) else { return [] }
    return try EffectRecord.adopt(
      for: row, [message.originID, message.stanzaID], in: record, reacted: &reacted, db)
  }

  static func mayBeChanged(in record: inout ConversationRecord, _ db: DatabaseConnection)
    throws -> Bool
  {
    let isWaiting = try record.hasWaiting ?? ConversationRecord.isAnyWaiting(in: record, db)
    record.hasWaiting = isWaiting
    return isWaiting
  }
}
