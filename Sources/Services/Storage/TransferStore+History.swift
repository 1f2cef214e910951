import NatterCore
import SQLite
import XMPP

extension TransferStore: FileHistoryStoring {
  package func messages(offering filter: FileFilter, at location: FilePosition, limit: Int)
    async throws
    -> [Message]
  {
    guard limit > 0 else { return [] }
    var query = FileQuery(filter)
    let isBackwards: Bool
    switch location {
    case .newest: isBackwards = false
    case .oldest: isBackwards = true
    case .before(let position):
      query.add("position <= ? AND (position < ? OR message.id < ?)", position)
      isBackwards = false
    case .after(let position):
      query.add("position >= ? AND (position > ? OR message.id > ?)", position)
      isBackwards = true
    }
    let order =
      isBackwards ? "ORDER BY position, message.id" : "ORDER BY position DESC, message.id DESC"
    let sql = "SELECT \(MessageRecord.columns) \(query.sql) \(order) LIMIT ?"
    let arguments = query.arguments + [limit]
    let found = try await database.storing { database in
      try await database.read { db in
        try db.rows(sql, arguments: arguments, map: MessageRecord.message)
      }
    }
    return isBackwards ? found.reversed() : found
  }

  /// The largest counted size of one file: the sender chooses the size, and SUM fails, instead of
  /// rounding, at the end of the whole numbers.
  private static let largestFile = Int64(1) << 40

  package func totals(of filter: FileFilter) async throws -> FileTotals {
    let query = FileQuery(filter)
    return try await database.storing { database in
      try await database.read { db in
        try db.rows(
          """
          SELECT COUNT(*),
          COALESCE(SUM(MIN(COALESCE(file_size, file_found_size), \(Self.largestFile))), 0)
          \(query.sql)
          """,
          arguments: query.arguments
        ) { FileTotals(count: Int($0.int64(0)), byteCount: Int($0.int64(1))) }.first
          ?? FileTotals(count: 0, byteCount: 0)
      }
    }
  }

  package func conversationsWithFiles() async throws -> [JID] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          """
          SELECT conversation.jid, MAX(position) AS newest
          FROM message INDEXED BY message_file JOIN conversation
          ON message.conversation = conversation.id WHERE file_address IS NOT NULL
          GROUP BY message.conversation ORDER BY newest DESC
          """
        ) { ColumnCoding.jid($0.string(0)) }
      }
    }
  }

  package func paths(of messages: [Message]) async throws -> [Message.ID: String] {
    let wanted = messages.filter { $0.file != nil }
    return try await database.storing { database in
      try await database.read { db in
        var paths: [Message.ID: String] = [:]
        for message in wanted {
          paths[message.id] = try db.firstRow(
            """
            SELECT path FROM transfer WHERE message = ? AND direction = 'download'
            AND state = 'done' ORDER BY id DESC LIMIT 1
            """, message.id.rawValue, map: { $0.string(0) })
          guard paths[message.id] == nil, message.direction == .outgoing,
            let originID = message.originID
          else { continue }
          paths[message.id] = try db.firstRow(
            "SELECT path FROM transfer WHERE origin_id = ? AND direction = 'upload' LIMIT 1",
            originID, map: { $0.string(0) })
        }
        return paths
      }
    }
  }
}

/// The rows of `message` that offer the files of a filter: the SQL after SELECT and its columns.
package struct FileQuery: Sendable {
  private var conditions = ["file_address IS NOT NULL"]
  private let index: String
  package private(set) var arguments: [any SQLConvertible & Sendable] = []

  /// The SQL from FROM to the end of WHERE.
  package var sql: String {
    """
    FROM message INDEXED BY \(index) CROSS JOIN conversation
    ON message.conversation = conversation.id WHERE \(conditions.joined(separator: " AND "))
    """
  }

  package init(_ filter: FileFilter) {
    index = filter.conversation == nil ? "message_file_time" : "message_file"
    if let conversation = filter.conversation {
      // An equality on the index's first column: the rest of it is in the order of time.
      conditions.append(
        "message.conversation = (SELECT id FROM conversation WHERE jid = ?)")
      arguments.append(conversation.description)
    }
    if let direction = filter.direction {
      conditions.append("is_outgoing = ?")
      arguments.append(direction == .outgoing)
    }
    if let since = filter.since {
      // The index's next column: the walk ends there.
      conditions.append("position >= ?")
      arguments.append(ColumnCoding.microseconds(since))
    }
    if let kind = filter.kind { conditions.append(Self.condition(of: kind)) }
    if !filter.text.isEmpty {
      conditions.append("COALESCE(file_name, file_address) LIKE ? ESCAPE '\\'")
      arguments.append(LikePattern.containing(filter.text))
    }
  }

  mutating func add(_ condition: String, _ position: MessagePosition) {
    conditions.append(condition)
    let time = ColumnCoding.microseconds(position.time)
    arguments += [time, time, position.id.rawValue] as [any SQLConvertible & Sendable]
  }

  /// Returns the condition of `FileKind`: by the type, and by the name where there is none.
  static func condition(of kind: FileKind) -> String {
    func isOne(_ types: [String], _ endings: [String]) -> String {
      let byType = types.map { "file_type LIKE '\($0)/%'" }.joined(separator: " OR ")
      let byName = endings.map { "COALESCE(file_name, file_address) LIKE '%.\($0)'" }
        .joined(separator: " OR ")
      return "(CASE WHEN COALESCE(file_type, '') <> '' THEN \(byType) ELSE \(byName) END)"
    }
    let picture = isOne(["image"], FileKind.pictureEndings)
    let media = isOne(["audio", "video"], FileKind.mediaEndings)
    return switch kind {
    case .picture: picture
    case .media: media
    case .document: "NOT \(picture) AND NOT \(media)"
    }
  }
}
