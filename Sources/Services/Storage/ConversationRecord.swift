import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// A row of `conversation`, while a transaction works on it.
struct ConversationRecord {
  let rowID: Int64
  var conversation: Conversation
  var isHidden: Bool
  /// `true` if corrections, reactions or retractions in it wait for their messages; `nil`: not
  /// checked yet.
  var hasWaiting: Bool?

  static let columns = """
    id, jid, kind, name, unread, first_unread_at, first_unread_id, last_activity, draft, is_hidden,
    mentions
    """

  init(_ row: Row) {
    rowID = row.int64(0)
    var firstUnread: MessagePosition?
    if let time = row.optionalInt64(5), let id = row.optionalInt64(6) {
      firstUnread = MessagePosition(at: ColumnCoding.date(time), id: Message.ID(id))
    }
    conversation = Conversation(
      jid: ColumnCoding.jid(row.string(1)),
      kind: Conversation.ConversationKind(rawValue: row.string(2)) ?? .direct,
      name: row.optionalString(3), unread: row.int(4), mentions: row.int(10),
      firstUnread: firstUnread,
      lastActivity: row.optionalInt64(7).map(ColumnCoding.date), draft: row.string(8))
    isHidden = row.bool(9)
  }

  /// Returns `true` if any change in the conversation waits for its message.
  static func isAnyWaiting(in record: ConversationRecord, _ db: DatabaseConnection) throws -> Bool {
    try db.firstRow(
      """
      SELECT EXISTS (SELECT 1 FROM message INDEXED BY message_effect_waiting
          WHERE conversation = ?1 AND corrects = 0)
        OR EXISTS (SELECT 1 FROM message INDEXED BY message_waiting
          WHERE conversation = ?1 AND replaces IS NOT NULL AND corrects IS NULL)
      """, record.rowID
    ) { $0.bool(0) } ?? false
  }

  /// Returns the JID that names the conversation with `jid`: the bare JID, except for an occupant.
  /// - Parameter isOccupant: `true` if the stanza says that it is from a room (XEP-0045 §7.5): then
  ///   it is an occupant, also in an unknown room, unless a contact has that JID.
  static func key(of jid: JID, isOccupant: Bool = false, in db: DatabaseConnection) throws -> JID {
    guard !jid.isBare else { return jid }
    let known = Dictionary(
      try db.rows(
        "SELECT jid, kind FROM conversation WHERE jid IN (?, ?)", jid.bare.description,
        jid.description
      ) { ($0.string(0), $0.string(1)) }, uniquingKeysWith: { first, _ in first })
    if known[jid.description] != nil { return jid }
    guard let kind = known[jid.bare.description] else { return isOccupant ? jid : jid.bare }
    if kind == Conversation.ConversationKind.room.rawValue { return jid }
    return try isOccupant && onlyItselfSpoke(jid.bare, in: db) ? jid : jid.bare
  }

  /// Returns `true` if the first messages of the conversation with `jid` came from that very JID,
  /// as those of a room itself do: a contact uses a full JID. The archive may show that before the
  /// bookmarks show that it is a room.
  private static func onlyItselfSpoke(_ jid: JID, in db: DatabaseConnection) throws -> Bool {
    // A few suffice, and the work is bounded for any number of messages.
    try db.firstRow(
      """
      SELECT MIN(sender = ?1) FROM (SELECT sender FROM message WHERE conversation =
        (SELECT id FROM conversation WHERE jid = ?1) LIMIT 50)
      """, jid.description
    ) { $0.optionalInt64(0) == 1 } ?? false
  }

  static func find(_ jid: JID, in db: DatabaseConnection) throws -> ConversationRecord? {
    try row(of: key(of: jid, in: db), in: db)
  }

  private static func row(of key: JID, in db: DatabaseConnection) throws -> ConversationRecord? {
    try db.firstRow(
      "SELECT \(columns) FROM conversation WHERE jid = ?", key.description,
      map: ConversationRecord.init)
  }

  /// Returns the row of `jid`, and creates it if it does not exist.
  /// - Parameter isOccupant: as in `key(of:isOccupant:in:)`.
  static func findOrCreate(
    _ jid: JID, kind: Conversation.ConversationKind = .direct, isHidden: Bool = false,
    isOccupant: Bool = false, in db: DatabaseConnection
  ) throws -> ConversationRecord {
    let jid = try key(of: jid, isOccupant: isOccupant, in: db)
    if let record = try row(of: jid, in: db) { return record }
    try db.run(
      "INSERT INTO conversation (jid, kind, is_hidden) VALUES (?, ?, ?)", jid.description,
      kind.rawValue, isHidden)
    return ConversationRecord(
      rowID: db.lastInsertedRowID, conversation: Conversation(jid: jid, kind: kind),
      isHidden: isHidden)
  }

  private init(rowID: Int64, conversation: Conversation, isHidden: Bool) {
    self.rowID = rowID
    self.conversation = conversation
    self.isHidden = isHidden
  }

  func save(in db: DatabaseConnection) throws {
    try db.run(
      """
      UPDATE conversation SET kind = ?, name = ?, unread = ?, first_unread_at = ?,
        first_unread_id = ?, last_activity = ?, draft = ?, is_hidden = ?, mentions = ? WHERE id = ?
      """,
      conversation.kind.rawValue, conversation.name, conversation.unread,
      conversation.firstUnread.map { ColumnCoding.microseconds($0.time) },
      conversation.firstUnread?.id.rawValue,
      conversation.lastActivity.map(ColumnCoding.microseconds), conversation.draft, isHidden,
      conversation.mentions, rowID)
  }

  /// Updates the row for a message that was stored in it.
  mutating func receive(_ message: Message, countsUnread: Bool, isMention: Bool = false) {
    isHidden = false
    let time = message.position.time
    conversation.lastActivity = max(conversation.lastActivity ?? time, time)
    guard countsUnread else { return }
    conversation.unread += 1
    if isMention { conversation.mentions += 1 }
    conversation.firstUnread = min(conversation.firstUnread ?? message.position, message.position)
  }

  mutating func markRead() {
    conversation.unread = 0
    conversation.mentions = 0
    conversation.firstUnread = nil
  }
}
