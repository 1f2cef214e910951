import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Stores entries of a history in one transaction.
struct ImportWriter {
  /// A conversation of the history.
  private struct Target {
    var record: ConversationRecord
    /// `true` if the import created it.
    let isNew: Bool
  }

  let batch: Int64
  let shownSince: Date
  let db: DatabaseConnection
  /// The id of the last message before the transaction.
  private let newest: Int64
  /// The time of the import: the last position of its messages.
  private let now: Date
  private var targets: [JID: Target] = [:]
  /// Messages that were reacted to: their reactions are written at the end.
  private var reacted: Set<Int64> = []
  private var tally = ImportTally()

  init(batch: Int64, shownSince: Date, in db: DatabaseConnection) throws {
    (self.batch, self.shownSince, self.db) = (batch, shownSince, db)
    newest = try db.firstRow("SELECT MAX(id) FROM message") { $0.optionalInt64(0) ?? 0 } ?? 0
    now =
      try db.firstRow("SELECT at FROM import_batch WHERE id = ?", batch) {
        ColumnCoding.date($0.int64(0))
      } ?? .distantFuture
  }

  /// Stores an entry, unless it is known.
  mutating func add(_ entry: HistoryEntry) throws {
    var target = try target(of: entry)
    defer { targets[entry.message.conversation] = target }
    guard try Self.known(entry, in: target.record, after: newest, db) == nil else {
      tally.known += 1
      return
    }
    var message = entry.message
    message.conversation = target.record.conversation.jid
    // What is said from now on comes below it, whatever the clock of the history said.
    message.placedAt = min(message.sentAt, now)
    let delivery: Delivery? = message.direction == .outgoing ? entry.delivery : nil
    if let row = try CorrectionRecord.target(of: message, in: target.record, db) {
      _ = try CorrectionRecord.insert(
        message, delivery: delivery, correcting: row, conversation: target.record.rowID, in: db)
    } else {
      try insert(message, delivery: delivery, entry, in: &target)
    }
    tally.conversations.insert(message.conversation.bare)
  }

  private mutating func insert(
    _ message: IncomingMessage, delivery: Delivery?, _ entry: HistoryEntry, in target: inout Target
  ) throws {
    let conversation = target.record.rowID
    // Only exports of this program have quotations, and those were checked when they arrived.
    let new = try MessageRecord.insert(
      message, delivery: delivery, conversation: conversation, quotesFreely: true, in: db)
    let row = new.id.rawValue
    if case .failed? = delivery {
      try db.run("UPDATE message SET is_failure_seen = 1 WHERE id = ?", row)
    }
    if let text = entry.correctedText {
      var correction = IncomingMessage(
        conversation: message.conversation, sender: message.sender, direction: message.direction,
        body: text, sentAt: message.sentAt, originID: nil, isDelayed: true)
      correction.placedAt = message.placedAt
      correction.replaces = message.originID
      _ = try CorrectionRecord.insert(
        correction, delivery: delivery, correcting: row, conversation: conversation, in: db)
    }
    for reaction in entry.reactions {
      var change = IncomingMessage(
        conversation: message.conversation, sender: reaction.sender,
        direction: reaction.isOwn ? .outgoing : .incoming,
        body: reaction.emoji.joined(separator: " "), sentAt: message.sentAt, originID: nil,
        isDelayed: true)
      change.placedAt = message.placedAt
      (change.effect, change.replaces) = (.reaction, message.originID ?? message.stanzaID)
      _ = try EffectRecord.insert(
        change, delivery: reaction.isOwn ? .sent : nil, on: row, in: target.record,
        reacted: &reacted, db)
    }
    if message.replaces != nil { target.record.hasWaiting = nil }
    if try Adoption.mayBeChanged(in: &target.record, db) {
      _ = try CorrectionRecord.adopt(for: row, message, in: target.record, db)
      _ = try Adoption.adopt(for: row, message, in: &target.record, reacted: &reacted, db)
    }
    let time = new.position.time
    let last = target.record.conversation.lastActivity ?? time
    target.record.conversation.lastActivity = max(last, time)
    if target.isNew, message.sentAt >= shownSince { target.record.isHidden = false }
  }

  /// Stores the conversations, and which rows the import added.
  mutating func finish() throws -> ImportTally {
    for row in reacted.sorted() { try ReactionRecord.write(row, in: db) }
    for target in targets.values { try target.record.save(in: db) }
    try db.run("UPDATE message SET import_batch = ? WHERE id > ?", batch, newest)
    tally.added =
      try db.firstRow(
        "SELECT COUNT(*) FROM message WHERE id > ? AND effect IS NULL", newest
      ) { $0.int(0) } ?? 0
    try db.run("UPDATE import_batch SET rows = rows + ? WHERE id = ?", tally.added, batch)
    try SearchIndex.takeUpMany(in: db)
    return tally
  }

  private func target(of entry: HistoryEntry) throws -> Target {
    let jid = entry.message.conversation
    if let target = targets[jid] { return target }
    let key = try ConversationRecord.key(of: jid, isOccupant: true, in: db)
    let known = try db.firstRow(
      "SELECT import_batch = ? FROM conversation WHERE jid = ?", batch, key.description
    ) { $0.bool(0) }
    let record = try ConversationRecord.findOrCreate(
      jid, kind: entry.kind, isHidden: true, isOccupant: true, in: db)
    if known == nil {
      try db.run(
        "UPDATE conversation SET import_batch = ? WHERE id = ?", batch, record.rowID)
    }
    return Target(record: record, isNew: known ?? true)
  }
}

extension ImportWriter {
  /// The numbers of messages right before and after the time of an entry that are compared with
  /// it: a file may have any number of messages of one second.
  private static let (earlierLimit, laterLimit) = (250, 750)
  /// The same on each side of an entry whose time is exact.
  private static let exactLimit = 100
  /// The number of messages with the text of an entry whose senders and times are compared.
  private static let sameTextLimit = 100

  /// Returns the row that already holds an entry; `nil` when it is new.
  /// - Parameter newest: the last message before those of this transaction.
  static func known(
    _ entry: HistoryEntry, in record: ConversationRecord, after newest: Int64 = .max,
    _ db: DatabaseConnection
  ) throws -> Int64? {
    try MessageRecord.identified(entry.message, in: record, db)
      ?? renamed(entry.message, in: record, db)
      ?? similar(entry, in: record, after: newest, db)
  }

  /// Returns a row with the sender's id: programs store texts in different ways, without the
  /// fallbacks or with them. An id that a counter made may belong to another message.
  private static func renamed(
    _ message: IncomingMessage, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Int64? {
    guard let originID = message.originID, !MessageRecord.isCounted(originID),
      try MessageRecord.isNamed(originID, in: record, db)
    else { return nil }
    let isRoom = record.conversation.kind == .room
    return try MessageRecord.candidates(
      """
      id IN (SELECT id FROM message WHERE conversation = ? AND origin_id = ?
        ORDER BY id DESC LIMIT ?) AND effect IS NULL
      """, [record.rowID, originID, MessageRecord.namesakeLimit], db
    ).first { MessageRecord.isFrom($0, message, inRoom: isRoom) }?.id
  }

  /// Returns a row with the same direction and text, in the same second or minute. A message that
  /// the server brought is within two seconds of one without ids. One whose time was still to come
  /// at an import has the position of that.
  private static func similar(
    _ entry: HistoryEntry, in record: ConversationRecord, after newest: Int64,
    _ db: DatabaseConnection
  ) throws -> Int64? {
    let message = entry.message
    let unit: Int64 = entry.precision == .minute ? 60_000_000 : 1_000_000
    let time = ColumnCoding.microseconds(message.sentAt)
    let start = (time - (time % unit + unit) % unit)
    let tolerance = Int64(MessageRecord.importTolerance * 1_000_000)
    let (lower, upper) = (start - tolerance, start + unit + tolerance)
    // Mostly nothing is near: the index alone shows it.
    let isAnyNear = try db.firstRow(
      """
      SELECT 1 WHERE EXISTS (
          SELECT 1 FROM message INDEXED BY message_page
          WHERE conversation = ? AND position BETWEEN ? AND ?)
        OR EXISTS (
          SELECT 1 FROM message INDEXED BY message_page
          WHERE conversation = ? AND position IN (SELECT at FROM import_batch WHERE at < ?))
      """, record.rowID, lower, upper, record.rowID, time
    ) { _ in true }
    guard isAnyNear != nil else { return nil }
    let isUnarchived = message.stanzaID == nil
    let hasNoID = message.originID == nil && isUnarchived
    let isExact = entry.precision == .microsecond && time % 1_000_000 != 0
    let (earlier, later) = isExact ? (exactLimit, exactLimit) : (earlierLimit, laterLimit)
    var found: Int64?
    try db.readRows(
      """
      SELECT id, sender, is_outgoing, stanza_id, origin_id, sent_at, import_batch FROM message
      WHERE id IN (
          SELECT id FROM (SELECT id FROM message INDEXED BY message_page
            WHERE conversation = ? AND position BETWEEN ? AND ? ORDER BY position DESC LIMIT ?)
          UNION ALL
          SELECT id FROM (SELECT id FROM message INDEXED BY message_page
            WHERE conversation = ? AND position > ? AND position <= ? ORDER BY position LIMIT ?)
          UNION ALL
          SELECT id FROM (SELECT id FROM message INDEXED BY message_page
            WHERE conversation = ? AND position IN (SELECT at FROM import_batch WHERE at < ?)
              AND placed_at IS NOT NULL AND sent_at BETWEEN ? AND ? LIMIT ?))
        AND effect IS NULL AND (? OR stanza_id IS NULL OR stanza_id = ?)
        AND NOT (? AND (import_batch IS NOT NULL OR id > ?) AND sent_at % 1000000 <> 0
          AND sent_at <> ?)
        AND (retraction IS NOT NULL
          OR COALESCE(first_body, body) = ? AND (content IS ? OR edit IS NOT NULL))
      ORDER BY id LIMIT ?
      """,
      arguments: [
        record.rowID, lower, time, earlier, record.rowID, time, upper, later,
        record.rowID, time, lower, upper, later,
        isUnarchived, message.stanzaID,
        // Where both histories have parts of a second, equal texts within one are two messages.
        isExact, newest, time,
        message.body, ContentRecord.name(of: message.content), sameTextLimit,
      ]
    ) { row in
      let (id, rowTime) = (row.int64(0), row.int64(5))
      let isImported = row.optionalInt64(6) != nil
      let isInUnit = start <= rowTime && rowTime < start + unit
      let isNear = hasNoID && !isImported && id <= newest
      guard isInUnit || isNear && abs(rowTime - time) <= tolerance,
        !differ(IncomingMessage.givenID(row.optionalString(4)), message.originID),
        isFrom(
          ColumnCoding.jid(row.string(1)), row.bool(2), message, inRoom: record.usesNicks)
      else { return true }
      found = id
      return false
    }
    return found
  }

  private static func differ(_ id: String?, _ other: String?) -> Bool {
    guard let id, let other else { return false }
    return id != other
  }

  /// In a room, one of the two may not know the nick.
  private static func isFrom(
    _ sender: JID, _ isOutgoing: Bool, _ message: IncomingMessage, inRoom isRoom: Bool
  ) -> Bool {
    if isRoom, sender == message.sender, !sender.isBare { return true }
    guard isOutgoing == (message.direction == .outgoing) else { return false }
    return !isRoom || isOutgoing || sender.isBare || message.sender.isBare
  }
}
