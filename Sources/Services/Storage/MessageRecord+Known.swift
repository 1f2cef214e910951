import FoundationEssentials
import NatterCore
import SQLite
import XMPP

// The detection of messages that are already stored.
extension MessageRecord {
  /// A row that may hold the message.
  struct Candidate {
    let id: Int64
    let sender: JID
    let isOutgoing: Bool
    let stanzaID: String?
    let sentAt: Date
  }

  /// The number of messages of one id that are examined, the newest first: senders choose ids, and
  /// could give all of theirs the same.
  static let namesakeLimit = 200
  /// The number of messages before, and of messages after, the time of one without an id that are
  /// examined, the nearest first: a room could send thousands within the tolerance.
  static let neighbourLimit = 200
  /// Seconds between the timestamps of one message that an archive has under two ids.
  private static let stampTolerance: TimeInterval = 1
  /// Seconds that the clocks of client and server may differ by, where a room sends its history
  /// again.
  private static let clockTolerance: TimeInterval = 300
  /// The same where a server redelivers what was not acknowledged: an earlier equal text was sent
  /// twice.
  private static let redeliveryTolerance: TimeInterval = 2

  /// Seconds between the timestamps of a message of an archive and of another program's history.
  static let importTolerance: TimeInterval = 2

  /// Returns the row that already holds `message`, in whatever way it came; `nil` when it is new.
  static func known(
    _ message: IncomingMessage, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Int64? {
    try identified(message, in: record, db) ?? imported(message, in: record, db)
  }

  /// Returns the row that holds `message`, by its ids.
  static func identified(
    _ message: IncomingMessage, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Int64? {
    if let stanzaID = message.stanzaID,
      let id = try db.firstRow(
        "SELECT id FROM message WHERE conversation = ? AND stanza_id = ?", record.rowID, stanzaID,
        map: { $0.int64(0) })
    {
      return id
    }
    guard let originID = message.originID else { return nil }
    guard try isNamed(originID, in: record, db) || IncomingMessage.isStampID(originID) else {
      return nil
    }
    // In a room the resource identifies the occupant; elsewhere it is one of the contact's clients.
    let isRoom = record.conversation.kind == .room
    // Some clients reuse an id: only an equal text is the same message, whatever its archive id:
    // the archive has a message that was sent twice under two ids, and restored messages under new
    // ids. The text of a retracted message is not stored.
    let known = try candidates(
      """
      id IN (SELECT id FROM message WHERE conversation = ? AND origin_id = ? AND effect IS ?
          ORDER BY id DESC LIMIT ?)
        AND (COALESCE(first_body, body) = ? OR retraction IS NOT NULL)
        AND (content_print IS NULL OR ? IS NULL OR content_print = ?)
      """,
      [
        record.rowID, originID, message.effect?.rawValue, namesakeLimit, message.body,
        message.contentPrint, message.contentPrint,
      ], db
    ).first { isFrom($0, message, inRoom: isRoom) && !isAnother($0, message) }
    if let known { return known.id }
    guard IncomingMessage.isStampID(originID) else { return nil }
    // It arrived once without a timestamp, when it had no id.
    let tolerance = isRoom ? clockTolerance : redeliveryTolerance
    return try unnamed(
      around: message, within: tolerance, in: record, "effect IS ?",
      [message.effect?.rawValue], db
    ).filter { isFrom($0, message, inRoom: isRoom) }
      .min { distance($0, message) < distance($1, message) }?.id
  }

  /// Indicates whether a row has a sender's id: rarely does one, and the queries that
  /// distinguish rows of one id take several times as long.
  static func isNamed(
    _ originID: String, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Bool {
    try db.firstRow(
      "SELECT 1 FROM message WHERE conversation = ? AND origin_id = ? LIMIT 1", record.rowID,
      originID
    ) { _ in true } ?? false
  }

  /// Returns the row of a history that another program wrote without ids, and that the server has
  /// with them: by its text, sender and time.
  private static func imported(
    _ message: IncomingMessage, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Int64? {
    guard message.isArchived || message.isDelayed, message.effect == nil else { return nil }
    let isRoom = record.conversation.kind == .room
    return try unnamed(
      around: message, within: importTolerance, in: record,
      "import_batch IS NOT NULL AND effect IS NULL", [], db
    ).filter { $0.isOutgoing == (message.direction == .outgoing) }
      .filter { !isRoom || $0.isOutgoing || $0.sender.isBare || $0.sender == message.sender }
      .min { distance($0, message) < distance($1, message) }?.id
  }

  /// Returns the rows without an id that have the text of `message` and fulfil a condition, near
  /// the time of `message`.
  private static func unnamed(
    around message: IncomingMessage, within tolerance: TimeInterval, in record: ConversationRecord,
    _ condition: String, _ values: [any SQLConvertible], _ db: DatabaseConnection
  ) throws -> [Candidate] {
    let time = ColumnCoding.microseconds(message.sentAt)
    return try candidates(
      """
      id IN (
          SELECT id FROM (SELECT id FROM message INDEXED BY message_unnamed
            WHERE conversation = ? AND sent_at BETWEEN ? AND ?
              AND origin_id IS NULL AND stanza_id IS NULL ORDER BY sent_at DESC LIMIT ?)
          UNION ALL
          SELECT id FROM (SELECT id FROM message INDEXED BY message_unnamed
            WHERE conversation = ? AND sent_at > ? AND sent_at <= ?
              AND origin_id IS NULL AND stanza_id IS NULL ORDER BY sent_at LIMIT ?))
        AND COALESCE(first_body, body) = ? AND \(condition)
      """,
      [
        record.rowID, ColumnCoding.microseconds(message.sentAt.addingTimeInterval(-tolerance)),
        time, neighbourLimit, record.rowID, time,
        ColumnCoding.microseconds(message.sentAt.addingTimeInterval(tolerance)), neighbourLimit,
        message.body,
      ] + values, db
    )
  }

  private static func distance(_ known: Candidate, _ message: IncomingMessage) -> TimeInterval {
    abs(known.sentAt.timeIntervalSince(message.sentAt))
  }

  static func candidates(
    _ condition: String, _ values: [any SQLConvertible], _ db: DatabaseConnection
  ) throws -> [Candidate] {
    try db.rows(
      """
      SELECT id, sender, is_outgoing, stanza_id, sent_at FROM message WHERE \(condition) ORDER BY id
      """, arguments: values
    ) {
      Candidate(
        id: $0.int64(0), sender: ColumnCoding.jid($0.string(1)), isOutgoing: $0.bool(2),
        stanzaID: $0.optionalString(3), sentAt: ColumnCoding.date($0.int64(4)))
    }
  }

  static func isFrom(_ known: Candidate, _ message: IncomingMessage, inRoom isRoom: Bool)
    -> Bool
  {
    guard isRoom else { return known.sender.bare == message.sender.bare }
    if known.sender == message.sender { return true }
    // A local message has the account's JID, and comes back with the nick of that moment; where the
    // room shows nicks only, no other occupant may have that nick by now. A second equal text is
    // another occupant's.
    return known.isOutgoing
      && (message.direction == .outgoing || message.occupantID == nil && known.stanzaID == nil)
  }

  /// Returns `true` if the archive has two different messages, and so has their sender: a script
  /// that counts its ids from one each time it runs sends the same text under the same id every
  /// day.
  private static func isAnother(_ known: Candidate, _ message: IncomingMessage) -> Bool {
    guard let originID = message.originID, isCounted(originID), !message.isSentAgain,
      let stanzaID = message.stanzaID, let knownID = known.stanzaID, stanzaID != knownID
    else { return false }
    return abs(known.sentAt.timeIntervalSince(message.archivedAt ?? message.sentAt))
      > stampTolerance
  }

  /// Returns `true` if a counter may have made the id ("1", "msg7", "netjabber-12"): letters of one
  /// case and few digits, or a number.
  static func isCounted(_ id: String) -> Bool {
    let digits = id.utf8.count { (0x30...0x39).contains($0) }
    if digits == id.utf8.count { return digits < 8 }
    let hasLower = id.utf8.contains { (0x61...0x7A).contains($0) }
    let hasUpper = id.utf8.contains { (0x41...0x5A).contains($0) }
    return digits < 4 && !(hasLower && hasUpper)
  }
}
