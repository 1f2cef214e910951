import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The column values of the contents of messages whose text is a fallback.
enum ContentRecord {
  /// The number of stanzas that are kept for a later version to parse.
  private static let sourceLimit: Int64 = 10_000

  static func name(of content: Message.Content?) -> String? {
    switch content {
    case nil: nil
    case .encrypted: "encrypted"
    case .unknown: "unknown"
    case .call: "call"
    }
  }

  static func detail(of content: Message.Content?) -> String? {
    switch content {
    case nil: nil
    case .encrypted(let encryption):
      ([encryption.method] + [encryption.name].compactMap { $0 }).joined(separator: "\t")
    case .unknown(let namespace): namespace
    case .call(let call): call.rawValue
    }
  }

  static func content(_ name: String?, _ detail: String?) -> Message.Content? {
    let detail = detail ?? ""
    switch name {
    case "encrypted":
      let parts = detail.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      return .encrypted(
        XEP0380Encryption(
          method: parts.first.map(String.init) ?? "",
          name: parts.count > 1 ? String(parts[1]) : nil))
    case "unknown": return .unknown(namespace: detail)
    case "call": return Message.Call(rawValue: detail).map { .call($0) }
    default: return nil
    }
  }

  /// Stores the stanza of a message that could not be parsed.
  static func keep(_ source: String, of message: Int64, in db: DatabaseConnection) throws {
    try db.run("INSERT INTO message_source (message, stanza) VALUES (?, ?)", message, source)
    try db.run("DELETE FROM message_source WHERE id <= ?", db.lastInsertedRowID - sourceLimit)
  }
}

/// The ends of calls, in any order of their arrival (XEP-0353).
enum CallRecord {
  private static let limit: Int64 = 1000

  /// Stores how a call ended, and updates its message.
  /// - Parameter conversation: the peer; it is the caller of a missed call, otherwise another
  ///   client of the account reports the end.
  /// - Returns: the message, if it has changed.
  static func end(
    _ call: String, _ end: Message.Call, from conversation: JID, in db: DatabaseConnection
  ) throws -> Message? {
    let caller = end == .missed ? conversation.description : ""
    try db.run(
      "INSERT OR IGNORE INTO call_end (call, caller, ended) VALUES (?, ?, ?)", call, caller,
      end.rawValue)
    if db.changes > 0 {
      try db.run("DELETE FROM call_end WHERE id <= ?", db.lastInsertedRowID - limit)
    }
    let row = try db.firstRow(
      """
      SELECT message.id, content_detail FROM message JOIN conversation
        ON conversation.id = message.conversation
        WHERE content = 'call' AND origin_id = ? AND (? = '' OR conversation.jid = ?)
      """, call, caller, caller
    ) { (id: $0.int64(0), known: $0.optionalString(1).flatMap(Message.Call.init)) }
    guard let row, let known = row.known, mayBecome(end, known) else { return nil }
    try db.run("UPDATE message SET content_detail = ? WHERE id = ?", end.rawValue, row.id)
    return try db.firstRow(OutboxQuery.byID, row.id, map: MessageRecord.message)
  }

  /// Stores how a call ended, and updates its conversation as well.
  /// - Returns: the conversation, if it has changed.
  static func end(
    _ call: String, _ end: Message.Call, from jid: JID, noting stored: inout StoredMessages,
    _ records: inout [JID: ConversationRecord], in db: DatabaseConnection
  ) throws -> JID? {
    guard let settled = try self.end(call, end, from: jid, in: db) else { return nil }
    stored.note(settled)
    let conversation = settled.conversation
    var record = try records[conversation] ?? ConversationRecord.find(conversation, in: db)
    // A user who accepted or declined it in another client has seen it.
    guard end != .missed, record?.conversation.lastActivity == settled.position.time else {
      return nil
    }
    record?.markRead()
    records[conversation] = record
    return conversation
  }

  /// Returns `true` if the end may replace the known one: a call that its caller cancelled is
  /// missed, unless another client reports its answer.
  private static func mayBecome(_ end: Message.Call, _ known: Message.Call) -> Bool {
    switch known {
    case .ringing: true
    case .missed: end != .missed
    case .answered, .declined: false
    }
  }

  /// Returns the state of a call that is about to be stored.
  /// - Parameter isLate: `true` if it rang some time ago: then it is missed, as far as is known.
  static func state(
    of call: String, from caller: JID, isLate: Bool, in db: DatabaseConnection
  ) throws -> Message.Call {
    try db.firstRow(
      "SELECT ended FROM call_end WHERE call = ? AND caller IN ('', ?) ORDER BY caller LIMIT 1",
      call, caller.description
    ) { $0.optionalString(0).flatMap(Message.Call.init) }?.flatMap { $0 }
      ?? (isLate ? .missed : .ringing)
  }
}

extension IncomingMessage {
  /// Returns the message with the known state of its call.
  func withCallState(in db: DatabaseConnection) throws -> IncomingMessage {
    guard case .content(.call, let source) = payload, let call = originID else { return self }
    var message = self
    message.payload = .content(
      .call(
        try CallRecord.state(of: call, from: conversation, isLate: isDelayed, in: db)),
      source: source)
    return message
  }

  /// The content of a message whose text is a fallback; `nil` for others.
  var content: Message.Content? {
    if case .content(let content, _) = payload { content } else { nil }
  }

  /// `true` if it reports how a call ended: it has no row of its own.
  var isCallEnd: Bool { if case .callEnd = payload { true } else { false } }

  /// `true` if it is a call that another client of the account has accepted or declined: it needs
  /// no notification.
  var isSettledCall: Bool { content == .call(.answered) || content == .call(.declined) }
}
