import NatterCore
import SQLite
import XMPP

/// The threads of stored messages (XEP-0201).
enum ThreadRecord {
  /// The number of messages among which the newest one of the peer is looked for: a bounded work
  /// for each message that is sent.
  static let depth = 200

  /// Returns the thread of a new message in a conversation.
  static func thread(
    _ choice: ThreadChoice, in record: ConversationRecord, _ db: DatabaseConnection
  ) throws -> Message.Thread? {
    switch choice {
    case .given(let thread): return thread
    case .ofConversation:
      // The same nick may be another occupant by now.
      guard record.conversation.kind == .direct, record.conversation.jid.isBare else { return nil }
      return try db.firstRow(newest, record.rowID, depth) { thread($0, at: 0) } ?? nil
    }
  }

  static let newest = """
    SELECT thread_id, thread_parent FROM (
      SELECT thread_id, thread_parent, is_outgoing, position, id FROM message INDEXED BY message_page
        WHERE conversation = ? AND corrects IS NULL ORDER BY position DESC, id DESC LIMIT ?)
      WHERE is_outgoing = 0 ORDER BY position DESC, id DESC LIMIT 1
    """

  /// The messages of a thread, newest first.
  static let messages = """
    SELECT \(MessageRecord.columns) FROM conversation CROSS JOIN message INDEXED BY message_thread
      ON message.conversation = conversation.id
      WHERE conversation.jid = ? AND thread_id = ? AND corrects IS NULL AND retraction IS NULL
      ORDER BY position DESC, message.id DESC LIMIT ?
    """

  /// The number of messages among which threads with a parent are looked for: no index has it.
  static let childDepth = 10_000

  /// The first message of each thread that came from another one, of the newest such threads.
  static let beginnings = """
    SELECT \(MessageRecord.columns) FROM message JOIN conversation
      ON conversation.id = message.conversation
      WHERE message.id IN (
        SELECT id FROM (
          SELECT id, MIN(position) AS beginning FROM (
            SELECT id, position, thread_id, thread_parent, retraction
              FROM message INDEXED BY message_page
              WHERE conversation = ? AND corrects IS NULL ORDER BY position DESC, id DESC LIMIT ?)
            WHERE thread_parent = ? AND retraction IS NULL
            GROUP BY thread_id ORDER BY beginning DESC LIMIT ?))
      ORDER BY message.position, message.id
    """

  /// Reads the columns `thread_id` and `thread_parent`, of which the first is at `index`.
  static func thread(_ row: Row, at index: Int) -> Message.Thread? {
    row.optionalString(index).flatMap {
      Message.Thread(id: $0, parent: row.optionalString(index + 1))
    }
  }
}
