import NatterCore
import SQLite

/// What came before its message, and changes it once that is here.
enum Adoption {
  /// What more is known of a message that came again: what waited for a name that it has now, or that it was taken back.
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

  /// Has what waited for a message change it. Mostly nothing waits in the whole conversation: that is asked once.
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
