import NatterCore
import SQLite
import XMPP

/// A row of `read_state`, while a transaction works on it.
struct ReadStateRecord: Equatable {
  let conversation: String
  var markableID: String?
  var markerDue: String?
  var displayedID: String?
  var isPublished = true
  /// Indicates whether the user marked the conversation as unread.
  var isKeptUnread = false

  /// Returns the row of `jid`; a new one where there is none.
  static func find(_ jid: JID, in db: DatabaseConnection) throws -> ReadStateRecord {
    let name = jid.bare.description
    return try db.firstRow(
      """
      SELECT markable_id, marker_due, displayed_id, is_published, kept_unread FROM read_state
      WHERE conversation = ?
      """, name
    ) {
      ReadStateRecord(
        conversation: name, markableID: $0.optionalString(0), markerDue: $0.optionalString(1),
        displayedID: $0.optionalString(2), isPublished: $0.bool(3), isKeptUnread: $0.bool(4))
    } ?? ReadStateRecord(conversation: name)
  }

  func save(in db: DatabaseConnection) throws {
    try db.run(
      """
      INSERT OR REPLACE INTO read_state
        (conversation, markable_id, marker_due, displayed_id, is_published, kept_unread)
        VALUES (?, ?, ?, ?, ?, ?)
      """, conversation, markableID, markerDue, displayedID, isPublished, isKeptUnread)
  }
}

/// The position of a message in its conversation, as column values.
struct StoredPosition: Comparable {
  let time: Int64
  let id: Int64

  /// - Parameter row: with the columns `position` and `id`.
  fileprivate init(_ row: Row) { (time, id) = (row.int64(0), row.int64(1)) }

  static func < (a: StoredPosition, b: StoredPosition) -> Bool {
    (a.time, a.id) < (b.time, b.id)
  }

  /// Returns the position of the message with the archive id `stanzaID`.
  static func archived(_ stanzaID: String, in conversation: Int64, _ db: DatabaseConnection) throws
    -> StoredPosition?
  {
    try db.firstRow(
      "SELECT position, id FROM message WHERE conversation = ? AND stanza_id = ?", conversation,
      stanzaID
    ) { StoredPosition($0) }
  }

  /// Returns the position of the newest message with the sender's id `id`.
  static func named(
    _ id: String, isOutgoing: Bool, in conversation: Int64, _ db: DatabaseConnection
  ) throws -> StoredPosition? {
    try db.firstRow(
      """
      SELECT position, id FROM message WHERE conversation = ? AND origin_id = ? AND is_outgoing = ?
      ORDER BY id DESC
      """, conversation, id, isOutgoing
    ) { StoredPosition($0) }
  }

  /// Returns the archive id of the newest message that has one.
  static func newestArchived(in conversation: Int64, _ db: DatabaseConnection) throws -> String? {
    try db.firstRow(
      """
      SELECT stanza_id FROM message INDEXED BY message_page WHERE conversation = ?
        AND stanza_id IS NOT NULL AND effect IS NULL ORDER BY position DESC, id DESC
      """, conversation
    ) { $0.string(0) }
  }
}

extension ConversationRecord {
  /// Counts the newest received message as unread, until the user reads the conversation again.
  /// - Returns: the conversation as it is then, stored; `nil` when nothing changed.
  static func markUnread(_ jid: JID, in db: DatabaseConnection) throws -> Conversation? {
    guard var record = try find(jid, in: db), record.conversation.unread == 0,
      let newest = try db.firstRow(
        """
        SELECT position, id FROM message INDEXED BY message_page WHERE conversation = ?
          AND is_outgoing = 0 AND corrects IS NULL AND effect IS NULL
        ORDER BY position DESC, id DESC LIMIT 1
        """, record.rowID, map: { StoredPosition($0) })
    else { return nil }
    record.conversation.unread = 1
    record.conversation.firstUnread = MessagePosition(
      at: ColumnCoding.date(newest.time), id: Message.ID(newest.id))
    try record.save(in: db)
    // A private message of an occupant is not among the messages of the room.
    if record.conversation.jid.isBare {
      var state = try ReadStateRecord.find(record.conversation.jid, in: db)
      state.isKeptUnread = true
      try state.save(in: db)
    }
    return record.conversation
  }

  /// Counts the messages up to `position` as read.
  /// - Returns: the conversation as it is then, stored; `nil` when nothing changed.
  func read(upTo position: StoredPosition, in db: DatabaseConnection) throws -> Conversation? {
    guard conversation.unread > 0 else { return nil }
    let later = try db.rows(
      """
      SELECT position, id FROM message INDEXED BY message_page WHERE conversation = ?
        AND position >= ? AND is_outgoing = 0 AND corrects IS NULL AND (position > ? OR id > ?) ORDER BY position, id LIMIT ?
      """, rowID, position.time, position.time, position.id, conversation.unread
    ) { StoredPosition($0) }
    guard later.count < conversation.unread else { return nil }
    var changed = self
    if let first = later.first {
      changed.conversation.unread = later.count
      changed.conversation.firstUnread = MessagePosition(
        at: ColumnCoding.date(first.time), id: Message.ID(first.id))
    } else {
      changed.markRead()
    }
    try changed.save(in: db)
    return changed.conversation
  }

  /// Counts the messages after `position` as unread, unless more are: the history of a new client
  /// is not new by itself. Messages before an outgoing one are read.
  /// - Returns: the conversation as it is then, stored; `nil` when nothing changed.
  func unread(after position: StoredPosition, in db: DatabaseConnection) throws -> Conversation? {
    let answer =
      try db.firstRow(
        """
        SELECT position, id FROM message INDEXED BY message_page WHERE conversation = ?
          AND position >= ? AND is_outgoing = 1 ORDER BY position DESC, id DESC LIMIT 1
        """, rowID, position.time
      ) { StoredPosition($0) } ?? position
    let last = max(position, answer)
    let later = try db.rows(
      """
      SELECT position, id FROM message INDEXED BY message_page WHERE conversation = ?
        AND position >= ? AND is_outgoing = 0 AND corrects IS NULL AND (position > ? OR id > ?)
      ORDER BY position, id
      """, rowID, last.time, last.time, last.id
    ) { StoredPosition($0) }
    guard later.count > conversation.unread, let first = later.first else { return nil }
    var changed = self
    changed.conversation.unread = later.count
    changed.conversation.firstUnread = MessagePosition(
      at: ColumnCoding.date(first.time), id: Message.ID(first.id))
    try changed.save(in: db)
    return changed.conversation
  }
}
