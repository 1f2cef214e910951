import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// Rows of `message`: writing, search and reading.
enum MessageRecord {
  /// The columns that `message(_:)` reads, of `message` joined with its conversation, in the
  /// displayed form. The delivery state of a corrected message is that of its correction.
  static let columns = columns(
    body: "CASE WHEN \(isLong) THEN substr(body, 1, \(Message.bodyLimit)) ELSE body END",
    isShortened: isLong,
    delivery: """
      CASE WHEN edit IS NULL THEN delivery
        ELSE (SELECT newer.delivery FROM message AS newer WHERE newer.id = message.edit) END,
      CASE WHEN edit IS NULL THEN failure
        ELSE (SELECT newer.failure FROM message AS newer WHERE newer.id = message.edit) END
      """)
  /// The number of `columns`: those that a query adds follow.
  static let columnCount = 38
  /// The same columns, in the form that is sent.
  static let typedColumns = columns(
    body: "COALESCE(first_body, body)", isShortened: "0", delivery: "delivery, failure")
  /// The condition that the text is longer than its displayed part.
  private static let isLong = "length(body) > \(Message.bodyLimit)"

  private static func columns(body: String, isShortened: String, delivery: String) -> String {
    """
    message.id, conversation.jid, sender, is_outgoing, \(body), sent_at, origin_id, stanza_id,
    \(delivery), is_delayed, file_address, file_name, file_type, file_size, file_sha256,
    replaces, reply_id, reply_author, reply_text, edit,
    CASE WHEN edit IS NULL THEN NULL
      ELSE (SELECT newer.origin_id FROM message AS newer WHERE newer.id = message.edit) END,
    effect, reactions, retraction, file_width, file_height, file_found_size, file_other_addresses,
    edit IS NOT NULL AND message.delivery IS 'queued', \(isShortened), content, content_detail, message.position,
    effect IS NULL AND corrects IS NOT NULL, thread_id, thread_parent, sent_by
    """
  }

  static func message(_ row: Row) -> Message {
    let message = Message(
      id: Message.ID(row.int64(0)), conversation: ColumnCoding.jid(row, 1),
      sender: ColumnCoding.jid(row, 2), direction: row.bool(3) ? .outgoing : .incoming,
      body: row.string(4), sentAt: ColumnCoding.date(row.int64(5)),
      placedAt: ColumnCoding.date(row.int64(33)),
      originID: IncomingMessage.givenID(row.optionalString(6)),
      stanzaID: row.optionalString(7),
      delivery: ColumnCoding.delivery(row.optionalString(8), failure: row.optionalString(9)),
      isDelayed: row.bool(10), file: file(row), reply: reply(row),
      edit: row.optionalInt64(20) == nil ? nil : Message.Edit(originID: row.optionalString(21)),
      isFirstQueued: row.bool(29),
      replaces: row.optionalString(16), isCorrection: row.bool(34),
      effect: row.optionalString(22).flatMap(Message.Effect.init),
      reactions: row.optionalString(23).map(ReactionRecord.reactions) ?? [],
      reactionTotals: row.optionalString(23).map(ReactionRecord.totals) ?? [],
      retraction: row.optionalString(24).flatMap(Message.Retraction.init),
      isShortened: row.bool(30),
      // A correction has replaced it, or it was retracted.
      content: row.optionalInt64(20) != nil || row.optionalString(24) != nil
        ? nil : ContentRecord.content(row.optionalString(31), row.optionalString(32)))
    // Copying a message is a part of the time that reading it takes, and few have a thread, or were
    // sent by a program.
    let (thread, program) = (ThreadRecord.thread(row, at: 35), row.optionalString(37))
    guard thread != nil || program != nil else { return message }
    return message.inThread(thread).sent(by: program)
  }

  private static func reply(_ row: Row) -> Message.Reply? {
    row.optionalString(17).map { id in
      Message.Reply(
        id: id, author: row.optionalString(18).map(ColumnCoding.jid),
        text: row.optionalString(19) ?? "")
    }
  }

  private static func file(_ row: Row) -> SharedFile? {
    row.optionalString(11).map { address in
      SharedFile(
        address: address, name: row.optionalString(12), mediaType: row.optionalString(13),
        byteCount: row.optionalInt64(14).map { Int($0) },
        digests: row.optionalString(15).map { [FileDigest](stored: $0) } ?? [],
        width: row.optionalInt(25), height: row.optionalInt(26),
        foundByteCount: row.optionalInt(27),
        otherAddresses: ColumnCoding.lines(row.optionalString(28)))
    }
  }

  /// Stores `message` in the conversation of the row `conversation`.
  /// - Parameter quotesFreely: whether its quotation is stored as it is: this program made it.
  static func insert(
    _ message: IncomingMessage, delivery: Delivery?, conversation: Int64,
    correcting target: Int64? = nil, quotesFreely: Bool = false, in db: DatabaseConnection
  ) throws -> Message {
    let reply =
      message.direction == .outgoing || quotesFreely
      ? message.reply
      : try message.reply.map { try known($0, of: message.sender, in: conversation, db) }
    // The result equals that of a later read: the time has the precision of the column.
    let time = ColumnCoding.microseconds(message.sentAt)
    let position = ColumnCoding.microseconds(message.placedAt)
    try db.run(
      """
      INSERT INTO message (conversation, sender, is_outgoing, body, sent_at, origin_id, stanza_id,
        delivery, failure, is_delayed, file_address, file_name, file_type, file_size, file_sha256,
        replaces, corrects, first_body, occupant_id, reply_id, reply_author, reply_text, effect,
        retraction, file_width, file_height, file_other_addresses, follows,
        content, content_detail, content_print, placed_at, thread_id, thread_parent, sent_by)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      conversation, message.sender.description, message.direction == .outgoing,
      target == nil ? message.body : "", time,
      message.originID, message.stanzaID, ColumnCoding.name(of: delivery), delivery?.failure,
      message.isDelayed, message.file?.address, message.file?.name, message.file?.mediaType,
      message.file?.byteCount.map { Int64($0) }, message.file?.digests.stored, message.replaces,
      target,
      target == nil ? nil : message.body, message.occupantID, reply?.id,
      reply?.author?.description, reply?.text, message.effect?.rawValue,
      message.retraction?.rawValue, message.file?.width, message.file?.height,
      ColumnCoding.text(ofLines: message.file?.otherAddresses ?? []),
      // A local message gets its position as soon as the server has it.
      delivery == .queued && target == nil && message.effect == nil ? nil : 0,
      ContentRecord.name(of: message.content), ContentRecord.detail(of: message.content),
      message.contentPrint, position == time ? nil : position, message.thread?.id,
      message.thread?.parent, message.sentBy)
    let id = db.lastInsertedRowID
    if let thumbnail = message.file?.thumbnail {
      try db.run("INSERT INTO thumbnail (message, data) VALUES (?, ?)", id, thumbnail)
    }
    if case .content(_, let source?) = message.payload {
      try ContentRecord.keep(source, of: id, in: db)
    }
    // A message that is about to be sent is returned whole.
    let (body, isShortened) =
      delivery == .queued ? (message.body, false) : Message.shortened(message.body)
    return Message(
      id: Message.ID(id), conversation: message.conversation,
      sender: message.sender, direction: message.direction, body: body,
      sentAt: ColumnCoding.date(time), placedAt: ColumnCoding.date(position),
      originID: IncomingMessage.givenID(message.originID),
      stanzaID: message.stanzaID,
      delivery: delivery, isDelayed: message.isDelayed, file: message.file?.withoutThumbnail,
      reply: reply, replaces: message.replaces,
      isCorrection: target != nil && message.effect == nil, effect: message.effect,
      retraction: message.retraction, isShortened: isShortened, content: message.content
    ).inThread(message.thread).sent(by: message.sentBy)
  }

  /// The rows of a conversation that have an id, the archive's or the sender's. With `OR` between
  /// the two, SQLite 3.40 reads the whole conversation.
  static let named = """
    SELECT id FROM message WHERE conversation = ? AND stanza_id = ? UNION ALL
    SELECT id FROM (SELECT id FROM message WHERE conversation = ? AND origin_id = ?
      LIMIT \(namesakeLimit))
    """

  /// Returns the reply with the stored text of the message that it answers: its sender may have
  /// quoted anything. Of a message that is not stored, the sender can name only the own text, or
  /// that of an occupant of the same room: otherwise a quotation could attribute a text to the user
  /// or to a contact that they did not write.
  private static func known(
    _ reply: Message.Reply, of sender: JID, in conversation: Int64, _ db: DatabaseConnection
  ) throws -> Message.Reply {
    try db.firstRow(
      """
      SELECT sender, substr(body, 1, \(Message.bodyLimit)) FROM message
        WHERE id IN (\(named)) AND corrects IS NULL ORDER BY id DESC LIMIT 1
      """, conversation, reply.id, conversation, reply.id
    ) {
      Message.Reply(
        id: reply.id, author: ColumnCoding.jid($0.string(0)),
        text: Message.Reply.shortened($0.string(1)))
    }
      ?? Message.Reply(
        id: reply.id, author: reply.author?.bare == sender.bare ? reply.author : nil,
        text: reply.text)
  }

  /// Adds the ids of a message that came again in another way, so that later copies are detected,
  /// and its thread, which a history of another program may not have.
  /// The server has it: undoing an import does not remove it any more.
  static func complete(_ id: Int64, with message: IncomingMessage, in db: DatabaseConnection) throws
  {
    guard message.stanzaID != nil || message.originID != nil else { return }
    try db.run(
      """
      UPDATE message SET stanza_id = COALESCE(stanza_id, ?), origin_id = COALESCE(origin_id, ?),
        occupant_id = COALESCE(occupant_id, ?), import_batch = NULL,
        thread_id = COALESCE(thread_id, ?),
        thread_parent = CASE WHEN thread_id IS NULL THEN ? ELSE thread_parent END
      WHERE id = ? AND (stanza_id IS NULL OR origin_id IS NULL
        OR occupant_id IS NULL AND ? IS NOT NULL OR import_batch IS NOT NULL
        OR thread_id IS NULL AND ? IS NOT NULL)
      """, message.stanzaID, message.originID, message.occupantID, message.thread?.id,
      message.thread?.parent, id, message.occupantID, message.thread?.id)
  }
}
