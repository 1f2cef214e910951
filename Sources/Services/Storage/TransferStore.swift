import FoundationEssentials
import NatterCore
import SQLite
import XMPP

/// The transfers of files, and the paths of those that have arrived.
package struct TransferStore: Sendable {
  let database: Database
  init(_ database: Database) { self.database = database }

  private static let columns = """
    id, direction, conversation, path, name, media_type, byte_count, sha256, address, service,
    message, origin_id, state, failure, entity_tag, begun_at, words, part, size_limit,
    other_addresses
    """

  private static func transfer(_ row: Row) -> FileTransfer {
    FileTransfer(
      id: FileTransfer.ID(row.int64(0)),
      direction: FileTransfer.Direction(rawValue: row.string(1)) ?? .download,
      conversation: ColumnCoding.jid(row.string(2)), path: row.string(3), name: row.string(4),
      mediaType: row.optionalString(5), byteCount: row.optionalInt64(6).map { Int($0) },
      digests: row.optionalString(7).map { [FileDigest](stored: $0) } ?? [],
      address: row.optionalString(8),
      service: row.optionalString(9).map(ColumnCoding.jid),
      message: row.optionalInt64(10).map { Message.ID($0) }, originID: row.optionalString(11),
      state: state(row.string(12), row.optionalString(13)),
      validator: version(row.optionalString(14)).validator,
      source: version(row.optionalString(14)).source,
      begun: ColumnCoding.date(row.int64(15)), text: row.optionalString(16),
      part: row.optionalString(17), sizeLimit: row.optionalInt64(18).map { Int($0) },
      otherAddresses: ColumnCoding.lines(row.optionalString(19)))
  }

  /// Returns the validator of a web server, and in a second line that server, where it is not the
  /// one of `address`.
  private static func versionText(of transfer: FileTransfer) -> String? {
    guard let source = transfer.source else { return transfer.validator }
    return (transfer.validator ?? "") + "\n" + source
  }

  private static func version(_ text: String?) -> (validator: String?, source: String?) {
    let lines = (text ?? "").split(
      separator: "\n", maxSplits: 1, omittingEmptySubsequences: false
    ).map { $0.isEmpty ? nil : String($0) }
    return (lines[0], lines.count > 1 ? lines[1] : nil)
  }

  private static func state(_ name: String, _ failure: String?) -> FileTransfer.TransferStatus {
    switch name {
    case "paused": .paused
    case "done": .done
    case "failed": .failed(error(failure ?? ""))
    default: .waiting
    }
  }

  /// Returns the key, then for each argument its name and its value: as lines, so no value has a
  /// line end.
  private static func text(_ error: NatterError) -> String {
    ([error.key]
      + error.arguments.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] })
      .map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
      .joined(separator: "\n")
  }

  private static func error(_ text: String) -> NatterError {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var arguments: [String: String] = [:]
    for index in stride(from: 1, to: lines.count - 1, by: 2) {
      arguments[lines[index]] = lines[index + 1]
    }
    return NatterError(.unexpected, lines.first ?? "error.unexpected", arguments)
  }

  /// Returns all columns after the number; a running transfer is stored as waiting, for the next
  /// start.
  private static func values(_ transfer: FileTransfer) -> [any SQLConvertible & Sendable] {
    let (state, failure): (String, String?) =
      switch transfer.state {
      case .waiting, .running: ("waiting", nil)
      case .paused: ("paused", nil)
      case .done: ("done", nil)
      case .failed(let error): ("failed", text(error))
      }
    return [
      transfer.direction.rawValue, transfer.conversation.description, transfer.path,
      transfer.name, transfer.mediaType, transfer.byteCount.map { Int64($0) },
      transfer.digests.stored,
      transfer.address, transfer.service?.description, transfer.message?.rawValue,
      transfer.originID, state, failure, versionText(of: transfer),
      ColumnCoding.microseconds(transfer.begun), transfer.text, transfer.part,
      transfer.sizeLimit.map { Int64($0) }, ColumnCoding.text(ofLines: transfer.otherAddresses),
    ]
  }
}

extension TransferStore: TransferStoring {
  package func add(_ transfer: FileTransfer) async throws -> FileTransfer {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          INSERT INTO transfer (\(Self.columns))
          VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
          arguments: Self.values(transfer))
        return FileTransfer(
          id: FileTransfer.ID(db.lastInsertedRowID), direction: transfer.direction,
          conversation: transfer.conversation, path: transfer.path, name: transfer.name,
          mediaType: transfer.mediaType, byteCount: transfer.byteCount, digests: transfer.digests,
          address: transfer.address, service: transfer.service, message: transfer.message,
          originID: transfer.originID, state: transfer.state, validator: transfer.validator,
          source: transfer.source, begun: transfer.begun, text: transfer.text,
          part: transfer.part,
          sizeLimit: transfer.sizeLimit, otherAddresses: transfer.otherAddresses)
      }
    }
  }

  package func save(_ transfer: FileTransfer) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          UPDATE transfer SET (direction, conversation, path, name, media_type, byte_count, sha256,
            address, service, message, origin_id, state, failure, entity_tag, begun_at,
            words, part, size_limit, other_addresses)
            = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?
          """, arguments: Self.values(transfer) + [transfer.id.rawValue])
      }
    }
  }

  package func remove(_ id: FileTransfer.ID) async throws {
    try await database.storing { database in
      try await database.write { db in
        try db.run("DELETE FROM transfer WHERE id = ?", id.rawValue)
      }
    }
  }

  package func transfers() async throws -> [FileTransfer] {
    try await rows("1 ORDER BY id", [])
  }

  package func upload(sha256: String, byteCount: Int, service: JID) async throws -> FileTransfer? {
    try await rows(
      """
      direction = 'upload' AND state = 'done' AND sha256 = ? AND byte_count = ? AND service = ?
      AND address IS NOT NULL ORDER BY id DESC LIMIT 1
      """, [sha256, Int64(byteCount), service.description]
    ).first
  }

  package func upload(originID: String) async throws -> FileTransfer? {
    try await rows("direction = 'upload' AND origin_id = ? ORDER BY id DESC LIMIT 1", [originID])
      .first
  }

  package func download(of message: Message.ID) async throws -> FileTransfer? {
    try await rows(
      "direction = 'download' AND state = 'done' AND message = ? ORDER BY id DESC LIMIT 1",
      [message.rawValue]
    ).first
  }

  package func fileMessages(in conversation: JID, limit: Int) async throws -> [Message] {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          """
          SELECT \(MessageRecord.columns) FROM conversation CROSS JOIN message
          ON message.conversation = conversation.id
          WHERE conversation.jid = ? AND file_address IS NOT NULL
          ORDER BY position DESC, message.id DESC LIMIT ?
          """, conversation.description, limit, map: MessageRecord.message)
      }
    }
  }

  package func thumbnail(of message: Message.ID) async throws -> [UInt8]? {
    try await database.storing { database in
      try await database.read { db in
        try db.firstRow(
          "SELECT data FROM thumbnail WHERE message = ?", message.rawValue, map: { $0.bytes(0) })
      }
    }
  }

  package func found(_ byteCount: Int, of message: Message.ID) async throws -> Message? {
    try await database.storing { database in
      try await database.write { db in
        try db.run(
          """
          UPDATE message SET file_found_size = ?1 WHERE id = ?2 AND file_address IS NOT NULL
            AND file_size IS NULL AND file_found_size IS NOT ?1
          """, byteCount, message.rawValue)
        guard db.changes > 0 else { return nil }
        return try db.firstRow(OutboxQuery.byID, message.rawValue, map: MessageRecord.message)
      }
    }
  }

  private func rows(_ condition: String, _ arguments: [any SQLConvertible & Sendable]) async throws
    -> [FileTransfer]
  {
    try await database.storing { database in
      try await database.read { db in
        try db.rows(
          "SELECT \(Self.columns) FROM transfer WHERE \(condition)", arguments: arguments,
          map: Self.transfer)
      }
    }
  }
}
