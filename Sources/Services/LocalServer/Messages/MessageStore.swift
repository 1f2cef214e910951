import SQLite

/// One message that no client of its account has confirmed yet.
struct StoredMessage: Hashable, Sendable {
  let id: Int64
  /// Seconds since 1970.
  let arrived: Double
  /// The whole `<message/>` as XML.
  let stanza: String
}

/// The messages on their way to accounts: stored before the sender gets the ack, removed when a
/// client has them (XEP-0160 and XEP-0198 together). Lives inside one transaction.
struct MessageStore {
  let database: DatabaseConnection

  func count(of account: String) throws -> Int {
    try database.firstRow("SELECT count(*) FROM message WHERE account = ?", account) {
      $0.int(0)
    } ?? 0
  }

  /// - Returns: the row's id, larger than every one before.
  func add(_ stanza: String, to account: String, at time: Double) throws -> Int64 {
    try database.run(
      "INSERT INTO message (account, arrived, stanza) VALUES (?, ?, ?)", account, time, stanza)
    return database.lastInsertedRowID
  }

  /// - Returns: the account that the message was for; `nil` when it was removed before.
  func remove(_ id: Int64) throws -> String? {
    try database.firstRow("DELETE FROM message WHERE id = ? RETURNING account", id) {
      $0.string(0)
    }
  }

  /// The oldest messages of `account` that are not in `excluded`, at most `limit`.
  func oldest(_ limit: Int, of account: String, except excluded: Set<Int64>) throws
    -> [StoredMessage]
  {
    try database.rows(
      "SELECT id, arrived, stanza FROM message WHERE account = ? ORDER BY id LIMIT ?",
      account, limit + excluded.count
    ) { StoredMessage(id: $0.int64(0), arrived: $0.double(1), stanza: $0.string(2)) }
    .filter { !excluded.contains($0.id) }
    .prefix(limit).map { $0 }
  }
}
